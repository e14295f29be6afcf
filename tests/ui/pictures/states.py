"""Every state the window can be in, each reached over a real workspace, engine and agent by clicks and keys."""

import json
from collections.abc import Callable, Iterator

from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from tandem_desktop.app.window import load_recipes, look_for_agents, open_background
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.perspectives import Role
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import ResultStatus
from tandem_desktop.domain.state_machine import Expire
from tandem_desktop.ui.main_window import MainWindow
from tandem_desktop.ui.theme.theme import Theme
from tests.support.agent_scripts import Steps
from tests.support.command_line import bash, edit, write
from tests.support.perspective_scripts import acp_agent
from tests.support.read_only import read_only
from tests.ui.pictures.stage import Patience, Stage
from tests.ui.window.driver import Person

MANY = 10_000
LONG_LINE = "x = [" + ", ".join(str(number) for number in range(150_000)) + "]\n"
LIMITER = "from time import monotonic\n\n\nclass Bucket:\n    def __init__(self, rate):\n        self.rate = rate\n"


def pictures(app: QApplication, theme: Theme) -> Iterator[tuple[str, QWidget]]:
    with Stage(theme.name) as stage:
        yield "state-01-first-run", first_run(stage, theme)
    for name, scene in SCENES.items():
        with Stage(theme.name) as stage:
            person = scene(stage)
            stage.settle()
            yield f"state-{name}", person.window


def first_run(stage: Stage, theme: Theme) -> MainWindow:
    stage.use_agent({})
    # Qt writes settings by renaming a new file into place, so they get a file of their own.
    settings = QSettings(str(stage.workspace.parent / "window.ini"), QSettings.Format.IniFormat)
    settings.setValue("theme", theme.name)
    window = MainWindow(
        theme, open_background, recipes=load_recipes, look_for_agents=look_for_agents, settings=settings
    )
    window.show()
    window.open_workspace(None)
    Patience().waitUntil(lambda: not any("Looking for agents" in label.text() for label in window.findChildren(QLabel)))
    return window


def empty_workspace(stage: Stage) -> Person:
    stage.workspace = stage.workspace.parent / "empty"
    stage.workspace.mkdir()
    return stage.open()


def read_only_workspace(stage: Stage) -> Person:
    with read_only(stage.workspace):
        person = stage.open()
        disk = person.window.findChild(QLabel, "status-disk")
        assert isinstance(disk, QLabel)
        person.wait(lambda: "read-only" in disk.text())
        return person


def starting(stage: Stage) -> Person:
    stage.use_agent({"start": [{"do": "sleep", "seconds": 600}]})
    return stage.ask("Limit login to 5 attempts a minute per address, with a test.")


def drafting(stage: Stage) -> Person:
    steps = Steps(stage.workspace)
    script = [
        steps.say("I read the routes and the settings. A token bucket kept in the app state is enough here.\n\n"),
        steps.ask_to_write("call-1", "greeter/ratelimit.py", LIMITER),
        steps.write("greeter/ratelimit.py", LIMITER),
        steps.ended("call-1"),
        steps.ask_to_write("call-2", "tests/test_ratelimit.py", "def test_limit():\n    assert True\n"),
        steps.write("tests/test_ratelimit.py", "def test_limit():\n    assert True\n"),
        steps.ended("call-2"),
        steps.say("Now the route."),
        {"do": "await_cancel"},
    ]
    stage.use_agent({"turns": [script]})
    person = stage.ask("Limit login to 5 attempts a minute per address, with a test.")
    person.wait(lambda: len(person.drafted) == 2)
    return person


def crashed(stage: Stage) -> Person:
    steps = Steps(stage.workspace)
    last = "Traceback (most recent call last):\n  File agent.py, line 12\nMemoryError: out of memory\n"
    script = [steps.say("Reading the routes."), {"do": "stderr", "text": last}, {"do": "exit", "code": 3}]
    stage.use_agent({"turns": [script]})
    person = stage.ask("Limit login to 5 attempts a minute per address.")
    person.wait(lambda: not person.place.turns.is_any)
    return person


def authentication(stage: Stage) -> Person:
    refusal = {"code": -32000, "message": "Authentication required"}
    stage.use_agent({"errors": {"session/new": refusal}})
    person = stage.ask("Limit login to 5 attempts a minute per address.")
    person.wait(lambda: not person.place.turns.is_any)
    return person


def permission(stage: Stage) -> Person:
    steps = Steps(stage.workspace)
    stage.use_agent({"turns": [[steps.ask_to_write("call-1", "greeter/ratelimit.py", LIMITER), steps.say("Done.")]]})
    person = stage.ask("Limit login to 5 attempts a minute per address.", plan_mode=False)
    person.wait(lambda: person.sees("permission-allow"))
    return person


def waiting(stage: Stage) -> Person:
    person = stage.ask("/replace Hello Goodbye")
    person.wait(lambda: stage.is_status(person, PlanStatus.PROPOSED))
    return person


def reviewing(stage: Stage) -> Person:
    person = waiting(stage)
    person.go_to("operation-list")
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_Right)
    person.wait(lambda: bool(person.reads()))
    return person


def approving(stage: Stage) -> Person:
    person = planned(stage)
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-back"))
    return person


def planned(stage: Stage) -> Person:
    """A plan with a file, a command that waits, and a file."""
    stage.propose(
        "Rate-limit the login route",
        write("greeter/ratelimit.py", LIMITER),
        edit("greeter/greeting.py", "Hello", "Welcome", rationale="Greet those who are let in"),
        bash(f"echo collected 12 items; while [ ! -e {stage.gate} ]; do sleep 0.05; done; echo 12 passed"),
        write("tests/test_ratelimit.py", "def test_limit():\n    assert True\n"),
    )
    return stage.open_on_plan()


def drifted(stage: Stage) -> Person:
    stage.propose("Welcome them", edit("greeter/greeting.py", "Hello", "Welcome"))
    target = stage.workspace / "greeter" / "greeting.py"
    target.write_text(target.read_text() + "\n# mine\n")
    return stage.open_on_plan()


def executing(stage: Stage) -> Person:
    person = planned(stage)
    stage.implement(person)
    person.wait(lambda: ResultStatus.RUNNING in person.progress)
    return person


def paused(stage: Stage) -> Person:
    person = executing(stage)
    person.click("plan-pause")
    stage.gate.touch()
    person.wait(lambda: person.stored_status is PlanStatus.PAUSED)
    return person


def failed(stage: Stage) -> Person:
    stage.propose(
        "Rate-limit the login route",
        write("greeter/ratelimit.py", LIMITER),
        bash("echo collected 12 items; echo E assert 5 == 6; exit 1"),
        write("tests/test_ratelimit.py", "def test_limit():\n    assert True\n"),
    )
    person = stage.open_on_plan()
    stage.implement(person)
    person.wait(lambda: stage.is_status(person, PlanStatus.FAILED))
    return person


MEND = {
    "assessment": "NEEDS_ADJUSTMENT",
    "reasoning": "The test counts six attempts, but the limit is five (greeter/ratelimit.py:4): the bucket is filled "
    "once too often. The command itself is fine.",
    "adjustments": [
        {
            "action": "MODIFY",
            "step_id": "s2",
            "reason": "Run only the test of the limiter first, so that its failure is seen alone.",
            "tool_input": {"command": "python -m pytest -q tests/test_ratelimit.py"},
        },
        {
            "action": "ADD_BEFORE",
            "step_id": "s2",
            "reason": "The limiter needs its setting.",
            "tool": "write",
            "tool_input": {"path": "settings.toml", "content": "[login]\nattempts = 5\n"},
        },
        {
            "action": "ADD_AFTER",
            "step_id": "s3",
            "reason": "Take the old limiter away.",
            "tool": "delete",
            "tool_input": {"path": "greeter/old_limit.py"},
        },
    ],
}


def reflected(stage: Stage) -> Person:
    """A failed run, and what the agent would change; the first adjustment is accepted, the second rejected."""
    steps = Steps(stage.workspace)
    stage.use_agent({"turns": [[steps.say(json.dumps(MEND))]]})
    person = failed(stage)
    person.wait(lambda: person.sees("segmented-adjustment-1"))
    person.click("segmented-adjustment-1-accepted")
    person.click("segmented-adjustment-2-rejected")
    person.wait(lambda: person.sees("reflection-make"))
    return person


def interrupted(stage: Stage) -> Person:
    steps = [write(f"{name}.txt", "text\n") for name in ("one", "two", "three")]
    plan = stage.propose("Three files", steps[0], bash("true"), *steps[1:])
    stage.tandem("approve", plan["plan_id"], "--digest", plan["digest"])
    stage.killed_while_writing("two.txt", "apply", plan["plan_id"])
    person = stage.open()
    person.wait(lambda: any(each.isVisible() for each in person.window.findChildren(QWidget, "interrupted-sheet")))
    return person


def completed(stage: Stage) -> Person:
    person = waiting(stage)
    stage.implement(person)
    person.wait(lambda: stage.is_status(person, PlanStatus.COMPLETED))
    return person


def cancelled(stage: Stage) -> Person:
    person = waiting(stage)
    person.click("plan-action-cancel")
    person.wait(lambda: person.sees("confirm-sure"))
    person.click("confirm-sure")
    person.wait(lambda: stage.is_status(person, PlanStatus.CANCELLED))
    return person


def expired(stage: Stage) -> Person:
    plan = stage.propose("Welcome them", edit("greeter/greeting.py", "Hello", "Welcome"))
    background = open_background(stage.workspace)
    background.engine.plans.send(PlanId(plan["plan_id"]), Expire())
    background.close()
    return stage.open_on_plan()


def needs_a_person(stage: Stage) -> Person:
    plan = stage.propose("Welcome them", edit("greeter/greeting.py", "Hello", "Welcome"))
    for feedback in ("Not that word.", "Still not."):
        stage.tandem("reject", plan["plan_id"], "--feedback", feedback)
        stage.tandem("restore", plan["plan_id"], "1")
    stage.tandem("reject", plan["plan_id"], "--feedback", "No. Let us talk.")
    return stage.open_on_plan()


def many(stage: Stage) -> Person:
    stage.propose("Ten thousand files", *(write(f"data/{n // 100:02}/{n:05}.txt", f"{n}\n") for n in range(MANY)))
    return stage.open_on_plan()


def long_line(stage: Stage) -> Person:
    (stage.workspace / "table.py").write_text(LONG_LINE)
    stage.propose("One number in a long line", edit("table.py", "[0, 1,", "[0, 7,"))
    person = stage.open_on_plan()
    person.wait(lambda: bool(person.reads()))
    return person


def log(stage: Stage) -> Person:
    person = crashed(stage)
    person.wait(lambda: person.sees("problem-log"))
    person.click("problem-log")
    person.wait(lambda: person.sees("log-text"))
    return person


def about(stage: Stage) -> Person:
    person = waiting(stage)
    person.command("About Tandem")
    person.wait(lambda: person.sees("about-copy"))
    return person


def updated(stage: Stage) -> Person:
    stage.was_here("0.0.9")
    person = waiting(stage)
    person.window.pages.tell_update()
    person.wait(lambda: person.sees("toast-action"))
    return person


def news(stage: Stage) -> Person:
    person = updated(stage)
    person.click("toast-action")
    person.wait(lambda: person.sees("news-close"))
    return person


def sized(width: int, height: int) -> Callable[[Stage], Person]:
    def scene(stage: Stage) -> Person:
        person = planned(stage)
        person.window.resize(width, height)
        return person

    return scene


def zoomed(stage: Stage) -> Person:
    person = planned(stage)
    for _ in range(10):
        person.press(Qt.Key.Key_Equal, Qt.KeyboardModifier.ControlModifier)
    return person


def settings_page(stage: Stage) -> Person:
    person = stage.open()
    person.command("Settings")
    person.wait(lambda: person.sees("settings-search"))
    return person


_TASK = "/perspectives Refactor the auth system and deploy to staging"


def advisors_at_work(stage: Stage) -> Person:
    steps = Steps(stage.workspace)
    waits = [steps.say("Reading."), {"do": "await_cancel"}]
    stage.use_agent(acp_agent(steps.write("greeter/session.py", "x\n"), koda=waits))
    person = stage.ask(_TASK)
    spoken = person.place.panel.perspectives.cards
    person.wait(lambda: bool(spoken[Role.DEVO].accessibleDescription()))
    return person


def perspectives(stage: Stage) -> Person:
    steps = Steps(stage.workspace)
    silent = [steps.say("I would rather not say.")]
    stage.use_agent(acp_agent(steps.write("greeter/session.py", "class Session: ...\n"), devo=silent))
    person = stage.ask(_TASK)
    person.wait(lambda: bool(person.operations) and not person.place.turns.is_any)
    return person


SCENES: dict[str, Callable[[Stage], Person]] = {
    "02-empty-workspace": empty_workspace,
    "03-no-plan-yet": Stage.open,
    "04-agent-starting": starting,
    "05-drafting": drafting,
    "06-agent-crashed": crashed,
    "07-authentication-needed": authentication,
    "08-permission-asked": permission,
    "09-waiting-for-approval": waiting,
    "10-reviewing": reviewing,
    "11-approving": approving,
    "12-drifted": drifted,
    "13-executing": executing,
    "14-paused": paused,
    "15-failed-and-rolled-back": failed,
    "16-interrupted": interrupted,
    "27-reflected": reflected,
    "17-completed": completed,
    "18-cancelled": cancelled,
    "19-expired": expired,
    "20-needs-a-person": needs_a_person,
    "21-ten-thousand": many,
    "22-one-long-line": long_line,
    "23-narrow": sized(900, 700),
    "24-wide": sized(1920, 1080),
    "25-zoomed": zoomed,
    "26-read-only-workspace": read_only_workspace,
    "27-settings": settings_page,
    "28-advisors-at-work": advisors_at_work,
    "29-perspectives": perspectives,
    "30-log": log,
    "31-about": about,
    "32-updated": updated,
    "33-what-is-new": news,
}
