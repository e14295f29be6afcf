"""Several revisions of one plan: what is new to the person is marked, any two are compared, any one comes back."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QMenu

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import FileState, StagedOperation
from tandem_desktop.domain.plan import Origin, PlanStatus
from tandem_desktop.ui.plan.since_looked import WORDS
from tests.ui.window.driver import Person


@pytest.fixture
def person(window: Person) -> Person:
    """Somebody who has viewed both operations of a plan."""
    window.click("segmented-mode-plan")
    window.ask("/replace Hello Goodbye")
    window.wait(lambda: window.status is PlanStatus.PROPOSED)
    listed = window.place.panel.operations.list
    listed.setFocus()
    window.press(Qt.Key.Key_Home)
    window.press(Qt.Key.Key_Space)
    window.press(Qt.Key.Key_J)
    window.press(Qt.Key.Key_Space)
    window.wait(lambda: len(window.place.panel.model.viewed) == 2)
    return window


def reworked(person: Person, path: str, content: bytes) -> None:
    """The agent answers with other operation ids in another order, and another content for one file."""
    engine = person.place.workroom.engine
    page = person.place.panel.page
    assert page is not None
    sha = engine.objects.put(content)

    def changed(operation: StagedOperation) -> StagedOperation:
        update: dict[str, object] = {"id": OperationId(f"new-{operation.id}")}
        if operation.path == path and isinstance(operation.after, FileState):
            update["after"] = operation.after.model_copy(update={"sha256": sha, "size": len(content)})
        return operation.model_copy(update=update)

    operations = tuple(map(changed, reversed(page.version.operations)))
    latest = page.version.revision
    update = {"operations": operations, "parent_revision": latest, "origin": Origin.REWORK}
    engine.proposals.stage(page.version.model_copy(update=update))
    person.wait(lambda: person.revision == latest + 1)


def choose(person: Person, name: str, revision: int) -> None:
    box = person.find(name)
    assert isinstance(box, QComboBox)
    box.setFocus()
    while box.currentData() != revision:
        QTest.keyClick(box, Qt.Key.Key_Up if box.currentData() < revision else Qt.Key.Key_Down)
    box.activated.emit(box.currentIndex())


def listed(person: Person) -> list[str]:
    shown = person.place.panel.sheets.compare.list
    return [shown.item(row).text() for row in range(shown.count())]


def menu(person: Person) -> QMenu:
    person.click("plan-revision")
    return next(each for each in person.window.findChildren(QMenu, "plan-revision-menu") if each.isVisible())


def test_viewed_stays_where_nothing_changed_though_renumbered_and_what_changed_says_so(person: Person) -> None:
    reworked(person, "README.md", b"# Farewell\n")
    model = person.place.panel.model
    rows = {row.operation.path: row for row in map(model.row, range(model.rowCount()))}
    assert (rows["app.py"].viewed, rows["app.py"].change) == (True, "")
    assert (rows["README.md"].viewed, rows["README.md"].change) == (False, WORDS)
    person.place.open_plan(person.place.panel.page.version.plan_id)  # type: ignore[union-attr]
    person.wait(lambda: model.row(model.row_of(rows["README.md"].operation.id)).change == WORDS)


def test_any_two_revisions_are_compared_with_the_difference_of_what_they_leave(person: Person) -> None:
    reworked(person, "README.md", b"# Farewell\n")
    reworked(person, "app.py", b"print()\n")
    menu(person).actions()[-2].trigger()
    sheet = person.place.panel.sheets.compare
    person.wait(lambda: listed(person) == ["changed  app.py", "moved  README.md"])
    choose(person, "compare-earlier", 1)
    person.wait(lambda: sorted(listed(person)) == ["changed  README.md", "changed  app.py"])
    choose(person, "compare-later", 2)
    person.wait(lambda: listed(person)[:1] == ["changed  README.md"] and "moved" in listed(person)[-1])
    person.wait(lambda: bool(sheet.diff.diff.hunks))
    assert (sheet.diff.diff.old.text, sheet.diff.diff.new.text) == ("# Goodbye\n\nSay Goodbye.", "# Farewell")


def test_earlier_revision_comes_back_as_a_new_one_from_the_picker(person: Person, workspace: Path) -> None:
    first = person.proposed("README.md")
    reworked(person, "README.md", b"# Farewell\n")
    older = menu(person).actions()[-1].menu()
    assert isinstance(older, QMenu)
    older.actions()[0].trigger()
    person.wait(lambda: person.revision == 3)
    assert person.proposed("README.md") == first
