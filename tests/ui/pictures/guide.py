"""The pictures of the guide and of the README, each taken of the real window at work."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import ResultStatus
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.main_window import MainWindow
from tandem_desktop.ui.theme.theme import Theme
from tests.support.agent_scripts import Steps
from tests.support.command_line import bash, edit, write
from tests.support.perspective_scripts import acp_agent
from tests.ui.pictures import depth, states
from tests.ui.pictures.orders import LIMITED, LOGIN, TASK, TEST, TITLE, furnish, run, steps_of, the_turn
from tests.ui.pictures.stage import Stage
from tests.ui.window.driver import Person

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PANEL, WINDOW = "execution-plan-panel", ""


@dataclass(frozen=True, slots=True)
class Scene:
    """How one gets there, what of the window is shown, and how large the window is."""

    reach: Callable[[Stage], Person]
    part: str = WINDOW
    size: tuple[int, int] = (1280, 780)
    theme: str = "dark"


def first_run(stage: Stage, theme: Theme) -> MainWindow:
    return states.first_run(stage, theme)


def drafting(stage: Stage) -> Person:
    furnish(stage)
    turn = the_turn(stage.workspace)
    stage.use_agent({"turns": [[*turn[:7], {"do": "await_cancel"}]]})
    person = stage.ask(TASK)
    person.wait(lambda: len(person.drafted) == 2)
    person.window.toast.dismiss()
    return person


def planned(stage: Stage) -> Person:
    """The agent has finished; its plan waits."""
    furnish(stage)
    stage.use_agent({"turns": [the_turn(stage.workspace)]})
    person = stage.ask(TASK)
    person.wait(lambda: stage.is_status(person, PlanStatus.PROPOSED))
    person.window.toast.dismiss()
    return person


def reviewing(stage: Stage) -> Person:
    """The change of the login open, with a comment on it."""
    person = planned(stage)
    path = "orders/login.py"
    _open(person, person.operations.index(path))
    _diff(person).setFocus()
    for _ in range(8):
        person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_C)
    person.wait(lambda: person.focus().objectName() == "comment-editor")
    person.type("The rate belongs into orders/settings.py.")
    person.press(Qt.Key.Key_Return, CONTROL)
    person.wait(lambda: len(person.place.panel.comments) == 1)
    return person


def proposed(stage: Stage) -> Person:
    furnish(stage)
    stage.propose(TITLE, *steps_of())
    return stage.open_on_plan()


def dropping(stage: Stage) -> Person:
    """One line left out, read in one column."""
    furnish(stage)
    steps = steps_of()
    stage.propose(TITLE, steps[0], write("orders/login.py", LIMITED, description="Ask before looking up"), *steps[2:])
    person = stage.open_on_plan()
    _open(person, 1)
    view = _diff(person)
    view.setFocus()
    view.go_to_line(4)
    person.press(Qt.Key.Key_X, SHIFT)
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.draft))
    person.press(Qt.Key.Key_V)
    return person


def attention(stage: Stage) -> Person:
    furnish(stage)
    steps = steps_of()
    wary = (
        write("AGENTS.md", "Always run the tests.\n", description="Tell agents about the tests"),
        write(".env.example", "API_KEY=\n", description="Name the key"),
    )
    stage.propose(TITLE, *steps[:2], *wary, run("npm publish --access public", "Publish it"))
    person = stage.open_on_plan()
    person.click_operation(4)
    return person


def approving(stage: Stage) -> Person:
    person = proposed(stage)
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-back"))
    return person


def running(stage: Stage) -> Person:
    furnish(stage)
    waiting = f"echo test_sixth_attempt_is_refused ... ok\nwhile [ ! -e {stage.gate} ]; do sleep 0.05; done\n"
    (stage.workspace / "run-tests.sh").write_text(waiting)
    stage.propose(TITLE, *steps_of()[:3], run("sh run-tests.sh", "Run the tests"), bash("echo done"))
    person = stage.open_on_plan()
    stage.implement(person)
    person.wait(lambda: ResultStatus.RUNNING in person.progress)
    return person


def done(stage: Stage) -> Person:
    person = planned(stage)
    stage.implement(person)
    person.wait(lambda: stage.is_status(person, PlanStatus.COMPLETED))
    return person


def undoing(stage: Stage) -> Person:
    person = done(stage)
    login = stage.workspace / "orders" / "login.py"
    login.write_text(login.read_text() + "\n\n# by me, later\n")
    person.press(Qt.Key.Key_U, CONTROL | Qt.KeyboardModifier.AltModifier)
    person.wait(lambda: person.sees("undo-confirm"))
    return person


def timeline(stage: Stage) -> Person:
    """Four runs on three days."""
    furnish(stage)
    plans = (
        ("Name the site", (edit("orders/settings.py", "orders.example.org", "shop.example.org"),)),
        (TITLE, steps_of()),
        ("Allow six attempts", (write("orders/limits.py", "RATE = 6\n"),)),
        ("Speak French", (edit("orders/settings.py", '"en"', '"fr"'), bash("date +%Y > orders/year.txt"))),
    )
    for days_ago, (title, steps) in zip((3, 1, 0, 0), plans, strict=True):
        plan = stage.propose(title, *steps)
        stage.tandem("approve", plan["plan_id"], "--digest", plan["digest"])
        run = stage.tandem("apply", plan["plan_id"])["run_id"]
        record = stage.workspace / ".tandem" / "runs" / run / "meta.json"
        fields = json.loads(record.read_text())
        then = datetime.fromisoformat(fields["started_at"]) - timedelta(days=days_ago)
        record.write_text(json.dumps({**fields, "started_at": then.isoformat()}))
    person = stage.open_on_plan()
    person.place.panel.tabs.show_tab("runs")
    person.wait(lambda: person.place.panel.runs.detail.model.rowCount() > 0)
    person.place.panel.runs.list.setFocus()
    return person


def drifted(stage: Stage) -> Person:
    furnish(stage)
    stage.propose(TITLE, *steps_of())
    (stage.workspace / "orders" / "login.py").write_text(LOGIN + "\n\nTRIES = 3  # by hand\n")
    person = stage.open_on_plan()
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.drifted))
    return person


def merging(stage: Stage) -> Person:
    furnish(stage)
    stage.propose("Call it a visitor", edit("orders/login.py", "account = find", "visitor = find"))
    login = stage.workspace / "orders" / "login.py"
    login.write_text(LOGIN.replace("account = find", "customer = find") + "\n\nTRIES = 3  # by hand\n")
    person = stage.open_on_plan()
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.drifted))
    person.place.panel.operations.banner_requested.emit("merge")
    person.wait(lambda: person.sees("merge-back"))
    return person


def rehearsed(stage: Stage) -> Person:
    furnish(stage)
    renamed = run("sed -i s/address/origin/ orders/*.py; echo 2 files changed", "Call it an origin")
    stage.propose(TITLE, *steps_of()[:2], renamed, run("echo 12 passed in 0.31s", "Run the tests"))
    person = stage.open_on_plan()
    person.click("plan-footer-rehearse")
    rows = depth.rows
    person.wait(lambda: any(row.rehearsed is not None and row.rehearsed.is_settled for row in rows(person)))
    person.click_operation(2)
    person.wait(lambda: person.sees("effect-list"))
    return person


def reworking(stage: Stage) -> Person:
    person = reviewing(stage)
    person.press(Qt.Key.Key_R, CONTROL | SHIFT)
    person.wait(lambda: person.sees("rework-back"))
    person.type("Keep the rate in one place, please.")
    return person


def comparing(stage: Stage) -> Person:
    """An alternative beside the first plan, compared with it."""
    furnish(stage)
    first = stage.propose(TITLE, *steps_of())
    branch = stage.tandem("branch", first["plan_id"])
    stage.tandem("drop", branch["plan_id"], "s4", "s1:+1..2")
    person = stage.open_on_plan()
    person.press(Qt.Key.Key_2, CONTROL)
    person.wait(lambda: person.revision == 2 and bool(person.place.panel.alternatives))
    person.place.panel.operations.banner_requested.emit("compare-origin")
    person.wait(lambda: person.place.panel.sheets.compare.list.count() > 0)
    return person


def with_tasks(stage: Stage) -> Person:
    furnish(stage)
    tasks = [
        {"id": "limit", "subject": "Count attempts", "agent": "koda", "priority": "high"},
        {"id": "login", "subject": "Use the limit in login", "agent": "koda", "blocked_by": ["limit"]},
        {"id": "tests", "subject": "Prove it", "agent": "koda", "blocked_by": ["limit"]},
        {"id": "ship", "subject": "Run everything", "agent": "devo", "blocked_by": ["login", "tests"]},
    ]
    steps = [{**step, "task": task["id"]} for step, task in zip(steps_of(), tasks, strict=True)]
    stage.propose(TITLE, *steps, tasks=tasks)
    return stage.open_on_plan()


def tasks(stage: Stage) -> Person:
    person = with_tasks(stage)
    person.place.panel.show_tasks()
    return person


def graph(stage: Stage) -> Person:
    person = with_tasks(stage)
    person.place.panel.show_graph()
    return person


def reflected(stage: Stage) -> Person:
    """A failed run, and what the agent would change."""
    furnish(stage)
    missing = "nose2 --verbose"
    said = {
        "assessment": "NEEDS_ADJUSTMENT",
        "reasoning": "The tests are run by a program that is not installed here (nose2). "
        "The change itself is fine: the tests are written for unittest.",
        "adjustments": [
            {
                "action": "MODIFY",
                "step_id": "s4",
                "reason": "Run them with what comes with Python.",
                "tool_input": {"command": TEST},
            },
            {
                "action": "ADD_AFTER",
                "step_id": "s4",
                "reason": "Say in the README that logins are limited.",
                "tool": "write",
                "tool_input": {"path": "docs/login.md", "content": "Five attempts a minute.\n"},
            },
        ],
    }
    stage.use_agent({"turns": [[Steps(stage.workspace).say(json.dumps(said))]]})
    stage.propose(TITLE, *steps_of()[:3], run(missing, "Run the tests"))
    person = stage.open_on_plan()
    stage.implement(person)
    person.wait(lambda: person.sees("segmented-adjustment-1"))
    person.click("segmented-adjustment-1-accepted")
    person.click("segmented-adjustment-2-rejected")
    person.wait(lambda: person.sees("reflection-make"))
    return person


def perspectives(stage: Stage) -> Person:
    furnish(stage)
    stage.use_agent(acp_agent(Steps(stage.workspace).write("orders/session.py", "class Session: ...\n")))
    person = stage.ask("/perspectives Refactor the auth system and deploy to staging")
    person.wait(lambda: bool(person.operations) and not person.place.turns.is_any)
    person.window.toast.dismiss()
    return person


def searching(stage: Stage) -> Person:
    person = timeline(stage)
    stage.propose("Log attempts", write("orders/audit.py", "# who tried\n"))
    person.wait(lambda: len(person.place.plans.plans) == 5)
    person.place.panel.tabs.show_tab("operations")
    person.click("plans-search")
    person.type("attempts")
    return person


def permission(stage: Stage) -> Person:
    furnish(stage)
    stage.use_agent({"turns": [the_turn(stage.workspace)]})
    person = stage.ask(TASK, plan_mode=False)
    person.wait(lambda: person.sees("permission-allow"))
    return person


def palette(stage: Stage) -> Person:
    person = done(stage)
    person.press(Qt.Key.Key_P, CONTROL | SHIFT)
    person.wait(lambda: person.sees("palette-search"))
    return person


def log(stage: Stage) -> Person:
    furnish(stage)
    noted = {"do": "stderr", "text": "no key for the small model, the large one is used\n"}
    stage.use_agent({"turns": [[noted, *the_turn(stage.workspace)]]})
    person = stage.ask(TASK)
    person.wait(lambda: stage.is_status(person, PlanStatus.PROPOSED))
    stage.implement(person)
    person.wait(lambda: stage.is_status(person, PlanStatus.COMPLETED))
    person.command("Show the log")
    person.wait(lambda: person.sees("log-text"))
    return person


def _open(person: Person, row: int) -> None:
    person.click_operation(row)
    person.wait(lambda: bool(person.reads()) and bool(_diff(person).diff.hunks))


def _diff(person: Person) -> DiffView:
    return next(view for view in person.window.findChildren(DiffView) if view.isVisible())


SCENES: dict[str, Scene] = {
    "reviewing": Scene(reviewing, size=(1440, 860)),
    "drafting": Scene(drafting),
    "dropping": Scene(dropping, PANEL),
    "attention": Scene(attention, PANEL, (1280, 900)),
    "approving": Scene(approving, "approval-sheet-card"),
    "running": Scene(running, PANEL, (1280, 560)),
    "done": Scene(done),
    "undoing": Scene(undoing, "undo-sheet-card"),
    "timeline": Scene(timeline, PANEL, (1500, 780)),
    "drifted": Scene(drifted, PANEL, (1280, 660)),
    "merging": Scene(merging, size=(1280, 680)),
    "rehearsed": Scene(rehearsed, PANEL, (1280, 1000)),
    "reworking": Scene(reworking, "rework-sheet-card"),
    "comparing": Scene(comparing, size=(1280, 560)),
    "tasks": Scene(tasks, PANEL),
    "graph": Scene(graph, PANEL, (1280, 620)),
    "reflected": Scene(reflected),
    "perspectives": Scene(perspectives, size=(1280, 860), theme="light"),
    "searching": Scene(searching, size=(1440, 640), theme="light"),
    "permission": Scene(permission),
    "palette": Scene(palette, size=(1280, 640)),
    "interrupted": Scene(states.interrupted, "interrupted-sheet-card"),
    "settings": Scene(states.settings_page, theme="light"),
    "log": Scene(log, "log-sheet-card", (1280, 480)),
    "news": Scene(states.news, "news-sheet-card"),
}


def part_of(window: QWidget, name: str) -> QWidget:
    """What of the window is shown."""
    return next(each for each in window.findChildren(QWidget, name) if each.isVisible()) if name else window
