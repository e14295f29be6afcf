"""Text first, then the comparison, its colours and its marks, all from another thread."""

from pytestqt.qtbot import QtBot

from tandem_desktop.diff.hunks import hunks
from tandem_desktop.ui.diff.loader import DiffLoader
from tandem_desktop.ui.diff.view import DiffView
from tests.ui.diff.samples import AUTH_AFTER, AUTH_BEFORE


def test_the_text_is_there_before_the_comparison(qtbot: QtBot, view: DiffView, loader: DiffLoader) -> None:
    loader.show("a.py", AUTH_BEFORE, AUTH_AFTER)
    assert view.diff.is_preview
    assert view.row_text(0) == "Comparing…"
    assert view.diff.new.line(0) == "from fastapi import APIRouter"
    qtbot.waitUntil(lambda: not view.diff.is_preview)
    assert len(view.diff.hunks) == 2


def test_colours_and_marks_arrive(qtbot: QtBot, view: DiffView, loader: DiffLoader) -> None:
    with qtbot.waitSignal(loader.coloured):
        loader.show("a.py", AUTH_BEFORE, AUTH_AFTER)
    tokens = {piece.token for piece in view.display.styles.line(False, 20).pieces}
    assert tokens >= {"syntax_keyword", "syntax_function"}
    qtbot.waitUntil(lambda: view.display.styles.knows((19, 20)))
    marked = view.display.styles.marks((19, 20), False)
    assert [view.diff.new.line(20)[a:b] for a, b in marked] == [", request: Request"]


def test_of_two_files_asked_for_the_last_one_stays(qtbot: QtBot, view: DiffView, loader: DiffLoader) -> None:
    loader.show("first.py", b"a\n", b"b\n")
    loader.show("second.py", b"c\n", b"d\n")
    with qtbot.waitSignal(loader.coloured):
        pass
    assert view.diff.path == "second.py"
    assert not view.diff.is_preview


def test_hunks_that_are_known_are_not_computed_again(qtbot: QtBot, view: DiffView, loader: DiffLoader) -> None:
    known = hunks(AUTH_BEFORE, AUTH_AFTER)
    with qtbot.waitSignal(loader.ready):
        loader.show("a.py", AUTH_BEFORE, AUTH_AFTER, known_hunks=known)
    assert all(one is other for one, other in zip(view.diff.hunks, known, strict=True))
