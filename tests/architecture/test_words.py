"""Whatever the window says goes through the catalogue: no sentence can be forgotten, halved or put together."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

from tests.support.catalogue import FOLDER, ROOT, TEMPLATE, catalogue, sentences, sources

MARKS = ("tr", "tr_n", "tr_marked", "later", "tr_table")
SINKS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("setText", "setToolTip", "setPlaceholderText", "setWindowTitle", "setTitle"), (0,)),
    **dict.fromkeys(("setAccessibleName", "setAccessibleDescription", "setStatusTip", "setSuffix"), (0,)),
    **dict.fromkeys(("QLabel", "QPushButton", "QCheckBox", "QAction", "addAction", "addItem", "addMenu"), (0,)),
    **dict.fromkeys(("plain_label", "plain_tooltip", "say", "show_state", "set_count"), (0,)),
    **dict.fromkeys(("announce", "Button", "PrimaryButton", "QuietButton", "DangerButton", "LinkButton"), (1,)),
    **dict.fromkeys(("SearchField", "Badge", "Chip", "ElidedLabel", "CodeBox"), (1,)),
    **dict.fromkeys(("IconButton", "CodeEdit", "Segmented", "set_progress"), (2,)),
    **dict.fromkeys(("set_message", "show_agent"), (1,)),
    **dict.fromkeys(("EmptyState",), (2, 3, 4)),
    **dict.fromkeys(("set_words",), (0, 1, 2, 3)),
}
"""Who is handed words, and at which place."""
SIGNALS = {"said": 0, "refused": 0, "status_changed": 1, "disk_changed": 0, "found": 0}
"""Signals that carry words."""
NOT_SHOWN = (
    *("setObjectName", "setProperty", "setStyleSheet", "resource", "compile", "getLogger", "TypeVar", "setStyle"),
    *("startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "get_all"),
    *("exception", "critical", "warning", "info", "debug", "import_module", "QFont", "unpack", "_prose", "Thread"),
)
"""Who is handed names, patterns and lines of the log."""
NO_WORDS_IN = (
    "ui/chat/export.py",  # a file that others read
    "ui/diagnostics.py",  # for whoever mends it
    "ui/diff/styles.py",
    "ui/graph/svg.py",
    "ui/theme",
    "ui/diagnostics.py",
    "app/main.py",
    "app/wiring.py",
)
NAMES = frozenset(
    ("Tandem", "Tandem Desktop", "Qt", "Python", "Inter", "JetBrains Mono", "WebP", "UTF-16 LE", "UTF-16 BE")
)
"""Names are the same everywhere."""
OTHERS_WORDS = frozenset(
    ("License", "command was queued", "\\ No newline at end of file", "--app-name=Tandem Desktop"),
)
"""Read in, or written for, other programs."""
_KEY = re.compile(r"(Ctrl|Shift|Alt|Esc|Enter|Space|Up|Down|Left|Right|F\d+)\b")
_COMMAND = re.compile(r"/[a-z-]+ ")
_TREES = [
    (file, ast.parse(file.read_text("utf-8")))
    for file in sources()
    if not any(part in file.as_posix() for part in NO_WORDS_IN)
]


def test_every_word_a_person_reads_can_be_translated() -> None:
    found = {
        _place(file, line): text for file, tree in _TREES for line, text in (*_unmarked(tree), *_handed_over(tree))
    }
    assert found == {}


def test_every_sentence_is_one_literal_whose_places_are_filled() -> None:
    wrong = {_place(file, call.lineno): why for file, tree in _TREES for call in _calls(tree) if (why := _wrong(call))}
    assert wrong == {}


def test_the_catalogue_holds_what_the_window_says() -> None:
    said = sentences()
    assert len(said) > 1000
    assert TEMPLATE.read_text("utf-8") == catalogue(said), "write it anew: python -m tests.support.catalogue"


def test_no_language_was_made_by_halves() -> None:
    """A catalogue is shipped with what it was made of."""
    assert [each.name for each in FOLDER.glob("*.qm") if not each.with_suffix(".ts").exists()] == []


def _place(file: Path, line: int) -> str:
    return f"{file.relative_to(ROOT)}:{line}"


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _handed_over(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Literals in a place for words."""
    for call in _calls(tree):
        places = SINKS.get(_name(call), ())
        if _name(call) == "emit" and isinstance(call.func, ast.Attribute):
            signal = call.func.value.attr if isinstance(call.func.value, ast.Attribute) else ""
            places = (SIGNALS[signal],) if signal in SIGNALS else ()
        for at in places:
            for literal in _literals(call.args[at]) if at < len(call.args) else ():
                if re.search(r"[^\W\d]{3}", literal) and literal.strip("— ") not in NAMES and not _KEY.match(literal):
                    yield call.lineno, literal


def _literals(node: ast.expr) -> Iterator[str]:
    """What is said by an expression itself: the branches of a choice and the parts of a sum, not values in it."""
    match node:
        case ast.Constant(value=str(text)) if not text.startswith("\t"):
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(each.value for each in values if isinstance(each, ast.Constant))
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*_literals(body), *_literals(orelse))
        case ast.BoolOp(values=values):
            yield from (text for each in values for text in _literals(each))
        case ast.BinOp(left=left, right=right):
            yield from (*_literals(left), *_literals(right))


def _unmarked(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Literals that read like words, wherever they stand."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if not isinstance(parents[node], ast.JoinedStr | ast.Expr):
                pass
            case ast.JoinedStr(values=values):
                text = "".join(each.value if isinstance(each, ast.Constant) else "{}" for each in values)
            case _:
                continue
        if _reads_like_words(text) and not _is_not_shown(node, parents):
            yield node.lineno, text


def _reads_like_words(text: str) -> bool:
    if (
        text.strip("— {}") in NAMES | OTHERS_WORDS
        or _KEY.match(text)
        or _COMMAND.match(text)
        or text.startswith(("<", "{", "%"))
    ):
        return False
    return bool(re.search(r"[^\W\d_]{2,} [^\W\d_]|[^\W\d_]{2}…|^[A-Z][a-z]+[a-z ]*$", text))


def _is_not_shown(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    while node in parents:
        child, node = node, parents[node]
        match node:
            case ast.Call() if child is not node.func and _name(node) in (*MARKS, *NOT_SHOWN):
                return True
            case ast.Call() if _name(node).endswith("Error"):
                return True  # what is wrong, as the command line says it too
            case ast.ClassDef(bases=bases) if any("Enum" in ast.unparse(base) for base in bases):
                return True
            case ast.Compare() | ast.MatchValue() | ast.arg() | ast.Subscript():
                return True
            case ast.FunctionDef(returns=returns) if returns is child:
                return True
            case ast.AnnAssign(annotation=annotation) if annotation is child:
                return True
            case ast.Dict(keys=keys) if child in keys:
                return True
    return False


def _wrong(call: ast.Call) -> str:
    match _name(call), call.args:
        case "tr" | "later", [ast.Constant(value=str(text))]:
            return _wrong_places(text, call) or _halved(text)
        case "tr_n", [ast.Constant(value=str(one)), ast.Constant(value=str(many)), _]:
            return _wrong_places(one, call) or _wrong_places(many, call) or _halved(one) or _halved(many)
        case "tr_table", [ast.Dict(values=values)] if all(isinstance(each, ast.Constant) for each in values):
            return ""
        case "tr" | "later" | "tr_n" | "tr_table", _:
            return "only a literal can be found by those who translate"
        case _:
            return ""


def _wrong_places(text: str, call: ast.Call) -> str:
    """Every place has its value, and every value its place."""
    given = {each.arg for each in call.keywords}
    if None in given or not given:
        return ""
    places = {name for _, name, _, _ in Formatter().parse(text) if name}
    counted = {"n"} if _name(call) == "tr_n" else set()
    return "" if places - counted == given else f"{places} are not {given}"


def _halved(text: str) -> str:
    return "half a sentence cannot be translated" if text != text.strip() else ""
