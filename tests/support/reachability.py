"""Which functions, methods and classes a program can reach from its entry points, read from its source alone.

The graph is by name. A plain name is resolved through the imports of its module. An attribute of a module or of a class
is that one definition. Any other attribute, `x.name`, reaches every method called `name` of a class that is in use.
A class is in use when reached code names it other than in the annotation of a function, `isinstance`, `except` or a
pattern: these do not make an instance. So code that is reached may be unused, but what is not reached cannot run.
"""

import ast
import importlib
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

_TRANSPARENT = frozenset(
    {"property", "staticmethod", "classmethod", "cached_property", "cache", "lru_cache", "contextmanager", "override"}
    | {"asynccontextmanager", "abstractmethod", "overload", "dataclass", "setter", "total_ordering", "unique", "final"}
)
"""Decorators that call nothing: what they decorate runs only when it is named."""
_BY_STRING = frozenset({"getattr", "import_module", "attrgetter", "methodcaller"})
_ONLY_TYPES = frozenset({"Protocol", "TypedDict", "NamedTuple", "Enum", "StrEnum", "IntEnum", "Flag", "IntFlag"})

PLAYED = {"BuiltInAgent": "acp:Agent", "LineTransport": "acp.transports:Transport"}
"""Classes that a library calls by a protocol of its own, without inheriting from it."""


@dataclass(slots=True)
class Unit:
    """A definition that runs only when something refers to it: a function, a class, a method, a value of a module."""

    module: str
    name: str
    """Qualified inside the module: `StagingStore.clear`; empty for the statements of the module itself."""
    kind: str
    line: int = 0
    names: set[str] = field(default_factory=set)
    """Dotted names it uses, as written."""
    types: set[str] = field(default_factory=set)
    """Dotted names it uses only where no instance is made."""
    attributes: set[str] = field(default_factory=set)
    """Names after a dot, whatever is before it."""
    strings: set[str] = field(default_factory=set)
    imports: dict[str, str] = field(default_factory=dict)
    """What a local import binds: the name, and `module` or `module:name`."""
    loaded: set[str] = field(default_factory=set)
    """Modules it imports when it runs."""
    bases: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    always: bool = False
    """A method that a decorator registers: it is reached with its class."""

    @property
    def key(self) -> str:
        return f"{self.module}:{self.name}"


class Program:
    """Every unit of the packages below some folders."""

    def __init__(self, root: Path, *packages: str) -> None:
        self.units: dict[str, Unit] = {}
        self.members: defaultdict[str, dict[str, str]] = defaultdict(dict)
        """Units of each class and of each module, by their last name."""
        self._strings_matter: set[str] = set()
        self._named: defaultdict[str, list[str]] = defaultdict(list)
        for package in packages:
            for path in sorted((root / package).rglob("*.py")):
                self._read(path, _module_name(path.relative_to(root)))
        for unit in self.units.values():
            self._named[unit.name].append(unit.key)
            owner, _, last = unit.name.rpartition(".")
            if last:
                self.members[f"{unit.module}:{owner}"][last] = unit.key

    def find(self, name: str) -> list[str]:
        """Keys of what a person calls `Class.method`, `function` or `package.module:Name`."""
        return [name] if name in self.units else list(self._named[name])

    def resolve(self, unit: Unit, dotted: str) -> str | None:
        """The key of what a dotted name means in a unit: a definition, or `module:` for a module."""
        first, *rest = dotted.split(".")
        target = unit.imports.get(first) or self.units[f"{unit.module}:"].imports.get(first)
        if target is None:
            key = f"{unit.module}:{first}"
            return self._inside(key, rest) if key in self.units else None
        return self._inside(target if ":" in target else f"{target}:", rest)

    def _inside(self, key: str, rest: list[str]) -> str | None:
        module, _, first = key.partition(":")
        if f"{module}:" not in self.units:
            return None
        name = ""
        for part in [*filter(None, [first]), *rest]:
            if not name and f"{module}.{part}:" in self.units:
                module = f"{module}.{part}"
            else:
                name = f"{name}.{part}" if name else part
        while name and f"{module}:{name}" not in self.units:
            again = self.units[f"{module}:"].imports.get(name.partition(".")[0])
            if again is not None and again != f"{module}:{name}":  # re-exported
                return self._inside(again if ":" in again else f"{again}:", name.split(".")[1:])
            name = name.rpartition(".")[0]
        return f"{module}:{name}"

    def _read(self, path: Path, module: str) -> None:
        tree = ast.parse(path.read_bytes(), str(path))
        body = self._add(Unit(module, "", "module"))
        if any(getattr(node, "id", getattr(node, "attr", "")) in _BY_STRING for node in ast.walk(tree)):
            self._strings_matter.add(module)
        self._read_block(tree.body, module, "", body)

    def _read_block(self, statements: Iterable[ast.stmt], module: str, owner: str, body: Unit) -> None:
        for node in statements:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self._read_function(node, module, owner, body)
                case ast.ClassDef():
                    self._read_class(node, module, owner, body)
                case ast.If() if not owner:
                    self._collect(body, node.test)
                    self._read_block([*node.body, *node.orelse], module, owner, body)
                case ast.Try() if not owner:
                    inner = [each for handler in node.handlers for each in handler.body]
                    self._read_block([*node.body, *inner, *node.orelse, *node.finalbody], module, owner, body)
                case ast.Assign() | ast.AnnAssign() if not owner and (names := _assigned(node)):
                    for name in names:
                        value = self._add(Unit(module, name, "value", node.lineno))
                        self._collect(value, node)
                case _:
                    self._collect(body, node)

    def _read_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, module: str, owner: str, body: Unit) -> None:
        name = f"{owner}.{node.name}" if owner else node.name
        unit = self._add(Unit(module, name, "method" if owner else "function", node.lineno))
        unit.always = any(_registers(decorator) for decorator in node.decorator_list)
        unit.parameters = tuple(each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg))
        for decorator in node.decorator_list:
            self._collect(body, decorator)
        if unit.always and not owner:
            body.names.add(node.name)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self._collect(body, default)
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg) and argument.annotation is not None:
                _Types(unit).visit(argument.annotation)
        if node.returns is not None:
            _Types(unit).visit(node.returns)
        for statement in node.body:
            self._collect(unit, statement)

    def _read_class(self, node: ast.ClassDef, module: str, owner: str, body: Unit) -> None:
        name = f"{owner}.{node.name}" if owner else node.name
        unit = self._add(Unit(module, name, "class", node.lineno))
        unit.bases = tuple(_dotted(each.value if isinstance(each, ast.Subscript) else each) for each in node.bases)
        for each in (*node.bases, *node.keywords):
            self._collect(unit, each)
        for decorator in node.decorator_list:
            self._collect(body, decorator)
            if _registers(decorator):
                body.names.add(node.name)
        for statement in node.body:
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self._read_function(statement, module, name, unit)
                case ast.ClassDef():
                    self._read_class(statement, module, name, unit)
                case _:
                    _Names(unit, annotations_count=True).visit(statement)
                    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                        unit.attributes.add(statement.target.id)  # pydantic reads fields from attributes of this name

    def _collect(self, unit: Unit, node: ast.AST) -> None:
        _Names(unit).visit(node)

    def _add(self, unit: Unit) -> Unit:
        known = self.units.get(unit.key)
        if known is not None:  # an overload, a setter, or the other branch of an `if`
            return known
        self.units[unit.key] = unit
        return unit

    def strings_of(self, unit: Unit) -> Iterable[str]:
        """Strings that may name a definition: all where a module looks up by name, `module:function` everywhere."""
        return unit.strings if unit.module in self._strings_matter else (each for each in unit.strings if ":" in each)


class Reach:
    """What is reached from some units of a program."""

    def __init__(self, program: Program, start: Iterable[str]) -> None:
        self._program = program
        self.reached: set[str] = set()
        self._live: set[str] = set()
        self._attributes: set[str] = set()
        self._waiting: defaultdict[str, set[str]] = defaultdict(set)
        """Methods of classes in use that no reached code has named yet, by name."""
        self._todo = list(start)
        while self._todo:
            self._visit(self._todo.pop())

    def _visit(self, key: str) -> None:
        if key in self.reached or key not in self._program.units:
            return
        self.reached.add(key)
        unit = self._program.units[key]
        self._todo.append(f"{unit.module}:")
        for module in unit.loaded:
            self._load(module)
        for name in unit.names:
            self._refer(unit, name)
        for name in unit.types:
            self._mention(unit, name)
        for name in unit.attributes:
            self._name(name)
        for text in self._program.strings_of(unit):
            self._say(unit, text)
        if unit.kind == "class":
            self._use(unit)
        owner = unit.name.rpartition(".")[0]
        if owner:
            self._todo.append(f"{unit.module}:{owner}")

    def _load(self, module: str) -> None:
        parts = module.split(".")
        for end in range(1, len(parts) + 1):
            self._todo.append(f"{'.'.join(parts[:end])}:")

    def _refer(self, unit: Unit, name: str) -> None:
        found = self._program.resolve(unit, name)
        if found is not None:
            self._todo.append(found)
            kind = self._program.units.get(found)
            if kind is not None and kind.kind == "class":  # an inherited member, named on the class
                self._name(name.rpartition(".")[2])

    def _mention(self, unit: Unit, name: str) -> None:
        """A type that is only named: a value is used so, a protocol or an enumeration too, a class is not."""
        found = self._program.resolve(unit, name)
        if found is None:
            return
        meant = self._program.units.get(found)
        if meant is not None and (meant.kind == "value" or _ONLY_TYPES & {b.rpartition(".")[2] for b in meant.bases}):
            self._todo.append(found)

    def _name(self, attribute: str) -> None:
        if attribute not in self._attributes:
            self._attributes.add(attribute)
            self._todo.extend(self._waiting.pop(attribute, ()))

    def _say(self, unit: Unit, text: str) -> None:
        """A string in a module that looks things up by their names."""
        if text.isidentifier():
            self._name(text)
            self._todo.extend(key for key in self._program.find(text) if key.startswith(f"{unit.module}:"))
        module, _, function = text.partition(":")
        for prefix in ("", f"{unit.module.rpartition('.')[0]}."):
            if function and f"{prefix}{module}:{function}" in self._program.units:
                self._todo.append(f"{prefix}{module}:{function}")
        if f"{text}:" in self._program.units and "." in text:
            self._load(text)
            self._wait_for(self._program.members[f"{text}:"].items())

    def _use(self, unit: Unit) -> None:
        if unit.key in self._live:
            return
        self._live.add(unit.key)
        outside = [*self._ancestors_outside(unit), *filter(None, [PLAYED.get(unit.name)])]
        members = self._program.members[unit.key].items()
        for name, key in members:
            is_special = name.startswith("__") and name.endswith("__")
            if is_special or self._program.units[key].always or any(_has(base, name) for base in outside):
                self._todo.append(key)
        self._wait_for(members)

    def _wait_for(self, members: Iterable[tuple[str, str]]) -> None:
        for name, key in members:
            if name in self._attributes:
                self._todo.append(key)
            else:
                self._waiting[name].add(key)

    def _ancestors_outside(self, unit: Unit) -> Iterator[str]:
        """Bases that are not in the program, of this class and of those it inherits from, as `module:Name`."""
        for base in unit.bases:
            found = self._program.resolve(unit, base)
            if found is not None and self._program.units[found].kind == "class":
                yield from self._ancestors_outside(self._program.units[found])
                continue
            first, *rest = base.split(".")
            target = unit.imports.get(first) or self._program.units[f"{unit.module}:"].imports.get(first)
            if target is not None:
                yield ".".join((target if ":" in target else f"{target}:", *rest)).replace(":.", ":")
            elif first in ("Exception", "dict", "list", "str", "int", "tuple", "RuntimeError", "ValueError"):
                yield f"builtins:{first}"


@cache
def _has(base: str, name: str) -> bool:
    """Whether a class from elsewhere has such a member, so that a method of this name overrides it."""
    module, _, dotted = base.partition(":")
    if not dotted:
        return False
    try:
        found: object = importlib.import_module(module)
        for part in dotted.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return True
    return hasattr(found, name)


class _Names(ast.NodeVisitor):
    """Collect what a unit refers to."""

    def __init__(self, unit: Unit, *, annotations_count: bool = False) -> None:
        self._unit = unit
        self._annotations_count = annotations_count

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._unit.names.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            self._unit.attributes.add(node.attr)
            if dotted := _dotted(node):
                self._unit.names.add(dotted)
        self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and len(node.value) < 5_000:
            self._unit.strings.add(node.value)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._unit.loaded.add(alias.name)
            bound = alias.asname or alias.name.partition(".")[0]
            self._unit.imports[bound] = alias.name if alias.asname else bound

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        self._unit.loaded.add(module)
        for alias in node.names:
            self._unit.imports[alias.asname or alias.name] = f"{module}:{alias.name}"

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass") and len(node.args) == 2:
            self.visit(node.args[0])
            _Types(self._unit).visit(node.args[1])
            return
        if isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr") and len(node.args) > 1:
            name = node.args[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self._unit.attributes.add(name.value)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.type is not None:
            _Types(self._unit).visit(node.type)
        for statement in node.body:
            self.visit(statement)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        _Types(self._unit).visit(node.cls)
        self._unit.attributes.update(node.kwd_attrs)
        for pattern in (*node.patterns, *node.kwd_patterns):
            self.visit(pattern)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if self._annotations_count:
            self.visit(node.annotation)
        else:
            _Types(self._unit).visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
        if not isinstance(node.target, ast.Name):
            self.visit(node.target)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A function inside another belongs to it; a library that is given it may read its annotations."""
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg) and argument.annotation is not None:
                self.visit(argument.annotation)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.decorator_list):
            self.visit(default)
        if node.returns is not None:
            _Types(self._unit).visit(node.returns)
        for statement in node.body:
            self.visit(statement)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - the name ast calls


class _Types(ast.NodeVisitor):
    """Collect names that stand where no instance is made."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def visit_Name(self, node: ast.Name) -> None:
        self._unit.types.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if dotted := _dotted(node):
            self._unit.types.add(dotted)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            try:
                self.visit(ast.parse(node.value, mode="eval").body)
            except SyntaxError:
                pass


def _registers(decorator: ast.expr) -> bool:
    name = _dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
    return name.rpartition(".")[2] not in _TRANSPARENT and not name.startswith("pytest.")


def entry_points(root: Path, package: str) -> tuple[str, ...]:
    """The scripts of the project, and `python -m`."""
    scripts = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    return (*scripts.values(), f"{package}.__main__:")


def _module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _assigned(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
            and isinstance(name.ctx, ast.Store)]  # fmt: skip


def _dotted(node: ast.AST) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else ""
