"""Review in depth: a rehearsal on its way, what came of it, and the timeline of runs with its ways back."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.ui.models.operation_row import OperationRow
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
    person.click("plan-action-execute_plan")
    person.wait(lambda: person.sees("approval-back"))
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
}
