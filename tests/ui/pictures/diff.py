"""The diff in every state a reviewer meets: split, one column, folded, wrapped, and what is said in words."""

import struct
from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.domain.operations import FileState
from tandem_desktop.ui.diff.model import FileDiff, build_file_diff
from tandem_desktop.ui.diff.rows import InlineComment
from tandem_desktop.ui.diff.special import node_notes
from tandem_desktop.ui.diff.styles import lex, marks_of
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.theme.theme import Theme
from tests.ui.diff.samples import AUTH_AFTER, AUTH_BEFORE, a_long_edit

WIDE, NARROW = 760, 520


def pictures(app: QApplication, theme: Theme) -> Iterator[tuple[str, QWidget]]:
    auth = build_file_diff("app/routes/auth.py", AUTH_BEFORE, AUTH_AFTER)
    yield "diff-split", _view(app, theme, auth, height=300, shape=_with_comment)
    yield "diff-unified", _view(app, theme, auth, height=340, shape=lambda view: view.set_split(False))
    yield "diff-narrow", _view(app, theme, auth, width=NARROW, height=340)
    yield "diff-dropped", _view(app, theme, auth, height=260, shape=lambda view: view.set_dropped([1]))
    before, after = a_long_edit()
    yield "diff-folded", _view(app, theme, build_file_diff("app/long.py", before, after), width=1000, height=620)
    yield (
        "diff-search",
        _view(app, theme, build_file_diff("a.py", before, after), width=1000, height=300, shape=_search),
    )
    yield "diff-whitespace", _view(app, theme, _whitespace(), height=160)
    yield "diff-long-line", _view(app, theme, _long_line(), height=160)
    yield "diff-wrap", _view(app, theme, _wrapped(), height=260, shape=lambda view: view.set_wrap(True))
    yield "diff-line-ends", _view(app, theme, _line_ends(), height=200)
    yield "diff-binary", _view(app, theme, build_file_diff("data.bin", b"\0\1\2" * 50, b"\0\1\3" * 70), height=100)
    yield (
        "diff-image",
        _view(app, theme, build_file_diff("logo.png", _png(640, 480, 900), _png(800, 600, 1400)), height=80),
    )
    yield "diff-hidden", _view(app, theme, _hidden(), height=280)
    yield "diff-mode", _view(app, theme, _mode(), height=60)
    yield "diff-scripts", _view(app, theme, _scripts(), height=220)


def _view(
    app: QApplication,
    theme: Theme,
    diff: FileDiff,
    *,
    width: int = WIDE,
    height: int = 300,
    shape: Callable[[DiffView], object] = lambda view: None,
) -> DiffView:
    view = DiffView(theme)
    view.resize(round(width * theme.zoom), round(height * theme.zoom))

    def mark(pairs: tuple[tuple[int, int], ...]) -> None:
        view.add_marks({(a, b): marks_of(diff.old.line(a), diff.new.line(b)) for a, b in pairs})

    view.show()
    view.show_diff(diff)
    for is_old, side in ((True, diff.old), (False, diff.new)):
        for spans in lex(diff.path, side, view.yielding):
            view.add_spans(is_old, spans)
    shape(view)
    mark(tuple(sorted({row.pair for index in range(min(200, len(view.rows))) if (row := view.rows.row(index)).pair})))
    app.processEvents()
    return view


def _with_comment(view: DiffView) -> None:
    view.set_comments([InlineComment(22, "This changes who may log in. Keep the plan to rate limiting.")])


def _search(view: DiffView) -> None:
    view.search.open()
    view._bar.field.setText("value")


def _whitespace() -> FileDiff:
    before = b"def total(items):\n    return sum(items)\n\n\nname = 'a b'\n"
    after = b"def total(items):\n\treturn sum(items)   \n\n\nname = 'a  b'\n"
    return build_file_diff("a.py", before, after)


def _long_line() -> FileDiff:
    start = b"const data = [" + b"0123456789, " * 90_000
    return build_file_diff("a.js", b"let a = 1;\n" + start + b"1];\n", b"let a = 1;\n" + start + b"2];\nlet b = 2;\n")


def _wrapped() -> FileDiff:
    long = "The quick brown fox jumps over the lazy dog and then goes home to write about it at some length, "
    before = f"# Title\n\n{long * 2}which nobody reads.\n\nEnd\n"
    return build_file_diff("README.md", before.encode(), before.replace("nobody", "everybody").encode())


def _line_ends() -> FileDiff:
    before = b"[server]\nport = 8080\nhost = localhost"
    return build_file_diff("a.ini", before, before.replace(b"\n", b"\r\n") + b"\r\n")


def _hidden() -> FileDiff:
    before = "def check(user):\n    if user.is_admin:\n        return True\n"
    after = "def check(user):\n    if user.is_admin: # \u202e\u2066 only\u2069\n        return True\n"
    after += "    \u0455udo = 1\n    zero = '\u200b'\n"
    return build_file_diff("check.py", before.encode(), after.encode())


def _mode() -> FileDiff:
    digest = "0" * 64
    notes = node_notes(
        FileState(sha256=digest, size=3, mode=0o644), FileState(sha256=digest, size=3, mode=0o755), "run.sh"
    )
    return build_file_diff("run.sh", b"ls\n", b"ls\n", notes=notes)


def _scripts() -> FileDiff:
    before = "greeting = '你好，世界' # comment\nname = 'Grüße, мир'\nrtl = 'שלום עולם'\nemoji = '🎉 done'\n"
    after = before.replace("世界", "地球").replace("мир", "свет").replace("done", "ready")
    return build_file_diff("greet.py", before.encode(), after.encode())


def _png(width: int, height: int, size: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", width, height) + bytes(size)
