"""Which card is next when an arrow key is pressed: along the lines where there are any, otherwise the nearest."""

from enum import Enum

from tandem_desktop.ui.graph.layered_layout import Box, Drawing


class Way(Enum):
    """Where an arrow key points."""

    LEFT = -1, 0
    RIGHT = 1, 0
    UP = 0, -1
    DOWN = 0, 1


def moved(drawing: Drawing, name: str, way: Way) -> str:
    """The name of the next card; the same where there is none. Without a card to begin from, the first."""
    box = drawing.box(name)
    if box is None:
        return drawing.boxes[0].name if drawing.boxes else ""
    across, down = way.value
    found = _across(drawing, box, across) if across else _along(drawing, box, down)
    return found.name if found is not None else name


def _across(drawing: Drawing, box: Box, across: int) -> Box | None:
    if across > 0:
        ends = {route.end for route in drawing.routes if route.start == box.name}
    else:
        ends = {route.start for route in drawing.routes if route.end == box.name}
    joined = [each for each in drawing.boxes if each.name in ends]
    beside = [each for each in drawing.boxes if (each.layer - box.layer) * across > 0]
    if not joined and beside:
        nearest = min(abs(each.layer - box.layer) for each in beside)
        joined = [each for each in beside if abs(each.layer - box.layer) == nearest]
    return min(joined, key=lambda each: (abs(each.middle - box.middle), each.y), default=None)


def _along(drawing: Drawing, box: Box, down: int) -> Box | None:
    same = [each for each in drawing.boxes if each.layer == box.layer and (each.y - box.y) * down > 0]
    return min(same, key=lambda each: abs(each.y - box.y), default=None)
