"""Which functions of a file only pass on what they are given."""

import ast
from functools import cache
from pathlib import Path


@cache
def passing_on(path: Path) -> frozenset[tuple[int, str]]:
    """The functions of a file that only pass on, by their first line and name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Lambda) and _is_one_call(node.body):
            found.add((node.lineno, "<lambda>"))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _only_calls(node):
            found.add((min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.name))
    return frozenset(found)


def _only_calls(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    match body:
        case [ast.Return(value=ast.expr() as value) | ast.Expr(value=value)]:
            return _is_one_call(value)
        case _:
            return False


def _is_one_call(value: ast.expr) -> bool:
    call = value.value if isinstance(value, ast.Await) else value
    if not isinstance(call, ast.Call):
        return False
    return all(map(_is_handed_on, [*call.args, *(each.value for each in call.keywords)]))


def _is_handed_on(argument: ast.expr) -> bool:
    match argument:
        case ast.Name() | ast.Constant() | ast.Lambda():
            return True
        case ast.Attribute(value=value) | ast.Starred(value=value):
            return _is_handed_on(value)
        case ast.Call():
            return _is_one_call(argument)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return all(map(_is_handed_on, elements))
        case _:
            return False
