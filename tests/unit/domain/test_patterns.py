"""Expressions of modules are compiled when they are used, and answer as compiled ones do."""

import re

import pytest

from tandem_desktop.domain.patterns import lazy_pattern


def test_nothing_is_compiled_before_the_first_use() -> None:
    wrong = lazy_pattern("(")
    with pytest.raises(re.error):
        wrong.search("text")


def test_it_answers_as_the_compiled_expression_does() -> None:
    for text, flags in (("A(b)", 0), ("a(b)", re.IGNORECASE)):
        lazy, compiled = lazy_pattern(text, flags), re.compile(text, flags)
        assert lazy.sub("-", "xAbx") == compiled.sub("-", "xAbx")
        assert [each.span(1) for each in lazy.finditer("AbAb")] == [each.span(1) for each in compiled.finditer("AbAb")]
        assert (lazy.pattern, lazy.flags, lazy.groups) == (compiled.pattern, compiled.flags, compiled.groups)
    assert lazy_pattern(rb"\d+").findall(b"1 22") == [b"1", b"22"]
