"""Key bindings and the context menu of a diff view."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QMenu

from tandem_desktop.ui.diff.options import CONTEXTS, NEXT_WHITESPACE, WHITESPACE_LABELS, WHOLE_FILE
from tandem_desktop.ui.diff.rows import RowKind
from tandem_desktop.ui.diff.selection import line_of
from tandem_desktop.ui.i18n import tr, tr_marked
from tandem_desktop.ui.keys import LETTERS

if TYPE_CHECKING:
    from tandem_desktop.ui.diff.view import DiffView

_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
_PAGES = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
_SIDEWAYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


def key_action(view: "DiffView", event: QKeyEvent) -> Callable[[], object] | None:
    """The action a key is bound to; None leaves the key to the window."""
    key, modifiers = event.key(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    shift = modifiers == Qt.KeyboardModifier.ShiftModifier
    control = modifiers == Qt.KeyboardModifier.ControlModifier
    if control:
        return {
            Qt.Key.Key_C: view.copy,
            Qt.Key.Key_A: view.select_all,
            Qt.Key.Key_F: view.search.open,
            Qt.Key.Key_Home: lambda: view.set_current(0),
            Qt.Key.Key_End: lambda: view.set_current(len(view.rows) - 1),
        }.get(Qt.Key(key))
    if modifiers == Qt.KeyboardModifier.AltModifier:
        return (lambda: view.set_wrap(not view.wraps)) if key == Qt.Key.Key_Z else None
    if key == Qt.Key.Key_F7:
        return lambda: view.step_to_change(-1 if shift else 1)
    if key == Qt.Key.Key_F3:
        return lambda: view.search.step(-1 if shift else 1)
    if key == Qt.Key.Key_Escape:
        return _escape(view)
    if key in _STEPS or key in _PAGES:
        distance = _STEPS.get(Qt.Key(key)) or _PAGES[Qt.Key(key)] * _rows_per_page(view)
        return lambda: _move(view, distance, shift)
    if key in _SIDEWAYS:
        return lambda: _sideways(view, _SIDEWAYS[Qt.Key(key)], shift)
    if shift and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (fold := _fold_here(view)) is not None:
        return lambda: view.show_more(fold)
    if shift and key == Qt.Key.Key_X and view.single_letters:
        return view.drop_or_keep_lines
    if shift and key == Qt.Key.Key_W and view.single_letters:
        return lambda: view.set_ignores_space(not view.display.ignores_space)
    if modifiers:
        return None
    return _plain_action(view, Qt.Key(key))


def _plain_action(view: "DiffView", key: Qt.Key) -> Callable[[], object] | None:
    if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        return _enter(view)
    if key == Qt.Key.Key_Home:
        return lambda: view.horizontalScrollBar().setValue(0)
    if key == Qt.Key.Key_End:
        return lambda: view.horizontalScrollBar().setValue(view.horizontalScrollBar().maximum())
    if not view.single_letters:
        return None
    letter = chr(key).lower() if Qt.Key.Key_A <= key <= Qt.Key.Key_Z else ""
    return {
        "next-change": lambda: view.step_to_change(1),
        "previous-change": lambda: view.step_to_change(-1),
        "split": lambda: view.set_split(not view.is_split),
        "whitespace": lambda: view.set_whitespace(NEXT_WHITESPACE[view.whitespace]),
        "whole-file": view.toggle_whole_file,
        "as-text": view.read_as_text,
        "drop": view.drop_or_keep,
        "comment": view.request_comment,
        "open-file": view.open_file,
    }.get(LETTERS.get(letter, ""))


def _escape(view: "DiffView") -> Callable[[], object] | None:
    """None where there is neither a search nor a selection to end: then the window handles the key."""
    if view.search.bar.isVisible():
        return view.search.close
    if view.display.selection is not None:
        return view.unselect
    return None


def _enter(view: "DiffView") -> Callable[[], object] | None:
    index = view.display.current
    row = view.rows.row(index) if index >= 0 else None
    if row is None:
        return None
    if row.kind is RowKind.FOLD:
        return lambda: view.unfold_row(index)
    if row.kind is RowKind.COMMENT:
        return lambda: view.comment_chosen.emit(row.number)
    shown = [view.display.shown(row, pane) for pane in view.display.panes.panes]
    cut = [line.key for line in shown if line and line.styled.cut]
    if cut:
        return lambda: _open_lines(view, cut)
    return None


def _fold_here(view: "DiffView") -> int | None:
    row = view.rows.row(view.display.current) if view.display.current >= 0 else None
    return row.number if row is not None and row.kind is RowKind.FOLD and row.number >= 0 else None


def _open_lines(view: "DiffView", lines: list[tuple[bool, int]]) -> None:
    for line in lines:
        view.open_line(*line)


def _move(view: "DiffView", distance: int, extends: bool) -> None:
    start = view.display.current
    if start < 0:
        start = (view.row_at(0) or 0) - (1 if distance > 0 else 0)
    view.set_current(start + distance, extends=extends)


def _rows_per_page(view: "DiffView") -> int:
    return max(1, view.position.page_height // view.display.panes.line - 1)


def _sideways(view: "DiffView", direction: int, extends: bool) -> None:
    if not extends:
        bar = view.horizontalScrollBar()
        bar.setValue(bar.value() + direction * bar.singleStep())
        return
    selection = view.display.selection or view.selection_at(max(0, view.display.current))
    line = line_of(view.rows.row(selection.head.row), selection.is_old)
    length = len(view.display.styles.line(*line).text) if line else 0
    column = max(0, min(length, selection.head.column + direction))
    view.display.selection = selection._replace(head=selection.head._replace(column=column))
    view.viewport().update()


def context_menu(view: "DiffView") -> QMenu:
    """All actions of the view, with their keys."""
    menu = QMenu(view)
    hunk, offers = view.current_hunk, view.display.offers
    if hunk and hunk in view.display.dropped and "keep" in offers:
        menu.addAction(tr("Keep this change") + "\tX", lambda: view.request("keep", hunk))
    elif hunk and "drop" in offers:
        menu.addAction(tr("Drop this change") + "\tX", lambda: view.request("drop", hunk))
    if any(view.marked_changes) and "drop" in offers:
        menu.addAction(tr("Drop or keep these lines") + "\tShift+X", view.drop_or_keep_lines)
    if "comment" in offers and len(view.rows):
        menu.addAction(tr("Comment") + "\tC", view.request_comment)
    if hunk and offers:
        menu.addSeparator()
    _add_copy_actions(menu, view)
    menu.addAction(tr("Open in editor") + "\tO", view.open_file)
    menu.addAction(tr("Search") + "\tCtrl+F", view.search.open)
    menu.addSeparator()
    _add_view_actions(menu, view)
    return menu


def _add_copy_actions(menu: QMenu, view: "DiffView") -> None:
    menu.addAction(tr("Copy") + "\tCtrl+C", view.copy).setEnabled(bool(view.selected_text()))
    hunk = view.current_hunk
    texts = (
        (tr("Copy the path"), view.diff.path),
        (tr("Copy this change as a patch"), view.patch(hunk) if hunk else ""),
        (tr("Copy the patch of this file"), view.patch()),
    )
    for label, text in texts:
        menu.addAction(label, partial(QApplication.clipboard().setText, text)).setEnabled(bool(text))


def _add_view_actions(menu: QMenu, view: "DiffView") -> None:
    menu.addAction(tr("Next change") + "\tN", partial(view.step_to_change, 1))
    menu.addAction(tr("Previous change") + "\tP", partial(view.step_to_change, -1))
    context = view.options.context
    around = menu.addMenu(tr("Lines around changes"))
    for lines, label in CONTEXTS:
        action = around.addAction(tr_marked(label), partial(view.set_context, lines))
        action.setCheckable(True)
        action.setChecked(lines == context)
    whole = tr("Only the changes") if context == WHOLE_FILE else tr("The whole file")
    menu.addAction(f"{whole}\tF", view.toggle_whole_file)
    menu.addAction(tr("Read as text") + "\tT", view.read_as_text)
    if view.leave_lines is not None:
        menu.addAction(tr("Show as something else than lines") + "\tB", view.leave_lines)
    other = tr("One column") if view.is_split else tr("Side by side")
    menu.addAction(f"{other}\tV", lambda: view.set_split(not view.is_split))
    menu.addAction(tr("Wrap long lines") + "\tAlt+Z", lambda: view.set_wrap(not view.wraps))
    ignores = view.display.ignores_space
    words = tr("Show changes of white space") if ignores else tr("Ignore white space")
    menu.addAction(words + "\tShift+W", lambda: view.set_ignores_space(not ignores))
    following = NEXT_WHITESPACE[view.whitespace]
    menu.addAction(f"{WHITESPACE_LABELS[following]}\tW", lambda: view.set_whitespace(following))
