import random

from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.agent_protocol import EntryKind, ToolCallStatus, ToolKind
from tandem_desktop.ui.models.transcript import TranscriptModel
from tests.ui.chat import talk


def numbers(model: TranscriptModel) -> list[list[int]]:
    return [[entry.number for entry in row.entries] for row in model.rows]


def test_model_keeps_qts_promises_while_entries_come_and_grow(qtmodeltester: ModelTester) -> None:
    model = TranscriptModel()
    qtmodeltester.check(model)
    chance = random.Random(3)
    kinds = [EntryKind.PERSON, EntryKind.AGENT, EntryKind.NOTE]
    for number in range(1, 60):
        entry = (
            talk.read(number, f"{number}.py")
            if chance.random() < 0.4
            else talk.said(number, "words", chance.choice(kinds))
        )
        model.put(entry)
        grown = model.entry(chance.randint(1, number))
        assert grown is not None
        model.put(grown.model_copy(update={"text": grown.text + "more"}))
    assert sorted(n for row in numbers(model) for n in row) == list(range(1, 60))


def test_a_later_value_with_the_same_number_replaces_the_entry(qtbot: QtBot) -> None:
    model = TranscriptModel()
    model.put(talk.said(1, "Hel"))
    with qtbot.waitSignal(model.dataChanged):
        model.put(talk.said(1, "Hello"))
    assert model.rowCount() == 1
    assert model.index(0).data() == "Agent: Hello"


def test_files_read_one_after_the_other_share_a_row() -> None:
    model = TranscriptModel()
    model.set_entries(talk.review())
    assert numbers(model)[2] == [3, 4, 5, 6, 7]
    assert model.index(2).data() == "read app/routes/auth.py and 4 more"


def test_a_read_that_fails_stands_for_itself_again() -> None:
    model = TranscriptModel()
    for number in (1, 2, 3):
        model.put(talk.read(number, f"{number}.py"))
    model.put(talk.used(2, ToolKind.READ, paths=("2.py",), status=ToolCallStatus.FAILED, output="No such file"))
    assert numbers(model) == [[1], [2], [3]]


def test_entries_set_aside_stay_in_one_row_when_they_are_told_again() -> None:
    model = TranscriptModel()
    aside = [talk.said(number, "words").model_copy(update={"set_aside": True}) for number in (2, 3, 4)]
    model.set_entries([talk.said(1, "words"), *aside])
    for entry in aside:
        model.put(entry)
    assert numbers(model) == [[1], [2, 3, 4]]


def test_rows_made_one_by_one_are_the_rows_made_at_once() -> None:
    at_once, one_by_one = TranscriptModel(), TranscriptModel()
    at_once.set_entries(talk.review())
    for entry in talk.review():
        one_by_one.put(entry)
    assert at_once.rows == one_by_one.rows


def test_a_plan_and_the_run_that_follows_it_are_one_row_and_another_run_is_not() -> None:
    model = TranscriptModel()
    model.put(talk.said(1, "", EntryKind.PLAN, plan_id=talk.PLAN, revision=1))
    model.put(talk.said(2, "1 of 1 operations done", EntryKind.NOTE, plan_id=talk.PLAN, run_id=talk.RUN))
    model.put(talk.said(3, "undone", EntryKind.NOTE, plan_id=talk.PLAN, run_id=talk.RUN))
    assert numbers(model) == [[1, 2], [3]]
    assert model.row(0).kind is EntryKind.NOTE
    model.put(talk.said(1, "", EntryKind.PLAN, plan_id=talk.PLAN, revision=2))
    assert numbers(model) == [[1, 2], [3]]


def test_problem_is_past_once_the_person_has_written_again() -> None:
    model = TranscriptModel()
    model.set_entries([talk.said(1, "words", EntryKind.PERSON), talk.said(2, "No model", EntryKind.PROBLEM)])
    assert not model.row(1).is_past
    model.put(talk.said(3, "again", EntryKind.PERSON))
    model.put(talk.said(4, "Connection error", EntryKind.PROBLEM))
    assert [model.row(place).is_past for place in (1, 3)] == [True, False]
    model.set_entries([model.row(place).last for place in range(4)])
    assert [model.row(place).is_past for place in (1, 3)] == [True, False]
