"""Review in depth: a rehearsal on its way, what came of it, and the timeline of runs with its ways back."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.ui.models.operations import OperationRow
from tandem_desktop.ui.theme.theme import Theme
from tests.support.command_line import bash, edit, write
from tests.ui.pictures.stage import Stage
from tests.ui.window.driver import Person


def pictures(app: QApplication, theme: Theme) -> Iterator[tuple[str, QWidget]]:
    for name, scene in SCENES.items():
        with Stage(theme.name) as stage:
            person = scene(stage)
            stage.settle()
            yield f"depth-{name}", person.window


def proposed(stage: Stage) -> Person:
    stage.propose(
        "Say goodbye everywhere",
        write("greeter/ratelimit.py", "RATE = 5\n"),
        edit("greeter/greeting.py", "Hello", "Welcome", rationale="Greet those who are let in"),
        bash("sed -i -e s/Welcome/Goodbye/ -e s/5/6/ greeter/*.py; echo 2 files done"),
        bash("echo collected 14 items; sleep 0.3; echo 14 passed in 0.31s"),
        bash("head -c 8 /dev/urandom | base64 > luck.txt"),
    )
    return stage.open_on_plan()


def rehearsing(stage: Stage) -> Person:
    stage.propose(
        "Say goodbye everywhere",
        write("greeter/ratelimit.py", "RATE = 5\n"),
        bash("echo collected 14 items; echo tests/test_auth.py ....; echo tests/test_limit.py ...; sleep 60"),
        bash("echo done"),
    )
    person = stage.open_on_plan()
    person.click("plan-footer-rehearse")
    person.wait(lambda: any(row.rehearsed is not None and "limit" in row.rehearsed.output for row in rows(person)))
    return person


def rehearsed(stage: Stage) -> Person:
    person = proposed(stage)
    person.click("plan-footer-rehearse")
    person.wait(lambda: any(row.rehearsed is not None and row.rehearsed.is_settled for row in rows(person)))
    return person


def effects(stage: Stage) -> Person:
    person = rehearsed(stage)
    person.click_operation(2)
    person.wait(lambda: person.sees("effect-list"))
    person.find("effect-list").setFocus()
    person.press(Qt.Key.Key_End)
    person.press(Qt.Key.Key_Right)
    person.wait(lambda: bool(person.reads()))
    person.press(Qt.Key.Key_Up)
    person.press(Qt.Key.Key_Down)
    return person


def doubtful(stage: Stage) -> Person:
    person = rehearsed(stage)
    person.click_operation(4)
    person.wait(lambda: person.sees("rehearsed-doubts"))
    return person


def recorded(stage: Stage) -> Person:
    person = effects(stage)
    person.click("segmented-when-the-plan-is-implemented-recorded")
    person.wait(lambda: person.revision == 2)
    return person


def approving_recorded(stage: Stage) -> Person:
    person = recorded(stage)
    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-back"))
    return person


def timeline(stage: Stage) -> Person:
    """Four runs on three days, the newest with a command."""
    plans = (
        ("Name the limit", (write("greeter/limits.py", "RATE = 5\n"),)),
        ("Welcome them", (edit("greeter/greeting.py", "Hello", "Welcome"),)),
        ("Raise the limit", (edit("greeter/limits.py", "5", "6"),)),
        ("Say goodbye everywhere", (write("notes.txt", "bye\n"), bash("sed -i -e s/6/7/ greeter/*.py; touch done"))),
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
    person.place.panel.tabs.bar.setFocus()
    person.press(Qt.Key.Key_End)
    person.wait(lambda: person.place.panel.runs.detail.model.rowCount() > 0)
    person.place.panel.runs.list.setFocus()
    return person


def undoing_a_file(stage: Stage) -> Person:
    person = timeline(stage)
    person.tab_to("run-changes")
    person.press(Qt.Key.Key_End)
    person.click("runs-undo-file")
    person.wait(lambda: person.sees("undo-confirm"))
    return person


def going_back(stage: Stage) -> Person:
    person = timeline(stage)
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_B)
    person.wait(lambda: person.sees("undo-confirm"))
    return person


def conflicting(stage: Stage) -> Person:
    person = timeline(stage)
    (stage.workspace / "greeter" / "limits.py").write_text("RATE = 99\n")
    person.press(Qt.Key.Key_U)
    person.wait(lambda: person.sees("undo-back"))
    return person


def alternative(stage: Stage) -> Person:
    first = stage.propose(
        "Limit logins per address",
        write("greeter/ratelimit.py", "RATE = 5\nPER_SECONDS = 60\n"),
        edit("greeter/greeting.py", "Hello", "Welcome"),
        bash("python -m unittest -q"),
    )
    stage.propose("Say goodbye everywhere", write("bye.txt", "Bye\n"))
    branch = stage.tandem("branch", first["plan_id"])
    stage.tandem("drop", branch["plan_id"], "s3", "s1:+2")
    person = stage.open_on_plan()
    person.press(Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    person.wait(lambda: person.revision == 2)
    return person


def alternatives_compared(stage: Stage) -> Person:
    person = alternative(stage)
    person.wait(lambda: bool(person.place.panel.alternatives))
    person.click("banner-compare-origin")
    person.wait(lambda: person.place.panel.sheets.compare.list.count() > 0)
    return person


def merging(stage: Stage) -> Person:
    stage.propose("Greet warmly", edit("greeter/greeting.py", "Hello", "Welcome"))
    file = stage.workspace / "greeter" / "greeting.py"
    file.write_text(file.read_text().replace("Hello", "Good day") + "\n\nLIMIT = 5  # per minute\n")
    person = stage.open_on_plan()
    person.wait(lambda: bool(person.place.panel.page and person.place.panel.page.drifted))
    person.click("banner-merge")
    person.wait(lambda: person.sees("merge-back"))
    return person


def kept(stage: Stage) -> Person:
    """What was rehearsed before the window was opened."""
    plan = stage.propose("Say goodbye", write("bye.txt", "Hello\n"), bash("sed -i s/Hello/Bye/ bye.txt; echo done"))
    stage.tandem("rehearse", plan["plan_id"])
    person = stage.open_on_plan()
    person.wait(lambda: any(row.rehearsed is not None for row in rows(person)))
    return person


def rows(person: Person) -> list[OperationRow]:
    model = person.place.panel.model
    return [model.row(number) for number in range(model.rowCount())]


SCENES: dict[str, Callable[[Stage], Person]] = {
    "01-rehearsing": rehearsing,
    "02-rehearsed": rehearsed,
    "03-effects": effects,
    "04-doubtful": doubtful,
    "05-recorded": recorded,
    "06-approving": approving_recorded,
    "07-timeline": timeline,
    "08-undo-file": undoing_a_file,
    "09-going-back": going_back,
    "10-conflict": conflicting,
    "11-alternative": alternative,
    "12-alternatives-compared": alternatives_compared,
    "13-merging": merging,
    "14-kept-rehearsal": kept,
}
