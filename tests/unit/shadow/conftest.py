"""Both kinds of shadow, opened over a workspace the test fills first."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import ShadowError
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.shadows import Kind, ShadowPlace


@pytest.fixture(scope="session")
def why_no_overlay(tmp_path_factory: pytest.TempPathFactory) -> str:
    if missing := bubblewrap_missing():
        return missing
    place = ShadowPlace(tmp_path_factory.mktemp("probe"), "overlay")
    try:
        place.open()
    except ShadowError as refusal:
        return refusal.message
    place.close()
    return ""


def _place(tmp_path: Path, kind: Kind, why_no_overlay: str) -> Iterator[ShadowPlace]:
    if kind == "overlay" and why_no_overlay:
        pytest.skip(f"no overlay here: {why_no_overlay}")
    if bubblewrap_missing():
        pytest.skip(f"nothing can be confined here: {bubblewrap_missing()}")
    place = ShadowPlace(tmp_path, kind)
    yield place
    place.close()


@pytest.fixture(params=["overlay", "copy"])
def place(request: pytest.FixtureRequest, tmp_path: Path, why_no_overlay: str) -> Iterator[ShadowPlace]:
    yield from _place(tmp_path, request.param, why_no_overlay)


@pytest.fixture
def overlay(tmp_path: Path, why_no_overlay: str) -> Iterator[ShadowPlace]:
    yield from _place(tmp_path, "overlay", why_no_overlay)
