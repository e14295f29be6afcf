"""Sentences in the person's language, with values in them."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QApplication

from tandem_desktop.domain.advice import RiskLevel
from tandem_desktop.domain.perspectives import Effort, Role
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import ResultStatus, RunKind, RunStatus
from tandem_desktop.domain.tasks import TaskStatus
from tandem_desktop.staging.hazards import Hazard
from tandem_desktop.ui.i18n import later, some_of, tr, tr_marked, tr_n, tr_table
from tandem_desktop.ui.models import operation_filter, tasks
from tandem_desktop.ui.perspectives import tab
from tandem_desktop.ui.plan import wording
from tests.support.builders import a_write

LANGUAGE = {
    "Revision {number}": "Überarbeitung {number}",
    "{n} files": "{n} Dateien",
    "Reviewing": "In Durchsicht",
    "{names} and {n} more": "{names} und {n} weitere",
    "Kept in {folder}": "Liegt in {ordner}",
}


class Translator(QTranslator):
    def translate(self, context: str, source: str, disambiguation: str = "", n: int = -1) -> str | None:
        return LANGUAGE.get(source) if context == "Tandem" else None


@pytest.fixture
def translated(qapp: QApplication) -> Iterator[None]:
    translator = Translator()
    QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


def test_a_sentence_without_a_catalogue_stays_as_it_was_written() -> None:
    assert tr("Revision {number}", number=3) == "Revision 3"
    assert [tr_n("{n} file", "{n} files", number) for number in (0, 1, 1200)] == ["0 files", "1 file", "1,200 files"]
    assert some_of(("a.py", "b.py", "c.py"), 2) == "a.py, b.py and 1 more"
    assert some_of(("a.py", "b.py"), 2) == "a.py, b.py"


@pytest.mark.parametrize("value", ["{number}", "{", "}}", "{0}", "%n"])
def test_a_value_with_braces_is_shown_as_it_is(value: str) -> None:
    assert tr("Kept in {folder}", folder=value) == f"Kept in {value}"


def test_braces_of_a_sentence_without_values_are_its_own() -> None:
    assert tr("editor = 'code -g {path}:{line}'") == "editor = 'code -g {path}:{line}'"


TABLES = (
    *((wording.STATUSES, PlanStatus), (wording.RESULTS, ResultStatus)),
    *((wording.RUNS, RunStatus), (wording.RUN_KINDS, RunKind), (wording.FLAGS, Hazard)),
    *((tasks.STATUSES, TaskStatus), (tab.ROLES, Role), (tab.EFFORTS, Effort)),
    *((tab.RISKS, RiskLevel), (operation_filter.FILTER_LABELS, operation_filter.OperationFilter)),
)


def test_the_window_has_a_word_of_its_own_for_everything_the_core_names() -> None:
    assert [(each, table) for table, named in TABLES for each in named if each not in table] == []


@pytest.mark.usefixtures("translated")
def test_what_was_marked_before_the_language_was_known_is_translated_when_it_is_said() -> None:
    table = tr_table({"proposed": "Reviewing"})
    assert tr_marked(later("Reviewing")) == table["proposed"] == table.get("proposed") == "In Durchsicht"
    assert tr_marked("") == ""


@pytest.mark.usefixtures("translated")
def test_values_and_numbers_stand_where_the_language_wants_them() -> None:
    assert tr("Revision {number}", number=3) == "Überarbeitung 3"
    assert tr_n("{n} file", "{n} files", 1200) == "1,200 Dateien"
    assert some_of(("a.py", "b.py", "c.py"), 2) == "a.py, b.py und 1 weitere"


@pytest.mark.usefixtures("translated")
def test_a_catalogue_that_names_an_unknown_place_gives_way_to_english() -> None:
    assert tr("Kept in {folder}", folder="/home") == "Kept in /home"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("app/cli.py", ""),
        ("Edit app/cli.py", ""),
        ("write ./cli.py", ""),
        ("Edit the parser in app/cli.py", "Edit the parser in app/cli.py"),
        ("Explain app/cli.py", "Explain app/cli.py"),
    ],
)
def test_name_of_tool_and_path_alone_is_not_shown_as_what_the_agent_says(said: str, shown: str) -> None:
    operation = a_write("app/cli.py", b"x", description=said)
    assert wording.agent_reason(operation) == shown
