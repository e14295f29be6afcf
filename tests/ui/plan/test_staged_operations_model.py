from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.ui.models.operation_filter import Listing, OperationFilter, Sorting
from tandem_desktop.ui.models.operations import StagedOperationsModel
from tests.support.builders import a_command, a_write
from tests.ui.plan.pages import many, the_operations, viewed

Id = OperationId


def ids(model: StagedOperationsModel) -> list[str]:
    return [model.row(number).operation.id for number in range(model.rowCount())]


def a_model() -> StagedOperationsModel:
    model = StagedOperationsModel()
    model.show(the_operations()[0])
    return model


def test_keeps_qts_promises_while_operations_arrive_go_and_are_filtered(
    qtmodeltester: ModelTester, qtbot: QtBot
) -> None:
    model = StagedOperationsModel()
    qtmodeltester.check(model)
    views = the_operations()[0]
    with qtbot.waitSignal(model.rowsInserted):
        model.put(views[0])
    model.show(views)
    model.remove(Id("s2"))
    model.set_listing(Listing.of(OperationFilter.CREATED, text="app", sorting=Sorting.PATH))
    model.set_viewed((Id("s1"),))
    model.set_expanded(Id("s1"), True)
    model.set_result(OperationResult(id=Id("s3"), status=ResultStatus.RUNNING))
    model.clear()


def test_a_row_is_named_by_what_it_does(qtbot: QtBot) -> None:
    model = a_model()
    assert model.index(0).data() == "create app/ratelimit.py"
    assert model.index(4).data().startswith("run pytest -q")


def test_viewed_survives_a_revision_only_for_operations_that_do_the_same(qtbot: QtBot) -> None:
    before = (
        viewed(a_write("a.py", b"1\n", id="s1"), b"", b"1\n"),
        viewed(a_write("b.py", b"1\n", id="s2"), b"", b"1\n"),
    )
    after = (before[0], viewed(a_write("b.py", b"2\n", id="s2"), b"", b"2\n"))
    model = StagedOperationsModel()
    model.show(before)
    model.set_viewed((Id("s1"), Id("s2")))
    model.show(after)
    assert model.viewed == {"s1"}


def test_words_about_an_operation_do_not_make_it_unviewed(qtbot: QtBot) -> None:
    model = StagedOperationsModel()
    model.show((viewed(a_write("a.py", b"1\n", description="first"), b"", b"1\n"),))
    model.set_viewed((Id("s1"),))
    model.show((viewed(a_write("a.py", b"1\n", description="second"), b"", b"1\n"),))
    assert model.viewed == {"s1"}


def test_rows_that_stay_are_not_reset_when_more_arrive(qtbot: QtBot) -> None:
    views = many(20)
    model = StagedOperationsModel()
    model.show(views[:5])
    with qtbot.assertNotEmitted(model.modelReset):
        model.show(views)
    assert model.rowCount() == 20


def test_the_filter_finds_paths_commands_kinds_and_words(qtbot: QtBot) -> None:
    model = a_model()
    for text, found in (("AUTH", ["s2", "s5"]), ("pytest", ["s5"]), ("delete", ["s6"]), ("token bucket", ["s1"])):
        model.set_listing(Listing(text=text))
        assert ids(model) == found
    model.set_listing(Listing.of(OperationFilter.COMMANDS))
    assert ids(model) == ["s5"]
    model.set_listing(Listing.of(OperationFilter.FLAGGED))
    assert ids(model) == ["s5"]


def test_another_order_is_a_view_and_cannot_be_changed(qtbot: QtBot) -> None:
    model = a_model()
    assert model.is_plan_order
    model.set_listing(Listing(sorting=Sorting.LARGEST))
    assert ids(model)[0] == "s1"
    assert not model.is_plan_order
    model.set_listing(Listing(text="settings"))
    assert not model.is_plan_order


def test_a_row_keeps_its_place_in_the_plan_whatever_is_listed(qtbot: QtBot) -> None:
    model = a_model()
    model.set_listing(Listing(text="pytest"))
    assert model.row(0).position == 4


def test_a_viewed_operation_leaves_the_list_of_those_not_viewed(qtbot: QtBot) -> None:
    model = a_model()
    model.set_viewed((Id("s1"), Id("s2")))
    model.set_listing(Listing.of(OperationFilter.NOT_VIEWED))
    assert ids(model) == ["s3", "s4", "s5", "s6"]


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1), st.integers(0, n))))
def test_moving_a_row_names_every_operation_once_and_puts_it_before_the_row_it_was_dropped_on(
    case: tuple[int, int, int],
) -> None:
    count, row, before = case
    model = StagedOperationsModel()
    model.show(many(count))
    old = [f"m{number}" for number in range(count)]
    new = list(model.order_after_moving(row, before))
    assert sorted(new) == sorted(old)
    following = new[new.index(old[row]) + 1 :]
    expected = [each for each in old[before:] if each != old[row]]
    assert following == expected


def test_a_screen_reader_hears_flags_and_whether_it_was_viewed(qtbot: QtBot) -> None:
    from PySide6.QtCore import Qt

    model = StagedOperationsModel()
    model.show((viewed(a_command("make", id="s1")),))
    spoken = model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "Command, effects cannot be undone" in spoken
    assert "not viewed" in spoken


def test_changed_lines_of_all_files_are_searched_and_each_says_how_many(qtbot: QtBot) -> None:
    model = a_model()
    text = "limiter"
    expected = {}
    for view in model.views():
        lines = [line.raw for hunk in view.hunks for line in hunk.lines if line.kind != " "]
        if found := sum(text in line.decode().lower() for line in lines):
            expected[view.operation.id] = f"{found} found"
    model.set_listing(Listing(text=text, in_lines=True))
    rows = [model.row(number) for number in range(model.rowCount())]
    assert expected
    assert {row.operation.id: row.change for row in rows} == expected
    model.set_listing(Listing())
    assert {model.row(number).change for number in range(model.rowCount())} == {""}


def test_the_changed_lines_of_an_opened_row_are_in_the_tree_of_screen_readers(qtbot: QtBot) -> None:
    model = a_model()
    row = next(at for at, view in enumerate(model.views()) if view.hunks)
    role = Qt.ItemDataRole.AccessibleDescriptionRole
    assert model.index(row).data(role) == ""
    model.set_expanded(model.views()[row].operation.id, True)
    told = model.index(row).data(role).splitlines()
    changed = [line for hunk in model.views()[row].hunks for line in hunk.lines if line.kind != " "]
    assert told[0].startswith("Change 1 of")
    assert len([line for line in told if line.startswith(("added ", "removed "))]) == len(changed)
