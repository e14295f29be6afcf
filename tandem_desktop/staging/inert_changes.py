"""Compares two versions of a manifest or configuration file without the keys that cannot make code run."""

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from tandem_desktop.domain.patterns import lazy_pattern

_LONGEST = 1 << 20
Keys = tuple[str, ...]
_KeyPatterns = Mapping[int, tuple[Keys, ...]]
"""Patterns of keys, by how deep they lie: they are asked for each key of a file."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A file in which some keys make code run and the `inert` ones do not, except for the `active` ones among them."""

    format: str
    inert: _KeyPatterns
    active: _KeyPatterns

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> "Manifest":
        return cls(data["format"], *(_by_depth(data.get(name, ())) for name in ("inert", "active")))

    def only_inert_changes(self, before: bytes | None, after: bytes | None) -> bool:
        """True if the two differ only in inert keys, comments or layout; unreadable content is never inert."""
        try:
            return bool(self._telling(before) == self._telling(after))
        except (ValueError, RecursionError, MemoryError, SyntaxError):
            return False

    def _telling(self, content: bytes | None) -> Any:
        """What is left without the inert keys."""
        if content is None:
            return {}
        if len(content) > _LONGEST:
            raise ValueError("too long to be looked into")
        return self._pruned(_READERS[self.format](content), ())

    def _pruned(self, node: Any, keys: Keys) -> Any:
        if isinstance(node, list):
            return [self._pruned(each, keys) for each in node]
        if not isinstance(node, dict):
            return node
        left = {}
        for name, value in node.items():
            below = (*keys, name)
            if _matches(self.active, below):
                left[name] = value
            elif not _matches(self.inert, below) or _lead_below(self.active, below):
                pruned = self._only_active(value, below) if _matches(self.inert, below) else self._pruned(value, below)
                if pruned or pruned == value:
                    left[name] = pruned
        return left

    def _only_active(self, node: Any, keys: Keys) -> Any:
        if isinstance(node, list):
            return [found for each in node if (found := self._only_active(each, keys))]
        if not isinstance(node, dict):
            return None
        left = {}
        for name, value in node.items():
            below = (*keys, name)
            found = value if _matches(self.active, below) else self._only_active(value, below)
            if found:
                left[name] = found
        return left


def _by_depth(patterns: Sequence[str]) -> _KeyPatterns:
    found: dict[int, tuple[Keys, ...]] = {}
    for keys in (tuple(pattern.split(".")) for pattern in patterns):
        found[len(keys)] = (*found.get(len(keys), ()), keys)
    return found


def _matches(patterns: _KeyPatterns, keys: Keys) -> bool:
    """Whether one of the patterns names exactly these keys."""
    return any(all(map(fnmatchcase, keys, each)) for each in patterns.get(len(keys), ()))


def _lead_below(patterns: _KeyPatterns, keys: Keys) -> bool:
    return any(
        all(map(fnmatchcase, keys, each)) for depth, some in patterns.items() if depth > len(keys) for each in some
    )


def _without_repeats(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Refuse a key that is there twice: readers differ in which one they take."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _json(content: bytes) -> Any:
    return json.loads(content.decode(), object_pairs_hook=_without_repeats)


_COMMENTED = lazy_pattern(r'("(?:[^"\\\n]|\\.)*")|//[^\n\r]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = lazy_pattern(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])')


def _jsonc(content: bytes) -> Any:
    """JSON with comments and trailing commas."""
    text = _COMMENTED.sub(lambda found: found[1] or " ", content.decode())
    return json.loads(_TRAILING_COMMA.sub(lambda found: found[1] or "", text), object_pairs_hook=_without_repeats)


def _toml(content: bytes) -> Any:
    import tomllib

    return tomllib.loads(content.decode())


def _ini(content: bytes) -> Any:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, allow_no_value=True, default_section="\0")
    try:
        parser.read_string(content.decode())
    except configparser.Error as failure:
        raise ValueError(str(failure)) from failure
    found: dict[str, Any] = {"\0": {}}
    for section in parser.sections():
        name = section.replace(".", ":")
        found[name] = {}
        for key, value in parser[section].items():
            imports = value is not None and value.lstrip().startswith("attr:")  # setuptools imports what it names
            found["\0" if imports else name][key if not imports else f"{section}.{key}"] = value
    return found


def _yaml(content: bytes) -> Any:
    """Nested values of strings; each scalar with how it is written, since readers differ in what `yes` means."""
    import yaml  # only a plan that changes such a file needs it

    text = content.decode()
    if "<%" in text:
        raise ValueError("a template: what it holds is run")
    try:
        if any(isinstance(token, yaml.AnchorToken | yaml.AliasToken) for token in yaml.scan(text)):
            raise ValueError("anchors are not looked into")
        root = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as failure:
        raise ValueError(str(failure)) from failure
    return _plain_node(root) if root is not None else {}


def _plain_node(node: Any) -> Any:
    if node.id != "scalar" and not node.tag.startswith("tag:yaml.org,2002:"):
        raise ValueError("a tag that is not looked into")
    if node.id == "mapping":
        if any(key.id != "scalar" or key.value == "<<" for key, _ in node.value):
            raise ValueError("a key that is no word, or merges others")
        return _without_repeats([(key.value, _plain_node(value)) for key, value in node.value])
    if node.id == "sequence":
        return [_plain_node(each) for each in node.value]
    return (node.tag, node.value, node.style is None)


_TAME = lazy_pattern(r"[\w.,+© @:/-]{0,200}")
"""Words of a version, a name or an address: nothing that could be a command or a format of its own."""
_CODING = lazy_pattern(rb"^[ \t\f]*#.*?coding[:=][ \t]*(?!utf-?8\b)", re.MULTILINE | re.IGNORECASE)


def _python(content: bytes) -> Any:
    """The program as a tree, with strings that are assigned to a name, or passed by one to `setup`, as keys."""
    if _CODING.search(content[:400]) or b"# ///" in content:
        raise ValueError("comments that have a meaning")
    tree = ast.parse(content)
    named: list[tuple[str, str]] = []
    rest: list[ast.stmt] = []
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))) if _is_tame(text):
                named.append((name, text))
                rest.append(ast.parse(f"{name} = ...").body[0])
            case ast.Expr(value=ast.Call(func=ast.Name(id="setup") | ast.Attribute(attr="setup")) as call):
                named += _tame_arguments(call)
                rest.append(statement)
            case _:
                rest.append(statement)
    return {**_without_repeats(named), "\0": [ast.dump(each) for each in rest]}


def _tame_arguments(call: ast.Call) -> list[tuple[str, str]]:
    """Take the arguments out of the call that are plain words."""
    found: list[tuple[str, str]] = []
    left = []
    for keyword in call.keywords:
        try:
            value = ast.literal_eval(keyword.value)
        except ValueError:
            value = None
        texts = value if isinstance(value, list | tuple) else [value]
        if keyword.arg and all(isinstance(text, str) and _is_tame(text) for text in texts):
            found.append((f"setup {keyword.arg}", ast.dump(keyword.value)))
        else:
            left.append(keyword)
    call.keywords = left
    return found


def _is_tame(text: str) -> bool:
    return _TAME.fullmatch(text) is not None


_READERS: Mapping[str, Callable[[bytes], Any]] = {
    "json": _json,
    "jsonc": _jsonc,
    "toml": _toml,
    "yaml": _yaml,
    "ini": _ini,
    "python": _python,
}
