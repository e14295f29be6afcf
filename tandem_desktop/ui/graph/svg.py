"""Exports the graph as SVG."""

from collections.abc import Mapping
from dataclasses import dataclass

from tandem_desktop.ui.graph.layout import Box, Drawing, Route
from tandem_desktop.ui.graph.view import GraphCard

_EDGE = 24
_TITLE, _DETAIL = 24, 32
"""Characters that fit a card."""


@dataclass(frozen=True, slots=True)
class Colours:
    """`#rrggbb` each."""

    surface: str
    card: str
    edge: str
    line: str
    text: str
    muted: str
    marks: Mapping[str, str]
    """A colour for every word of `status_mark.MARKS`."""


def as_svg(drawing: Drawing, cards: Mapping[str, GraphCard], colours: Colours, title: str) -> str:
    """The whole drawing."""
    width, height = drawing.width + 2 * _EDGE, drawing.height + 2 * _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="{-_EDGE} {-_EDGE} {width:g} {height:g}" font-family="sans-serif" role="img">',
        f"<title>{_text(title)}</title>",
        f'<rect x="{-_EDGE}" y="{-_EDGE}" width="{width:g}" height="{height:g}" fill="{colours.surface}"/>',
        *(f'<path d="{path_of(route)}" fill="none" stroke="{colours.line}"/>' for route in drawing.routes),
        *(_card(box, cards[box.name], colours) for box in drawing.boxes),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def path_of(route: Route) -> str:
    """A smooth line through the points of a route."""
    (x, y), *rest = route.points
    steps = [f"M{x:g},{y:g}"]
    for to_x, to_y in rest:
        middle = (x + to_x) / 2
        steps.append(f"C{middle:g},{y:g} {middle:g},{to_y:g} {to_x:g},{to_y:g}")
        x, y = to_x, to_y
    return " ".join(steps)


def _card(box: Box, card: GraphCard, colours: Colours) -> str:
    face = ' font-family="monospace"' if card.is_code else ' font-weight="600"'
    size = f'width="{box.width:g}" height="{box.height:g}"'
    return (
        f"<g><title>{_text(card.spoken)}</title>"
        f'<rect x="{box.x:g}" y="{box.y:g}" {size} rx="8" fill="{colours.card}" stroke="{colours.edge}"/>'
        f'<circle cx="{box.x + box.width - 19:g}" cy="{box.y + 19:g}" r="8" fill="{colours.marks[card.mark]}"/>'
        f'<text x="{box.x + 12:g}" y="{box.y + 23:g}" font-size="13"{face} fill="{colours.text}">'
        f"{_text(_cut(card.title, _TITLE))}</text>"
        f'<text x="{box.x + 12:g}" y="{box.y + 41:g}" font-size="11" fill="{colours.muted}">'
        f"{_text(_cut(card.detail, _DETAIL))}</text></g>"
    )


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _text(text: str) -> str:
    """Escaped, and without what XML cannot hold."""
    from xml.sax.saxutils import escape  # imports urllib; exports are rare

    return escape("".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text))
