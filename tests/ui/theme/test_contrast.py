"""Whatever is written in the window can be read, in every theme."""

from itertools import product

import pytest

from tandem_desktop.ui.theme.theme import THEMES, Tokens, load_tokens
from tests.support.contrast import contrast

GROUNDS = ("surface", "panel", "raised", "hover", "selection")
SYNTAX = tuple(name for name in Tokens.__slots__ if name.startswith("syntax_"))
CODE_GROUNDS = ("surface", "panel", "raised", "added", "removed")

PAIRS = (
    *product(("text", "muted", "link"), GROUNDS),
    *product(("added_ink", "removed_ink", "risk", "ok"), ("surface", "panel", "raised", "selection")),
    ("accent_text", "accent"),
    ("accent_text", "accent_hover"),
    *product(("text", "muted"), ("added", "removed", "risk_surface", "info_surface")),
    ("text", "added_strong"),
    ("text", "removed_strong"),
    ("added_ink", "added"),
    ("removed_ink", "removed"),
    ("risk", "risk_surface"),
    ("link", "info_surface"),
    *product(SYNTAX, CODE_GROUNDS),
)
"""Every ink on every ground it is written on."""

MARKS = (
    *product(("focus", "accent"), ("surface", "panel", "raised")),
    *product(("line_strong",), ("surface", "panel", "raised")),
)
"""What is not words but has to be seen: rings, edges of boxes, tabs."""


@pytest.mark.parametrize("name", THEMES)
def test_every_ink_can_be_read_on_its_grounds(name: str) -> None:
    tokens = load_tokens(name)
    measured = {pair: contrast(getattr(tokens, pair[0]), getattr(tokens, pair[1])) for pair in PAIRS}
    assert {pair: round(value, 2) for pair, value in measured.items() if value < 4.5} == {}


@pytest.mark.parametrize("name", THEMES)
def test_every_mark_stands_out_from_its_ground(name: str) -> None:
    tokens = load_tokens(name)
    measured = {pair: contrast(getattr(tokens, pair[0]), getattr(tokens, pair[1])) for pair in MARKS}
    assert {pair: round(value, 2) for pair, value in measured.items() if value < 3} == {}


@pytest.mark.parametrize("name", ["colour-blind-dark", "colour-blind-light"])
@pytest.mark.parametrize("part", ["", "_ink", "_strong"])
def test_colour_blind_themes_tell_added_from_removed_by_blue_and_orange(name: str, part: str) -> None:
    tokens = load_tokens(name)
    added, removed = getattr(tokens, f"added{part}"), getattr(tokens, f"removed{part}")
    assert _blue(added) > _red(added)
    assert _red(removed) > _blue(removed)


def test_contrast_runs_from_one_to_twenty_one() -> None:
    assert contrast("#123456", "#123456") == 1
    assert round(contrast("#000000", "#ffffff"), 6) == round(contrast("#ffffff", "#000000"), 6) == 21


def _red(color: str) -> int:
    return int(color[1:3], 16)


def _blue(color: str) -> int:
    return int(color[5:7], 16)
