"""What can be done with a diff that is only read: copy from it, see more of it, see it otherwise."""

from functools import partial

from PySide6.QtWidgets import QApplication, QMenu

from tandem_desktop.ui.diff.diff_reader import DiffReader
from tandem_desktop.ui.diff.look import NEXT_WHITESPACE, WHITESPACE_WORDS
from tandem_desktop.ui.diff.reading import CONTEXTS, WHOLE_FILE
from tandem_desktop.ui.words import tr, tr_marked


def add_copying(menu: QMenu, reader: DiffReader) -> None:
    """Marked text, the path, and patches where there can be one."""
    menu.addAction(tr("Copy") + "\tCtrl+C", reader.copy).setEnabled(bool(reader.selected_text()))
    hunk = reader.current_hunk
    texts = (
        (tr("Copy the path"), reader.diff.path),
        (tr("Copy this change as a patch"), reader.patch(hunk) if hunk else ""),
        (tr("Copy the patch of this file"), reader.patch()),
    )
    for words, text in texts:
        menu.addAction(words, partial(QApplication.clipboard().setText, text)).setEnabled(bool(text))


def add_reading(menu: QMenu, reader: DiffReader) -> None:
    """Where in it, and how it is looked at."""
    menu.addAction(tr("Next change") + "\tN", partial(reader.step_to_change, 1))
    menu.addAction(tr("Previous change") + "\tP", partial(reader.step_to_change, -1))
    context = reader.reading.context
    around = menu.addMenu(tr("Lines around changes"))
    for lines, words in CONTEXTS:
        action = around.addAction(tr_marked(words), partial(reader.set_context, lines))
        action.setCheckable(True)
        action.setChecked(lines == context)
    whole = tr("Only the changes") if context == WHOLE_FILE else tr("The whole file")
    menu.addAction(f"{whole}\tF", reader.toggle_whole_file)
    menu.addAction(tr("Read as text") + "\tT", reader.read_as_text)
    other = tr("One column") if reader.is_split else tr("Side by side")
    menu.addAction(f"{other}\tV", lambda: reader.set_split(not reader.is_split))
    menu.addAction(tr("Wrap long lines") + "\tAlt+Z", lambda: reader.set_wrap(not reader.wraps))
    following = NEXT_WHITESPACE[reader.whitespace]
    menu.addAction(f"{WHITESPACE_WORDS[following]}\tW", lambda: reader.set_whitespace(following))
