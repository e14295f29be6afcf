"""Colours named for what they mean, so that a theme is a table and no widget knows a hue."""

import tomllib
from dataclasses import dataclass
from typing import Literal

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.storage.resources import resource

THEMES = ("dark", "light", "high-contrast", "colour-blind-dark", "colour-blind-light")


@dataclass(frozen=True, slots=True)
class Tokens:
    """One theme. Every value is `#rrggbb`."""

    scheme: Literal["dark", "light"]
    surface: str
    """The ground of the window."""
    panel: str
    """The ground of a pane or a card."""
    raised: str
    """What stands above a panel: a button, a bubble, an open row."""
    hover: str
    line: str
    """Edges that only order; `line_strong` where an edge is the control itself."""
    line_strong: str
    text: str
    muted: str
    accent: str
    """A filled button, a tab's mark. For words in this colour use `link`, for words on it `accent_text`."""
    accent_hover: str
    accent_text: str
    link: str
    added: str
    """The ground of an added line; `_strong` under changed words (written in `text`), `_ink` for words and signs."""
    added_strong: str
    added_ink: str
    removed: str
    removed_strong: str
    removed_ink: str
    risk: str
    risk_surface: str
    info_surface: str
    ok: str
    selection: str
    focus: str
    syntax_keyword: str
    syntax_string: str
    syntax_number: str
    syntax_comment: str
    syntax_function: str
    syntax_type: str
    syntax_decorator: str
    syntax_operator: str


def load_tokens(name: str) -> Tokens:
    """The tokens of one bundled theme.

    Raises:
        BadInputError: there is no theme of this name.
    """
    if name not in THEMES:
        raise BadInputError(f"There is no theme called {name}.", next=f"Choose one of {', '.join(THEMES)}.")
    table = tomllib.loads(resource(f"themes/{name}.toml").read_text(encoding="utf-8"))
    return Tokens(scheme=table["scheme"], **table["colors"])


def contrast(ink: str, ground: str) -> float:
    """How far two colours stand apart, from 1 (not at all) to 21 (black on white), as WCAG measures it."""
    darker, lighter = sorted((_luminance(ink), _luminance(ground)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(int(color[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
