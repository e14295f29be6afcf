"""The drawing as SVG: well-formed whatever a plan is called, and every card with its whole text."""

from xml.etree import ElementTree

from tandem_desktop.ui.graph.layout import lay_out
from tandem_desktop.ui.graph.svg import Colours, as_svg
from tandem_desktop.ui.graph.view import GraphCard

SVG = "{http://www.w3.org/2000/svg}"
COLOURS = Colours(
    *("#0f1115", "#1b1f27", "#262b35", "#262b35", "#e6e9ef", "#8d96a7"), marks={"waiting": "#444444", "done": "#49c17a"}
)


def a_card(name: str, title: str, mark: str = "waiting") -> GraphCard:
    return GraphCard(name, title, "KODA · waiting", mark, f"Task {title}, waiting", None)


def drawn(*titles: str, heading: str = "A plan") -> ElementTree.Element:
    cards = {str(number): a_card(str(number), title) for number, title in enumerate(titles)}
    waits = {name: (str(int(name) - 1),) if name != "0" else () for name in cards}
    return ElementTree.fromstring(as_svg(lay_out(waits), cards, COLOURS, heading))


def test_cards_and_lines_are_all_there() -> None:
    found = drawn("Create types", "Implement service", "Update docs")
    assert len(found.findall(f"{SVG}g")) == 3
    assert len(found.findall(f"{SVG}path")) == 2
    assert next(each.findtext(f"{SVG}title") for each in found.findall(f"{SVG}g")) == "Task Create types, waiting"


def test_a_name_is_data_and_never_markup() -> None:
    hostile = '</text><script>alert("x")</script>\x00\x0b&amp;'
    found = drawn(hostile, heading=hostile)
    assert {each.tag for each in found.iter()} == {
        SVG + name for name in ("svg", "title", "rect", "g", "circle", "text")
    }
    title = found.findtext(f"{SVG}title")
    assert title is not None
    assert title.startswith("</text><script>")


def test_a_long_name_is_cut_with_a_mark_and_whole_in_its_title() -> None:
    found = drawn("Implement the whole of the service and its tests")
    card = found.find(f"{SVG}g")
    assert card is not None
    text = card.findtext(f"{SVG}text")
    assert text is not None
    assert text.endswith("…")
    assert card.findtext(f"{SVG}title") == "Task Implement the whole of the service and its tests, waiting"


def test_the_picture_is_as_large_as_the_drawing_with_an_edge_around() -> None:
    found = drawn("One")
    assert found.get("viewBox") == "-24 -24 252 102"
