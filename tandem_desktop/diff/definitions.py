"""The definitions of a source file: where they stand, and what of them others can see."""

from typing import TYPE_CHECKING

from tandem_desktop.diff.hunk_classes import Span
from tandem_desktop.diff.syntax import ParsedSource, grammar_of, parse

if TYPE_CHECKING:
    from tree_sitter import Node

_UNITS = frozenset(
    (
        *("function_definition", "class_definition", "decorated_definition"),  # Python, C, C++
        *("function_declaration", "generator_function_declaration", "class_declaration", "method_definition"),
        *("abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration"),
        *("method_declaration", "type_declaration", "constructor_declaration", "record_declaration"),  # Go, Java
        *("function_item", "struct_item", "enum_item", "trait_item", "impl_item"),  # Rust
    )
)
"""What may stand elsewhere in its file or class and means the same."""


def definitions(path: str, content: bytes) -> dict[Span, str]:
    """Lines of every definition that stands in the file itself or in a class, with the name of that class."""
    grammar = grammar_of(path)
    source = parse(grammar, content) if grammar is not None else None
    if source is None:
        return {}
    found: dict[Span, str] = {}
    _collect(source, source.root, "", found)
    return found


def _collect(source: ParsedSource, parent: "Node", name: str, found: dict[Span, str]) -> None:
    leading: int | None = None
    above = -1
    for child in parent.children:
        first, last = source.line_at(child.start_byte), source.line_at(child.end_byte - 1) + 1
        if "comment" in child.type:
            if leading is None or first > above:
                leading = first
            above = last
            continue
        starts = leading if leading is not None and above == first else first
        leading = None
        unit = child.child_by_field_name("declaration") if child.type == "export_statement" else child
        if unit is not None and unit.type in _UNITS and _alone(source, child):
            found[starts, last] = name
            inner = unit.child_by_field_name("definition") or unit
            body = inner.child_by_field_name("body")
            named = inner.child_by_field_name("name")
            if "class" in inner.type and body is not None and named is not None and not name:
                _collect(source, body, (named.text or b"").decode("utf-8", "replace"), found)


def _alone(source: ParsedSource, node: "Node") -> bool:
    """Whether nothing else stands on its lines."""
    start, end = node.start_byte, node.end_byte
    line = source.content.rfind(b"\n", 0, start) + 1
    stop = source.content.find(b"\n", end)
    after = source.content[end : stop if stop >= 0 else len(source.content)]
    return not source.content[line:start].strip() and not after.strip(b" \t\r;")
