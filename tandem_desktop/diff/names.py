"""What a name is in a source file: bound in a function or in the file, a parameter, imported, or not to be followed."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from tandem_desktop.diff.syntax import ParsedSource, grammar_of, parse

if TYPE_CHECKING:
    from tree_sitter import Node

_DYNAMIC = re.compile(rb"\b(?:eval|exec|locals|globals|vars|__dict__|_getframe)\b|\bimport\s*\(?\s*\*")
"""A file in which names can be values."""
_WORD = re.compile(rb"(?<![\w$\x80-\xff])[A-Za-z_][\w]*(?![\w$\x80-\xff])")
_SHOWS_ITS_TEXT = re.compile(rb"=\s*(?:[!:][^}]*)?\}$")
_FUNCTIONS = frozenset({"function_definition", "lambda"})
_PARAMETERS = frozenset({"parameters", "lambda_parameters"})
_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list"})
_WRAPS_PARAMETER = frozenset(
    {
        "default_parameter",
        "typed_parameter",
        "typed_default_parameter",
        "list_splat_pattern",
        "dictionary_splat_pattern",
    }
)


class NameRole(StrEnum):
    """How a name is used in a file."""

    LOCAL = "local"
    """Bound in a function; nothing outside can see it."""
    PARAMETER = "parameter"
    DEFINED = "defined"
    """Bound in the file itself, where others can import it."""
    IMPORTED = "imported"
    """Imported from another file by this name."""
    USED = "used"
    OPAQUE = "opaque"
    """An attribute, a keyword, a part of a string, or in a file whose names can be values: not to be followed."""


def roles(path: str, content: bytes, name: bytes) -> dict[NameRole, str]:
    """The roles of a name in a file of Python, an imported one with the module; opaque where that cannot be told."""
    grammar = grammar_of(path)
    if grammar is None or grammar.name != "python" or _DYNAMIC.search(content):
        return {NameRole.OPAQUE: ""}
    source = parse(grammar, content)
    if source is None:
        return {NameRole.OPAQUE: ""}
    told: dict[NameRole, str] = {}
    for _, role, module in _places(source, name):
        told[role] = module or told.get(role, "")
    return {NameRole.OPAQUE: ""} if NameRole.OPAQUE in told else told


def visible_bindings(source: ParsedSource, name: bytes) -> set[int]:
    """The lines in which others can see that a name is bound; zero-based."""
    return {line for line, role, _ in _places(source, name) if role in (NameRole.DEFINED, NameRole.PARAMETER)}


def _places(source: ParsedSource, name: bytes) -> Iterator[tuple[int, NameRole, str]]:
    """The line, the role and the module of each place of a name, without comments."""
    for found in _WORD.finditer(source.content):
        if found[0] != name:
            continue
        node = source.root.descendant_for_byte_range(*found.span())
        if node is None or node.type == "comment":
            continue
        is_name = node.type == "identifier" and (node.start_byte, node.end_byte) == found.span()
        yield source.line_at(node.start_byte), *(_role(node) if is_name else (NameRole.OPAQUE, ""))


def _role(node: "Node") -> tuple[NameRole, str]:
    parent = node.parent
    if parent is None:
        return NameRole.OPAQUE, ""
    if parent.type == "attribute" and parent.child_by_field_name("attribute") == node:
        return NameRole.OPAQUE, ""
    if parent.type == "keyword_argument" and parent.child_by_field_name("name") == node:
        return NameRole.OPAQUE, ""
    if parent.type == "interpolation" and _SHOWS_ITS_TEXT.search(parent.text or b""):
        return NameRole.OPAQUE, ""
    if parent.type in ("global_statement", "nonlocal_statement"):
        return (NameRole.DEFINED if parent.type == "global_statement" else NameRole.LOCAL), ""
    if parent.type in ("dotted_name", "aliased_import"):
        return _imported(parent, node)
    if _is_parameter(parent, node):
        return NameRole.PARAMETER, ""
    if parent.type in ("function_definition", "class_definition") and parent.child_by_field_name("name") == node:
        return _bound(parent)
    return _bound(parent) if _is_target(parent, node) else (NameRole.USED, "")


def _imported(parent: "Node", node: "Node") -> tuple[NameRole, str]:
    """`from a.b import name`; any other import binds, or names, a module."""
    if parent.type == "aliased_import":
        return _bound(parent) if parent.child_by_field_name("alias") == node else (NameRole.OPAQUE, "")
    above = parent.parent
    while above is not None and above.type == "aliased_import":
        above = above.parent
    if above is None or above.type != "import_from_statement" or parent.named_child_count != 1:
        return NameRole.OPAQUE, ""
    module = above.child_by_field_name("module_name")
    if module is None or module == parent:
        return NameRole.OPAQUE, ""
    return NameRole.IMPORTED, (module.text or b"").decode("utf-8", "replace")


def _is_parameter(parent: "Node", node: "Node") -> bool:
    while parent.type in _WRAPS_PARAMETER and parent.parent is not None:
        if parent.child_by_field_name("value") == node or parent.child_by_field_name("type") == node:
            return False
        parent, node = parent.parent, parent
    return parent.type in _PARAMETERS


def _is_target(parent: "Node", node: "Node") -> bool:
    """Whether a value is bound to it: assignments, loops, `with`, `except`, `:=`, comprehensions."""
    while parent.type in _PATTERNS and parent.parent is not None:
        parent, node = parent.parent, parent
    if parent.type in ("assignment", "augmented_assignment", "for_statement", "for_in_clause"):
        return parent.child_by_field_name("left") == node
    if parent.type == "named_expression":
        return parent.child_by_field_name("name") == node
    return parent.type == "as_pattern_target"


def _bound(node: "Node") -> tuple[NameRole, str]:
    """Where a binding is visible."""
    above = node.parent
    while above is not None:
        if above.type in _FUNCTIONS or above.type.endswith("_comprehension") or above.type == "generator_expression":
            return NameRole.LOCAL, ""
        if above.type == "class_definition":
            return NameRole.OPAQUE, ""
        above = above.parent
    return NameRole.DEFINED, ""
