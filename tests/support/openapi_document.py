"""Write docs/openapi.json anew, after the API has changed: python -m tests.support.openapi_document."""

import json
from pathlib import Path

from tandem_desktop.api.openapi import description

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"

if __name__ == "__main__":
    DOCUMENT.write_text(json.dumps(description(), indent=1) + "\n")
