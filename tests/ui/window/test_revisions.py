"""Several revisions of one plan: what is new to the person is marked, any two are compared, any one comes back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QMenu

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import FileState, StagedOperation
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.review.choices import Drop
from tandem_desktop.services.engine import Engine
from tandem_desktop.ui.plan.viewed import WORDS
from tests.ui.window.conftest import REPLACE
from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")


@pytest.fixture
def person(window: Person) -> Person:
    """Somebody who has viewed both operations of a plan."""
    window.ask(REPLACE)
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
    page = person.place.panel.page
    assert page is not None
    rework(person.place.background.engine, page.version, path, content)
    person.wait(lambda: person.revision == page.version.revision + 1)


def rework(engine: Engine, version: PlanVersion, path: str, content: bytes) -> None:
    sha = engine.objects.put(content)

    def changed(operation: StagedOperation) -> StagedOperation:
        update: dict[str, object] = {"id": OperationId(f"new-{operation.id}")}
        if operation.path == path and isinstance(operation.after, FileState):
            update["after"] = operation.after.model_copy(update={"sha256": sha, "size": len(content)})
        return operation.model_copy(update=update)

    operations = tuple(map(changed, reversed(version.operations)))
    update = {"operations": operations, "parent_revision": version.revision, "origin": Origin.REWORK}
    engine.proposals.stage(version.model_copy(update=update))


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


def take(person: Person, words: str, below: str = "") -> None:
    """An entry of the menu of revisions, or of the menu it leads to."""
    opened = menu(person)
    entry = _entry(opened, words)
    (_entry(entry.menu(), below) if below else entry).trigger()
    opened.close()
    person.wait(lambda: not opened.isVisible())


def _entry(opened: QObject, words: str) -> QAction:
    assert isinstance(opened, QMenu)
    return next(each for each in opened.actions() if each.text().startswith(words))


def test_viewed_stays_where_nothing_changed_though_renumbered_and_what_changed_says_so(person: Person) -> None:
    reworked(person, "README.md", b"# Farewell\n")
    model = person.place.panel.model
    rows = {row.operation.path: row for row in map(model.row, range(model.rowCount()))}
    assert (rows["app.py"].viewed, rows["app.py"].change) == (True, "")
    assert (rows["README.md"].viewed, rows["README.md"].change) == (False, WORDS)
    person.place.open_plan(person.place.panel.page.version.plan_id)  # type: ignore[union-attr]
    person.wait(lambda: model.row(model.row_of(rows["README.md"].operation.id)).change == WORDS)


def test_what_changed_since_one_looked_is_marked_after_a_restart_until_it_is_viewed(
    person: Person, workspace: Path, open_window: Callable[..., Person]
) -> None:
    seen = person.place.panel.page.version  # type: ignore[union-attr]
    person.leave()
    engine = build_engine(workspace)
    rework(engine, seen, "README.md", b"# Farewell\n")
    engine.proposals.drop(seen.plan_id, [Drop.parse("new-s1" if seen.operations[0].path == "app.py" else "new-s2")])
    engine.close()
    again = open_window()
    again.wait(lambda: again.revision == 3 and again.place.panel.model.row(0).change == WORDS)
    again.leave()
    last = open_window()
    last.wait(lambda: last.place.panel.model.rowCount() == 1 and last.place.panel.model.row(0).change == WORDS)
    last.place.panel.operations.list.setFocus()
    last.press(Qt.Key.Key_Home)
    last.press(Qt.Key.Key_Space)
    last.wait(lambda: last.place.panel.model.row(0).viewed)
    assert last.place.state.of("looked", seen.plan_id)["changed"] == []


def test_any_two_revisions_are_compared_with_the_difference_of_what_they_leave(person: Person) -> None:
    reworked(person, "README.md", b"# Farewell\n")
    reworked(person, "app.py", b"print()\n")
    take(person, "Compare any two")
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
    take(person, "Go back to", "r1")
    person.wait(lambda: person.revision == 3)
    assert person.proposed("README.md") == first


def test_an_alternative_is_branched_changed_compared_and_applied_while_the_first_gives_way(
    person: Person, workspace: Path
) -> None:
    first = person.place.panel.page.version  # type: ignore[union-attr]
    take(person, "Duplicate as alternative")
    person.wait(lambda: person.place.panel.page.version.plan_id != first.plan_id)  # type: ignore[union-attr]
    branch = person.place.panel.page.version  # type: ignore[union-attr]
    reworked(person, "README.md", b"# Farewell\n")
    model = person.place.plans
    every = [model.index(row).data(model.RowRole) for row in range(model.rowCount())]
    rows = [row for row in every if row.plan is not None]
    assert [(row.plan.plan_id, row.is_below) for row in rows] == [(first.plan_id, False), (branch.plan_id, True)]
    assert rows[1].subtitle.endswith("alternative to r1")

    take(person, "Compare any two")
    plans = person.find("compare-plan")
    assert isinstance(plans, QComboBox)
    plans.setFocus()
    QTest.keyClick(plans, Qt.Key.Key_Down)
    plans.activated.emit(plans.currentIndex())
    sheet = person.place.panel.sheets.compare
    person.wait(lambda: listed(person)[:1] == ["changed  README.md"] and bool(sheet.diff.diff.hunks))
    assert (sheet.diff.diff.old.text, sheet.diff.diff.new.text) == ("# Goodbye\n\nSay Goodbye.", "# Farewell")
    person.click("compare-back")

    person.click("plan-action-approve")
    person.wait(lambda: person.sees("approval-implement"))
    person.click("approval-implement")
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    assert (workspace / "README.md").read_bytes() == b"# Farewell\n"
    plans_now = person.place.background.engine.plans
    person.wait(lambda: plans_now.meta(first.plan_id).status is PlanStatus.SUPERSEDED)


def test_the_palette_branches_the_revision_on_screen(person: Person) -> None:
    reworked(person, "README.md", b"# Farewell\n")
    first = person.place.panel.page.version.plan_id  # type: ignore[union-attr]
    person.place.open_plan(first, 1)
    person.wait(lambda: person.revision == 1)
    person.command("Duplicate as alternative")
    person.wait(lambda: person.place.panel.page.version.plan_id != first)  # type: ignore[union-attr]
    page = person.place.panel.page
    assert page is not None
    assert page.meta.branched_from is not None
    assert (page.meta.branched_from.plan_id, page.meta.branched_from.revision) == (first, 1)
