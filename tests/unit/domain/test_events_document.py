"""The event protocol in the documents is the union the stream carries."""

from pathlib import Path
from typing import get_args

import pytest

from tandem_desktop.domain.events import TandemEvent

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "events.md"


def rows() -> list[str]:
    found = []
    for event in get_args(get_args(TandemEvent)[0]):
        fields = ", ".join(f"`{name}`" for name in event.model_fields if name != "type")
        words = " ".join((event.__doc__ or "").split("\n\n")[0].split())
        found.append(f"| `{event.model_fields['type'].default}` | {fields} | {words} |")
    return found


@pytest.mark.req("S3-43")
def test_document_lists_every_event_with_its_fields() -> None:
    written = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
    assert written == rows()
