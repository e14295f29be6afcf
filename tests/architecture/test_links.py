"""No page leads nowhere: every link, anchor and picture of the documents is there, and every page is listed."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted((*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "packaging").rglob("*.md")))
_LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)\)")
_MOST_BYTES, _MOST_TOGETHER = 150_000, 2_000_000


def prose(path: Path) -> str:
    """Without what stands in code."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda code: re.sub(r"[\[\]()]", " ", code[0]), text)


def links(path: Path) -> list[str]:
    return [found for found in _LINK.findall(prose(path)) if "://" not in found]


def anchors(path: Path) -> set[str]:
    """As a page of the repository names its headings."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.M | re.S), re.M)
    kept = (re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", each)) for each in headings)
    return {each.lower().replace(" ", "-") for each in kept}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_every_page_is_listed_in_the_index() -> None:
    listed = {(index.parent / link).resolve() for index in DOCS.rglob("README.md") for link in links(index)}
    assert sorted(set(DOCS.rglob("*.md")) - listed - {DOCS / "README.md"}) == []


def test_every_picture_is_shown_and_small() -> None:
    pictures = {path.resolve() for path in DOCS.rglob("*.png")}
    shown = {(page.parent / link).resolve() for page in PAGES for link in links(page) if link.endswith(".png")}
    assert pictures == shown
    sizes = [path.stat().st_size for path in pictures]
    assert max(sizes) <= _MOST_BYTES
    assert sum(sizes) <= _MOST_TOGETHER


def test_each_test_that_a_page_names_is_there() -> None:
    for page in PAGES:
        for name in re.findall(r"`(tests/[\w./-]+)`", page.read_text("utf-8")):
            assert (ROOT / name).exists(), f"{page.name}: {name}"
