"""Parses source code by tree-sitter and tells whether two contents mean the same.

Native code that reads foreign bytes: the product calls it in a process of its own (`proof_worker.py`).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from tandem_desktop.diff.hunk_classes import Span

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query, Tree

LONGEST = 512 * 1024
"""Larger contents are not parsed."""
_MOST_COMPARED_NODES = 200_000


class Blanks(Enum):
    """Which blanks of a language may come and go without a change of meaning, once the trees are equal."""

    FREE = auto()
    """All but those between two words, or between two operators."""
    SCRIPT = auto()
    """As FREE, where a newline can also end a statement."""
    KEPT = auto()
    """None: only how many there are, and not beside `{`, `}`, `;` and `,`."""
    LINES = auto()
    """None: only how many there are in a line, and how many lines are empty."""
    TAGS = auto()
    """Only within tags."""
    PROSE = auto()
    """Only newlines within a paragraph, which are spaces."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language: its parser, its comments and what of it is compared byte by byte."""

    name: str
    module: str
    blanks: Blanks = Blanks.FREE
    comments: str = "(comment) @comment"
    exact: tuple[str, ...] = ()
    """Kinds of nodes in which every byte counts."""
    marks: bytes = b"//"
    """One of the comment marks of this language, or empty where no comment is left out."""
    function: str = "language"
    refused: re.Pattern[bytes] | None = None
    """Contents that the parser does not see whole: templates, comments that are code."""
    lists: tuple[str, ...] = ()
    """Kinds of nodes whose last comma may come and go."""
    quotes: bool = False
    """Whether `'a'` and `"a"` are the same."""
    parentheses: str = ""
    """The kind of nodes that only hold another one between parentheses; the tree tells what they would change."""

    @property
    def has_quiet_lines(self) -> bool:
        """Whether a line without anything but comments can mean nothing."""
        return self.blanks not in (Blanks.TAGS, Blanks.PROSE)


_STRINGS_C = ("string_literal", "char_literal", "raw_string_literal", "system_lib_string", "preproc_arg")
_JS = ("string", "template_string", "regex", "jsx_element", "jsx_fragment", "html_comment", "hash_bang_line")
_JS_LISTS = ("arguments", "formal_parameters", "array", "object", "named_imports", "export_clause")
_CLOSERS = {
    "list": "]",
    "array": "]",
    **dict.fromkeys(("dictionary", "set", "object", "named_imports", "export_clause"), "}"),
}
_TEMPLATE = re.compile(rb"\{\{|\{%|<%|<\?|\{#")
_GRAMMARS = (
    Grammar(
        "python",
        "tree_sitter_python",
        exact=("string", "line_continuation"),
        marks=b"#",
        lists=("argument_list", "parameters", "list", "dictionary", "set", "tuple", "import_from_statement"),
        quotes=True,
        parentheses="parenthesized_expression",
    ),
    Grammar("javascript", "tree_sitter_javascript", Blanks.SCRIPT, exact=_JS, lists=_JS_LISTS, quotes=True),
    Grammar(
        "typescript",
        "tree_sitter_typescript",
        Blanks.SCRIPT,
        exact=_JS[:3],
        function="language_typescript",
        lists=_JS_LISTS,
        quotes=True,
    ),
    Grammar(
        "tsx",
        "tree_sitter_typescript",
        Blanks.SCRIPT,
        exact=_JS[:5],
        function="language_tsx",
        lists=_JS_LISTS,
        quotes=True,
    ),
    Grammar(
        "go",
        "tree_sitter_go",
        exact=("interpreted_string_literal", "raw_string_literal", "rune_literal"),
        refused=re.compile(rb'(?m)^\s*(?:import\s+)?\(?\s*"C"'),
    ),
    Grammar(
        "rust",
        "tree_sitter_rust",
        comments="(line_comment !doc) @comment (block_comment !doc) @comment",
        exact=("string_literal", "raw_string_literal", "char_literal", "token_tree", "shebang"),
    ),
    Grammar(
        "java",
        "tree_sitter_java",
        comments="(line_comment) @comment (block_comment) @comment",
        exact=("string_literal", "character_literal"),
        refused=re.compile(rb"\\u+[0-9a-fA-F]"),  # replaced before anything else, in comments too
    ),
    Grammar("c", "tree_sitter_c", exact=_STRINGS_C, refused=re.compile(rb"\?\?[=/'()!<>-]")),
    Grammar("cpp", "tree_sitter_cpp", exact=_STRINGS_C, refused=re.compile(rb"\?\?[=/'()!<>-]")),
    Grammar("json", "tree_sitter_json", comments="", exact=("string",), marks=b""),
    Grammar(
        "yaml",
        "tree_sitter_yaml",
        Blanks.LINES,
        exact=("flow_node", "block_scalar"),
        marks=b"#",
        refused=re.compile(rb"[|>]\d?\+|" + _TEMPLATE.pattern),  # a scalar that keeps the empty lines after it
    ),
    Grammar("toml", "tree_sitter_toml", exact=("string",), marks=b"#", refused=_TEMPLATE),
    Grammar(
        "css",
        "tree_sitter_css",
        Blanks.KEPT,
        exact=("string_value", "plain_value", "charset_statement", "call_expression"),
        marks=b"/*",
        refused=re.compile(rb"--[\w-]+\s*:|" + _TEMPLATE.pattern),
    ),
    Grammar(
        "html",
        "tree_sitter_html",
        Blanks.TAGS,
        comments="",
        exact=("quoted_attribute_value",),
        marks=b"",
        refused=_TEMPLATE,
    ),
    Grammar("markdown", "tree_sitter_markdown", Blanks.PROSE, comments="", marks=b"", refused=_TEMPLATE),
)
GRAMMARS = {grammar.name: grammar for grammar in _GRAMMARS}
_SUFFIXES = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".c": "c",
    **dict.fromkeys((".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"), "cpp"),
    ".json": "json",
    **dict.fromkeys((".yaml", ".yml"), "yaml"),
    ".toml": "toml",
    ".css": "css",
    **dict.fromkeys((".html", ".htm"), "html"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
}


def grammar_of(path: str) -> Grammar | None:
    """The language of a file, by its name."""
    name = _SUFFIXES.get(PurePosixPath(path).suffix.lower())
    return GRAMMARS[name] if name else None


@dataclass(frozen=True)
class ParsedSource:
    """A content and its tree, which has no error."""

    grammar: Grammar
    content: bytes
    tree: "Tree" = field(repr=False)

    @property
    def root(self) -> "Node":
        return self.tree.root_node

    def line_at(self, at: int) -> int:
        """The line that a byte is in; the points of nodes are not used, since some versions of the parser lose them."""
        return bisect_right(self._lines, at) - 1

    @cached_property
    def _lines(self) -> list[int]:
        """Where each line begins."""
        return [0, *(found.end() for found in re.finditer(rb"\n", self.content))]

    def comments(self, span: Span) -> list[Span]:
        """The comments that touch a range of bytes."""
        return self._captured(span).get("comment", [])

    def statement_at(self, at: int) -> int:
        """The number of the node of the first level that a byte is in, or that comes before it."""
        return bisect_right(self._starts, at)

    @cached_property
    def _starts(self) -> list[int]:
        return [child.start_byte for child in self.root.children]

    def comments_and_exact(self, span: Span) -> tuple[list[Span], list[Span]]:
        """The comments that touch a range of bytes, and the nodes in it in which every byte counts."""
        captured = self._captured(span)
        return captured.get("comment", []), captured.get("exact", [])

    def _captured(self, span: Span) -> dict[str, list[Span]]:
        from tree_sitter import QueryCursor

        query = _query(self.grammar.name)
        if query is None:
            return {}
        cursor = QueryCursor(query)
        cursor.set_byte_range(*span)
        found = cursor.captures(self.root)
        return {what: sorted({(node.start_byte, node.end_byte) for node in nodes}) for what, nodes in found.items()}

    def significant(self, span: Span) -> bytes:
        """The text of a range of bytes without comments, and without the blanks that have no meaning."""
        start, end = span
        captured = self._captured(span)
        comments = _inside([*captured.get("comment", []), *_left_out(self.content, captured)], span)
        exact = _outermost(_inside(self._exact(captured, span), span))
        pieces: list[bytes] = []
        kept: list[bytes] = []
        at = start
        for first, last, is_exact in sorted([(*each, False) for each in comments] + [(*each, True) for each in exact]):
            if first < at:
                continue  # within the one before: a comment in a string is text
            pieces.append(self.content[at:first])
            pieces.append(b"\1" if is_exact else b" ")
            if is_exact:
                kept.append(_value(self.grammar, self.content[first:last]))
            at = last
        pieces.append(self.content[at:end])
        return b"\0".join((_squeezed(self.grammar.blanks, b"".join(pieces)), *kept))

    def _exact(self, captured: dict[str, list[Span]], span: Span) -> list[Span]:
        found = [*captured.get("exact", [])]
        if self.grammar.blanks in (Blanks.TAGS, Blanks.PROSE):
            found += _between(captured.get("loose", []), span)
        return found


def parse(grammar: Grammar, content: bytes) -> ParsedSource | None:
    """None for what cannot be parsed whole, or is too large."""
    if len(content) > LONGEST or b"\0" in content or b"\1" in content or b"\2" in content:
        return None
    if grammar.refused is not None and grammar.refused.search(content):
        return None
    tree = _parser(grammar.name).parse(content)
    if tree.root_node.has_error:
        return None
    return ParsedSource(grammar, content, tree)


def same_meaning(one: ParsedSource, other: ParsedSource, changed: Sequence[tuple[Span, Span]]) -> bool:
    """True if both have the same tree and text apart from comments and blanks without a meaning.

    `changed` are the byte ranges in which they differ, in order: all else is the same.
    """
    if not _same_tree(one, other, [each for each, _ in changed], [each for _, each in changed]):
        return False
    if one.grammar.name == "yaml" and not _same_events(one.content, other.content):
        return False
    windows = windows_around(one, len(other.content), changed)
    return all(one.significant(mine) == other.significant(theirs) for mine, theirs in windows)


def _same_events(one: bytes, other: bytes) -> bool:
    """A second opinion on indentation, of the parser that most programs read YAML with."""
    import yaml

    try:
        first, second = ([_event(each) for each in yaml.parse(side)] for side in (one, other))
    except (yaml.YAMLError, ValueError, RecursionError):
        return False
    return first == second


def _event(event: object) -> tuple[object, ...]:
    known = ("value", "tag", "anchor", "implicit", "style", "flow_style", "version", "explicit")
    return (type(event).__name__, *(getattr(event, name, None) for name in known))


def windows_around(
    one: ParsedSource, other_size: int, changed: Sequence[tuple[Span, Span]]
) -> Iterator[tuple[Span, Span]]:
    """The ranges of two contents that hold all that differs, each with an equal node of the first level around.

    Args:
        one: the one content.
        other_size: how many bytes the other one has.
        changed: the byte ranges in which they differ, in order.
    """
    starts = [child.start_byte for child in one.root.children]
    ends = [child.end_byte for child in one.root.children]
    size = len(one.content)
    found: list[tuple[int, int, int, int]] = []
    for (first, last), (mine, theirs) in changed:
        above, below = bisect_right(ends, first - 1) - 1, bisect_left(starts, last + 1)
        start = starts[above] if above >= 0 else 0
        end = ends[below] if below < len(ends) else size
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1]), found[-1][2], theirs - last
        else:
            found.append((start, end, mine - first, theirs - last))
    for start, end, before, after in found:
        yield (start, end), (start + before if start else 0, end + after if end < size else other_size)


def _same_tree(one: ParsedSource, other: ParsedSource, mine: list[Span], theirs: list[Span]) -> bool:
    """Compare node by node where something differs; nodes of equal bytes are compared as a whole."""
    comments = _comment_kinds(one.grammar.name)
    is_python = one.grammar.name == "python"
    pairs = [(one.root, other.root)]
    seen = 0
    while pairs:
        left, right = (_unwrapped(one.grammar, each, comments) for each in pairs.pop())
        seen += 1
        if seen > _MOST_COMPARED_NODES or not _is_same_kind(one.grammar, left, right):
            return False
        if is_python and not (_is_well_indented(one, left) and _is_well_indented(other, right)):
            return False
        if not _touches(left, mine) and not _touches(right, theirs):
            is_equal = left.end_byte - left.start_byte == right.end_byte - right.start_byte
            if not is_equal or left.descendant_count != right.descendant_count:
                return False
            continue
        ours = _compared(one.grammar, left, comments)
        others = _compared(one.grammar, right, comments)
        if len(ours) != len(others):
            return False
        pairs.extend(zip(ours, others, strict=True))
    return True


def _is_same_kind(grammar: Grammar, left: "Node", right: "Node") -> bool:
    quotes = ("'", '"')
    return left.kind_id == right.kind_id or (grammar.quotes and left.type in quotes and right.type in quotes)


_CLAUSES = frozenset({"elif_clause", "else_clause", "except_clause", "except_group_clause", "finally_clause"})
"""What begins as far to the right as the statement it belongs to."""


def _is_well_indented(source: ParsedSource, node: "Node") -> bool:
    """Whether the statements of a block begin alike and deeper than the one around them: the parser lets more pass."""
    if node.type in _CLAUSES and node.parent is not None:
        own = _indent(source.content, node.start_byte)
        return own is None or own == _first_indent(source.content, node.parent.start_byte)
    if node.type not in ("block", "module"):
        return True
    indents = {
        indent
        for child in node.children
        if child.type != "comment" and (indent := _indent(source.content, child.start_byte)) is not None
    }
    if node.type == "module" or node.parent is None:
        return indents <= {b""}
    around = _first_indent(source.content, node.parent.start_byte)
    return len(indents) <= 1 and all(each.startswith(around) and each != around for each in indents)


def _indent(content: bytes, start: int) -> bytes | None:
    """The blanks before what begins a line; None for what does not."""
    before = content[content.rfind(b"\n", 0, start) + 1 : start]
    return None if before.strip() else before


def _first_indent(content: bytes, start: int) -> bytes:
    """The blanks at the beginning of a line."""
    line = content[content.rfind(b"\n", 0, start) + 1 : start]
    return line[: len(line) - len(line.lstrip())]


def _is_comment(node: "Node", kinds: frozenset[int]) -> bool:
    """The doc comments of Rust, which have nodes of their own, are attributes."""
    return node.kind_id in kinds and not node.named_child_count


def _touches(node: "Node", spans: Sequence[Span]) -> bool:
    """Whether a node touches one of these ranges, which are in order."""
    at = bisect_left(spans, node.start_byte, key=_end)
    return at < len(spans) and spans[at][0] <= node.end_byte


def _end(span: Span) -> int:
    return span[1]


def _compared(grammar: Grammar, node: "Node", comments: frozenset[int]) -> "list[Node]":
    """The children of a node without comments and without a comma that means nothing."""
    found = [child for child in node.children if not _is_comment(child, comments)]
    if node.type in grammar.lists and _ends_with_comma(node.type, found):
        del found[-2]
    return found


def _ends_with_comma(kind: str, children: "Sequence[Node]") -> bool:
    """Whether a comma after the last element closes a list; a tuple of one is one by its comma."""
    if len(children) < 4 or children[-2].type != "," or children[-1].is_named:
        return False
    return children[-3].is_named and (kind != "tuple" or sum(child.is_named for child in children) > 1)


def _unwrapped(grammar: Grammar, node: "Node", comments: frozenset[int]) -> "Node":
    """What stands between parentheses; in Python an annotated name between them is another statement."""
    while grammar.parentheses and node.type == grammar.parentheses:
        inner = [child for child in node.children if child.is_named and not _is_comment(child, comments)]
        parent = node.parent
        if len(inner) != 1 or (parent is not None and parent.type == "assignment" and parent.children[0] == node):
            break
        node = inner[0]
    return node


def _left_out(content: bytes, captured: "dict[str, list[Span]]") -> Iterator[Span]:
    """Commas and parentheses that mean nothing where the trees are equal."""
    for start, end in captured.get("parentheses", ()):
        yield start, start + 1
        yield end - 1, end
    for start, end in captured.get("comma", ()):
        yield start, end


_PLAIN_STRING = re.compile(rb"""([A-Za-z]*)(?:'([^'"\n]*)'|"([^'"\n]*)")""")


def _value(grammar: Grammar, text: bytes) -> bytes:
    """A string in the quotes that are compared, if it holds none: what else is escaped means the same in both."""
    found = _PLAIN_STRING.fullmatch(text) if grammar.quotes else None
    return b'%s"%s"' % (found[1], found[2] if found[2] is not None else found[3]) if found is not None else text


@lru_cache(maxsize=32)
def _parser(name: str) -> "Parser":
    from tree_sitter import Language, Parser

    grammar = GRAMMARS[name]
    return Parser(Language(getattr(import_module(grammar.module), grammar.function)()))


@lru_cache(maxsize=32)
def _query(name: str) -> "Query | None":
    from tree_sitter import Query

    grammar, language = GRAMMARS[name], _parser(name).language
    assert language is not None
    known = (kind for kind in grammar.exact if language.id_for_node_kind(kind, True))
    parts = [grammar.comments, *(f"({kind}) @exact" for kind in known)]
    if grammar.parentheses:
        parts.append(f"({grammar.parentheses}) @parentheses")
    parts += (f'({kind} "," @comma . "{_CLOSERS.get(kind, ")")}")' for kind in grammar.lists)
    if grammar.blanks is Blanks.TAGS:
        parts.append("(start_tag) @loose (self_closing_tag) @loose (end_tag) @loose")
    if grammar.blanks is Blanks.PROSE:
        parts.append("(inline) @loose")
    source = " ".join(filter(None, parts))
    return Query(language, source) if source else None


@lru_cache(maxsize=32)
def _comment_kinds(name: str) -> frozenset[int]:
    """Kinds that are left out of the comparison."""
    language = _parser(name).language
    assert language is not None
    found = (language.id_for_node_kind(kind, True) for kind in ("comment", "line_comment", "block_comment"))
    return frozenset(each for each in found if each) if GRAMMARS[name].comments else frozenset()


def _inside(spans: Sequence[Span], window: Span) -> list[Span]:
    return [
        (max(start, window[0]), min(end, window[1])) for start, end in spans if start < window[1] and end > window[0]
    ]


def _outermost(spans: Sequence[Span]) -> list[Span]:
    found: list[Span] = []
    for span in sorted(spans, key=lambda each: (each[0], -each[1])):
        if not found or span[0] >= found[-1][1]:
            found.append(span)
    return found


def _between(spans: Sequence[Span], window: Span) -> Iterator[Span]:
    """What of a window is in none of the spans."""
    at = window[0]
    for start, end in _outermost(spans):
        if start > at:
            yield at, start
        at = max(at, end)
    if at < window[1]:
        yield at, window[1]


_WORD = rb"\w\x01\x80-\xff"
_OPERATOR = rb"!#$%&*+\-./:<=>?@^|~\\"
_BETWEEN_OPERATORS = re.compile(rb"(?<=[" + _OPERATOR + rb"]) (?=[" + _OPERATOR + rb"])")
_WITHOUT_MEANING = re.compile(rb"(?<![" + _WORD + rb"]) | (?![" + _WORD + rb"])")
_SOME = re.compile(rb"\s+")
_ENDS_STATEMENT = re.compile(
    # A newline that can end a statement, by itself or depending on what follows.
    rb"(?<![\w$])(return|throw|break|continue|yield|async|let|type|abstract|declare|namespace|module|interface|static|get|set"
    rb"|accessor|readonly|public|private|protected|override|await|of|using|from|as|is|asserts|keyof|infer|satisfies)"
    rb"[ \t\f\v\r]*\n\s*"
    rb"|(?<=[\w$\x01\x80-\xff)\]}\"'`])[ \t\f\v\r]*\n\s*(?=\+\+|--|[(\[`/*+\-<]|=>)"
)
_BESIDE_BRACES = re.compile(rb"\s*([{};,])\s*")
_IN_A_LINE = re.compile(rb"[ \t]+")
_AROUND_NEWLINES = re.compile(rb"[ \t]*(?:\r?\n[ \t]*)+")


def _squeezed(blanks: Blanks, text: bytes) -> bytes:
    if blanks is Blanks.PROSE:
        # Two blanks or a backslash before it make a newline a break of the line.
        return re.sub(rb"(?<![ \\])\r?\n[ \t]*(?=\S)", b" ", text)
    if blanks is Blanks.KEPT:
        return _BESIDE_BRACES.sub(rb"\1", _SOME.sub(b" ", text)).strip()
    if blanks is Blanks.LINES:
        return _AROUND_NEWLINES.sub(b"\n", _IN_A_LINE.sub(b" ", text)).strip()
    if blanks is Blanks.SCRIPT:
        text = _ENDS_STATEMENT.sub(lambda found: (found[1] or b"") + b"\2", text)
    text = _BETWEEN_OPERATORS.sub(b"\2", _SOME.sub(b" ", text))
    return _WITHOUT_MEANING.sub(b"", text)
