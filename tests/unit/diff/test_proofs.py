"""Only what is proved to have no effect is called format or comment."""

import ast
import keyword
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.diff.hunk_classes import ProvedChange, changed_lines, class_of
from tandem_desktop.diff.hunks import hunks
from tandem_desktop.diff.proofs import is_likely, prove
from tandem_desktop.diff.syntax import GRAMMARS, LONGEST, grammar_of, parse


def classes(path: str, before: str, after: str) -> list[str]:
    """The class of each hunk, empty where nothing is proved."""
    found = hunks(before.encode(), after.encode())
    return [class_of(hunk, proved_of(path, before, after)) for hunk in found]


def proved_of(path: str, before: str, after: str) -> list[ProvedChange]:
    old, new = before.encode(), after.encode()
    changes = [*changed_lines(hunks(old, new))]
    if not is_likely(path, old, new, changes):
        return []
    return [ProvedChange(lines, kind) for lines, kind in prove(path, old, new, changes)]


FORMAT = [
    ("a.py", "f(1, 2)\n", "f(\n    1,\n    2\n)\n"),
    ("a.py", "if a:\n  b()\n", "if a:\n    b()\n"),
    ("a.py", "a = 1\nb = 2\n", "a = 1\n\n\nb = 2\n"),
    ("a.js", "function f() { return g(a, b) }\n", "function f() {\n  return g(\n    a,\n    b\n  )\n}\n"),
    ("a.ts", "let x: number =1;\n", "let x: number = 1;\n"),
    ("a.tsx", "let x = f( 1 );\n", "let x = f(1);\n"),
    ("a.go", "package a\n\nvar  x = 1\n", "package a\n\nvar x = 1\n"),
    ("a.rs", "fn f() { g(1); }\n", "fn f() {\n    g(1);\n}\n"),
    ("a.java", "class A { int x=1; }\n", "class A {\n  int x = 1;\n}\n"),
    ("a.c", "int f(int a){return a;}\n", "int f(int a) {\n  return a;\n}\n"),
    ("a.cpp", "namespace a { int x; }\n", "namespace a {\nint x;\n}\n"),
    ("a.json", '{"a":1,"b":[1,2]}\n', '{\n  "a": 1,\n  "b": [1, 2]\n}\n'),
    ("a.yaml", "a:\n  - 1\n  - 2\n", "a:\n    - 1\n    - 2\n"),
    ("a.toml", "a=1\n", "a = 1\n"),
    ("a.css", "a{color:red}\n", "a {\n  color:red\n}\n"),
    ("a.html", '<p  class="x">a</p>\n', '<p class="x">a</p>\n'),
    ("a.md", "# T\n\nsome words in a\nparagraph\n", "# T\n\nsome words\nin a paragraph\n"),
]


@pytest.mark.parametrize(("path", "before", "after"), FORMAT, ids=lambda each: each if len(each) < 8 else "")
def test_another_layout_of_the_same_tokens_is_format(path: str, before: str, after: str) -> None:
    assert classes(path, before, after) == ["format"]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "x = f('a', 1)\n", 'x = f(\n    "a",\n    1,\n)\n'),
        ("a.py", "x = a and b\n", "x = (\n    a\n    and b\n)\n"),
        ("a.py", "x = (a, b)\n", "x = (\n    a,\n    b,\n)\n"),
        ("a.py", "from a import (b, c)\n", "from a import (\n    b,\n    c,\n)\n"),
        ("a.js", "f('a', [1, 2])\n", 'f("a", [\n  1,\n  2,\n])\n'),
        ("a.ts", "const { a } = { a: 'b' };\n", 'const { a } = {\n  a: "b",\n};\n'),
    ],
)
def test_what_formatters_add_without_an_effect_is_format(path: str, before: str, after: str) -> None:
    assert classes(path, before, after) == ["format"]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "x = (a)\n", "x = (a,)\n"),
        ("a.py", "x[a]\n", "x[a,]\n"),
        ("a.py", "(x): int = 1\n", "x: int = 1\n"),
        ("a.py", "x = (a + b) * c\n", "x = a + b * c\n"),
        ("a.py", "x = (a < b) < c\n", "x = a < b < c\n"),
        ("a.py", "x = 'a\\n'\n", 'x = "a\\t"\n'),
        ("a.py", "x = 'a'\n", "x = b'a'\n"),
        ("a.js", "f([1,])\n", "f([1,,])\n"),
        ("a.js", "x = (a?.b).c\n", "x = a?.b.c\n"),
        ("a.js", "x = 'a'\n", "x = `a`\n"),
        ("a.c", "x = 'a';\n", 'x = "a";\n'),
    ],
)
def test_comma_quotes_and_parentheses_with_an_effect_are_not_marked(path: str, before: str, after: str) -> None:
    assert not any(classes(path, before, after))


def test_every_language_has_an_example_of_format() -> None:
    assert {grammar.name for path, *_ in FORMAT if (grammar := grammar_of(path)) is not None} == set(GRAMMARS)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "x = 1  # old words\n", "x = 1  # new words\n"),
        ("a.py", "def f():\n    # why\n    return 1\n", "def f():\n    return 1\n"),
        ("a.js", "/* Copyright 2024 */\nf();\n", "/* Copyright 2025 */\nf();\n"),
        ("a.ts", "f();\n", "f(); // after this\n"),
        ("a.go", "package a\n\nvar x = 1\n", "package a\n\n// x is one.\nvar x = 1\n"),
        ("a.rs", "fn f() {\n    // old\n    g();\n}\n", "fn f() {\n    // new\n    g();\n}\n"),
        ("a.java", "class A {\n  // old\n  int x;\n}\n", "class A {\n  // new\n  int x;\n}\n"),
        ("a.c", "int x; /* old */\n", "int x; /* new */\n"),
        ("a.yaml", "a: 1 # old\n", "a: 1 # new\n"),
        ("a.toml", "a = 1 # old\n", "a = 1 # new\n"),
        ("a.css", "/* old */\na { color: red }\n", "/* new */\na { color: red }\n"),
    ],
)
def test_other_comments_around_the_same_tokens_are_comment(path: str, before: str, after: str) -> None:
    assert classes(path, before, after) == ["comment"]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
        ("a.py", "def f():\n    'what'\n    return 1\n", "def f():\n    'that'\n    return 1\n"),
        ("a.py", "x = 'a  b'\n", "x = 'a b'\n"),
        ("a.py", "x = f'{a} b'\n", "x = f'{a}  b'\n"),
        ("a.py", "a = b\nc\n", "a = b; c\n"),
        ("a.py", "a\n(b)\n", "a(b)\n"),
        ("a.py", "x = (1)\n", "x = (1,)\n"),
        ("a.py", "x = not a\n", "x = nota\n"),
        ("a.py", 'x = """\n# a\n"""\n', 'x = """\n# b\n"""\n'),
        ("a.js", "function f() {\n  return x\n}\n", "function f() {\n  return\n  x\n}\n"),
        ("a.js", "a\n(b)\n", "a(b)\n"),
        ("a.js", "a\n++b\n", "a++\nb\n"),
        ("a.js", "x = `a  b`\n", "x = `a b`\n"),
        ("a.js", "x = /a  b/\n", "x = /a b/\n"),
        ("a.jsx", "x = <p> <b/></p>;\n", "x = <p><b/></p>;\n"),
        ("a.jsx", "x = <p>a  b</p>;\n", "x = <p>a b</p>;\n"),
        ("a.tsx", "x = <p>{a} {b}</p>;\n", "x = <p>{a}{b}</p>;\n"),
        ("a.ts", "type A = { a: 1 }\n", "type A = { a: 2 }\n"),
        ("a.go", 'package a\n\n// int x;\nimport "C"\n', 'package a\n\n// int y;\nimport "C"\n'),
        ("a.rs", "/// >>> 1\nfn f() {}\n", "/// >>> 2\nfn f() {}\n"),
        ("a.rs", "m!(a && b);\n", "m!(a & & b);\n"),
        ("a.java", "class A {\n  // x\n}\n", "class A {\n  // \\u000a int y;\n}\n"),
        ("a.c", "#define F(x) x\n", "#define F (x) x\n"),
        ("a.c", "#define F a b\n", "#define F a  b\n"),
        ("a.c", "x = a & &b;\n", "x = a && b;\n"),
        ("a.json", '{"a": 1}\n', '{"a": 1} // b\n'),
        ("a.json", '{"a": "x  y"}\n', '{"a": "x y"}\n'),
        ("a.yaml", "a: |\n  x\n  y\n", "a: |\n  x\n   y\n"),
        ("a.yaml", "a:\n  b: 1\n  c: 2\n", "a:\n  b: 1\nc: 2\n"),
        ("a.yaml", "a: b # c\n", "a: b# c\n"),
        ("a.yaml", "a: |+\n  x\n\nb: 1\n", "a: |+\n  x\n\n\nb: 1\n"),
        ("a.toml", 'a = """\n# x\n"""\n', 'a = """\n# y\n"""\n'),
        ("a.css", "a .b { color: red }\n", "a.b { color: red }\n"),
        ("a.css", "a { width: calc(1px + 2px) }\n", "a { width: calc(1px +2px) }\n"),
        ("a.css", "a { b: 1 -1 }\n", "a { b: 1-1 }\n"),
        ("a.html", "<p>a <b>c</b></p>\n", "<p>a<b>c</b></p>\n"),
        ("a.html", '<p title="a  b">c</p>\n', '<p title="a b">c</p>\n'),
        ("a.html", "<!-- ko if: a -->\n<p></p>\n", "<!-- ko if: b -->\n<p></p>\n"),
        ("a.md", "words in a\nparagraph - here\n", "words in a paragraph\n- here\n"),
        ("a.md", "a  \nb\n", "a\nb\n"),
        ("a.md", "    code  x\n", "    code x\n"),
        ("a.mk", "a:\n\tb\n", "a:\n    b\n"),
        ("a.txt", "a b\n", "a  b\n"),
    ],
)
def test_what_can_have_a_meaning_is_not_marked(path: str, before: str, after: str) -> None:
    assert not any(classes(path, before, after))


@pytest.mark.parametrize(
    ("path", "comment"),
    [
        *(("a.py", f"# {words}") for words in ("type: int", "noqa", "pragma: no cover", "pylint: disable=x")),
        *(("a.py", words) for words in ("#!/bin/sh", "# -*- coding: latin-1 -*-", "# /// script", "# vim: set x :")),
        *(("a.js", f"// {words}") for words in ("eslint-disable-line", "@ts-ignore", "prettier-ignore", "@flow")),
        *(("a.js", words) for words in ("//# sourceMappingURL=x", "/*#__PURE__*/", "/* istanbul ignore next */")),
        *(("a.js", words) for words in ("/* global a */", "/** @type {number} */", "/* webpackIgnore: true */")),
        *(("a.ts", words) for words in ('/// <reference path="x" />', "// @ts-expect-error")),
        *(("a.go", words) for words in ("//go:build linux", "// +build linux", "//nolint:all", "// Output: 1")),
        *(("a.go", words) for words in ("// Deprecated: gone.", "// Code generated by x. DO NOT EDIT.")),
        *(("a.rs", words) for words in ("//! crate", "/// doc")),
        *(("a.c", words) for words in ("// NOLINT", "// clang-format off", "/* clang-format off */")),
        *(("a.yaml", f"# {words}") for words in ("yamllint disable", "renovate: datasource=x", "$schema=x")),
        *(("a.css", words) for words in ("/*# sourceMappingURL=x */", "/* stylelint-disable */")),
    ],
)
def test_comment_that_instructs_a_tool_is_not_marked(path: str, comment: str) -> None:
    code = {"a.go": "package a\n", "a.yaml": "a: 1\n", "a.css": "a { b: c }\n", "a.rs": "fn f() {}\n"}
    line = code.get(path, "int x;\n" if path == "a.c" else "f(1)\n")

    assert not any(classes(path, f"{line}\n{line}", f"{comment}\n{line}\n{line}"))
    assert not any(classes(path, f"{line}{comment}\n{line}", f"{line}{line}"))


def test_changes_of_one_hunk_are_told_apart() -> None:
    before, after = "a = 1  # x\nb = 2\nc = 3\nd = f(1,2)\n", "a = 1  # y\nb = 2\nc = 4\nd = f(1, 2)\n"
    found = hunks(before.encode(), after.encode())
    proved = proved_of("a.py", before, after)

    assert [(each.kind.value, each.lines.old, each.lines.new) for each in proved] == [
        ("comment", (0, 1), (0, 1)),
        ("format", (3, 4), (3, 4)),
    ]
    assert class_of(found[0], proved) == ""
    assert [each.old for each in changed_lines(found)] == [(0, 1), (2, 4)]


def parts(path: str, before: str, after: str) -> list[tuple[str, tuple[int, int], tuple[int, int]]]:
    return sorted((each.kind.value, each.lines.old, each.lines.new) for each in proved_of(path, before, after))


def test_comments_and_empty_lines_within_new_code_are_told_from_it() -> None:
    after = "x = 1\n\n\ndef f():\n    # why\n\n    return 1\n"

    assert parts("a.py", "x = 1\n", after) == [("comment", (1, 1), (4, 6)), ("format", (1, 1), (1, 3))]
    assert parts("a.py", after, "x = 1\n") == [("comment", (4, 6), (1, 1)), ("format", (1, 3), (1, 1))]


def test_file_that_comes_or_goes_as_a_whole_has_proved_lines_too() -> None:
    content = "// what it is\n\nf();\n"

    assert parts("a.js", "", content) == [("comment", (0, 0), (0, 2))]
    assert parts("a.js", content, "") == [("comment", (0, 2), (0, 0))]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", 'x = """\n\n# no comment\n"""\n'),
        ("a.py", "x = 1 + \\\\\n\n"),
        ("a.js", "x = `\n\n// no comment\n`;\n"),
        ("a.jsx", "x = <p>\n\n  // text\n</p>;\n"),
        ("a.c", "#define F \\\\\n\\\\\n  x\n"),
        ("a.go", "package a\n\nvar x = `\n\n// text\n`\n"),
        ("a.yaml", "a: |\n  x\n\n  # text\n  y\n"),
        ("a.md", "a\n\nb\n"),
        ("a.rst", "a\n\nb\n"),
    ],
)
def test_line_that_only_looks_empty_or_like_a_comment_is_not_proved(path: str, content: str) -> None:
    inside = {line for line in range(content.count("\n")) if line > 0}
    found = proved_of(path, "", content)

    assert not inside & {line for each in found for line in range(*each.lines.new)} or path == "a.go"
    assert all(each.lines.new[1] <= 2 for each in found)


def test_block_comment_keeps_the_end_that_stays() -> None:
    """Without its first line the rest of a comment would be code; the lines within can go."""
    before = "/* one\n   two\n   three */\nf();\n"
    after = "/* other\n   more\n   three */\ng();\n"

    assert parts("a.js", before, after) == [("comment", (0, 2), (0, 2))]
    assert parts("a.js", "f();\n/* one\n   two */\n", "g(); /* one\n   two */\n") == []


def test_instruction_within_new_code_is_not_proved() -> None:
    assert parts("a.py", "x = 1\n", "x = 1\nimport a  # noqa\n# type: ignore\ny = 1\n") == []
    assert parts("a.py", "x = 1\n", "x = 1\ny = 2\n# prose\nz = 3\n") == [("comment", (1, 1), (2, 3))]


@pytest.mark.parametrize("comment", ["// eslint-disable-next-line", "/* istanbul ignore next */", "// @ts-ignore"])
def test_line_between_an_instruction_and_what_it_is_about_is_not_proved(comment: str) -> None:
    assert parts("a.js", f"{comment}\nf();\n", f"{comment}\n\nf();\n") == []
    assert parts("a.js", f"{comment}\nf();\n", f"{comment}\n// words\nf();\n") == []


def test_empty_line_that_ends_a_build_constraint_is_not_proved() -> None:
    assert parts("a.go", "// +build linux\n\npackage a\n", "// +build linux\npackage a\n") == []


def test_format_that_only_a_hidden_neighbour_makes_harmless_is_not_marked() -> None:
    """The comment lies in a string once the other change is there."""
    before, after = "a = 1\nb\nb\n# x\nb\nb\nc = 1\n", 'a = """\nb\nb\n# y\nb\nb\nc = """\n'

    assert not any(classes("a.py", before, after))


def test_indentation_that_only_another_change_makes_right_is_not_marked() -> None:
    """Without the folded change the file would not compile; the parser alone lets it pass."""
    before = "def f():\n    with a:\n        b()\n        c()\n\n        d()\n        e()\n\n        g()\n"
    after = "def f():\n    x()\n    y()\n\n    d()\n    e()\n\n    g()\n"

    assert not any(classes("a.py", before, after))
    assert proved_of("a.py", before, after) == []


def test_block_that_loses_its_head_is_read_as_its_head_only() -> None:
    """What is left of the file with the old lines is the same block, one level deeper."""
    before = "def f():\n    with a:\n        b()\n        c()\n    d()\n"
    whole, half = "def f():\n    b()\n    c()\n    d()\n", "def f():\n    b()\n    with a:\n        c()\n    d()\n"

    assert proved_of("a.py", before, whole) == []
    assert proved_of("a.py", before.replace("    d()\n", ""), whole.replace("    d()\n", "")) != []
    assert proved_of("a.py", before, half) == []


@pytest.mark.parametrize("broken", ["def f(:\n    x = 1\n", "x = (1\n", "class\n"])
def test_file_that_does_not_parse_is_not_marked(broken: str) -> None:
    assert not any(classes("a.py", f"{broken}y  = 1\n", f"{broken}y = 1\n"))
    assert not any(classes("a.py", "y  = 1\n", f"y = 1\n{broken}"))


def test_content_that_is_too_large_or_binary_is_not_parsed() -> None:
    grammar = GRAMMARS["python"]

    assert parse(grammar, b"x = 1\n") is not None
    assert parse(grammar, b"x = 1\n" * (LONGEST // 6 + 1)) is None
    assert parse(grammar, b"x = 1\0\n") is None


def test_nesting_without_end_is_only_unmarked() -> None:
    deep = "(" * 20_000 + "1" + ")" * 20_000

    assert not any(classes("a.js", f"x = {deep};\ny  = 1;\nz = 1;\n", f"x = {deep};\ny = 2;\nz = 1;\n"))


PROGRAM = """
import os
from typing import Any

LIMIT = 10  # the most


class Store:
    \"\"\"Keeps values.\"\"\"

    def __init__(self, name: str, *, size: int = 3) -> None:
        self.name = name
        self.values: dict[str, Any] = {}
        self.size = size

    def put(self, key: str, value: Any) -> bool:
        # nothing is replaced
        if key in self.values or len(self.values) >= self.size:
            return False
        self.values[key] = value
        return True


def main(argv: list[str]) -> int:
    store = Store(argv[0], size=LIMIT)
    for each in argv[1:]:
        if not store.put(each, os.environ.get(each, "none")):
            print("full:", each)
            break
    else:
        print(f"kept {len(store.values)} of {store.size}")
    return -1 if store.values else 0
"""
TOKENS = re.compile(r"[A-Za-z_]\w*|\d+|\"[^\"\n]*\"|[-+*/%<>=!]=?|[.,:;()\[\]{}]|\n +")


@given(seed=st.integers(0, 10_000))
def test_python_whose_tree_is_another_is_never_marked_as_a_whole(seed: int) -> None:
    """A token replaced, doubled, dropped or moved: whatever still parses has another tree, or the class is right."""
    draw = random.Random(seed)
    places = [found.span() for found in TOKENS.finditer(PROGRAM)]
    start, end = draw.choice(places)
    token = PROGRAM[start:end]
    first, last = draw.choice(places)
    instead = draw.choice(("", f"{token} {token}", "1", "None", "x", "not ", "-", "\n", PROGRAM[first:last]))
    mutated = PROGRAM[:start] + instead + PROGRAM[end:]
    if keyword.iskeyword(token) and instead == "":
        mutated = PROGRAM[:start] + PROGRAM[end:].lstrip(" ")

    found = classes("a.py", PROGRAM, mutated)

    if found and all(found):
        assert ast.dump(ast.parse(mutated)) == ast.dump(ast.parse(PROGRAM))


JS = """
import { a } from "b";

export class Store extends Base {
  #size = 3;
  put(key, value) {
    // nothing is replaced
    if (this.has(key) || this.values.length >= this.#size) return false;
    this.values = { ...this.values, [key]: value ?? a };
    return true;
  }
}

export const sum = (...all) => all.reduce((one, other) => one + other, 0);
for (let at = 0; at < 3; at++) console.log(`${at}: ${sum(at, -at)}`);
"""
JS_TOKENS = re.compile(r"[A-Za-z_#]\w*|\d+|\"[^\"\n]*\"|[-+*/%<>=!?&|]+|[.,:;()\[\]{}]")


@given(seed=st.integers(0, 10_000))
def test_script_with_another_token_is_never_marked(seed: int) -> None:
    draw = random.Random(seed)
    start, end = draw.choice([found.span() for found in JS_TOKENS.finditer(JS) if not _is_comment(found.start())])
    token = JS[start:end]
    instead = draw.choice([each for each in ("", "1", "x", "(", ";", "!", "-", "return", ".y") if each != token])

    assert not any(classes("a.js", JS, JS[:start] + instead + JS[end:]))


def _is_comment(at: int) -> bool:
    return "//" in JS[JS.rfind("\n", 0, at) : at + 1]


@pytest.mark.parametrize(
    "line", ["    ),  # why\n", "    (),  # why\n", "    '',  # why\n", '    "",  # why\n', "    ,  # why\n"]
)
def test_line_with_a_comment_and_anything_else_is_more_than_a_comment(line: str) -> None:
    before, after = b"a = f(\n    1,\n)\n", f"a = f(\n    1,\n{line})\n".encode()

    assert prove("a.py", before, after, [*changed_lines(hunks(before, after))]) == ()


def test_clause_that_begins_elsewhere_than_its_statement_is_no_format() -> None:
    before = b"if a:\n    if b:\n            c()\n    elif d:\n            e()\n"
    after = b"if a:\n    b()\nelif b:\n    c()\nelif d:\n    e()\n"
    found = prove("a.py", before, after, [*changed_lines(hunks(before, after))])

    assert not any(b"elif d" in b"".join(after.splitlines()[slice(*lines.new)]) for lines, _ in found)


def test_file_that_does_not_parse_has_no_empty_lines_to_leave_out() -> None:
    before, after = b"def a(:\n    pass\n", b"def a(:\n\n    pass\n"

    assert prove("a.py", before, after, [*changed_lines(hunks(before, after))]) == ()
