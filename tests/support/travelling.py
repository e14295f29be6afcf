"""A plan of every kind of operation, with two revisions, comments and a long context, as a bundle."""

import json
from pathlib import Path

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.choices import Drop
from tandem_desktop.services.engine import Engine

FILES = {"notes.txt": "one\ntwo\nthree\n", "old.py": "print('old')\n", "gone.txt": "gone\n", "run.sh": "#!/bin/sh\n"}
STEPS = [
    ("edit", {"path": "notes.txt", "old_string": "two", "new_string": "TWO"}),
    ("write", {"path": "new/déjà.txt", "content": "new\n"}),
    ("write", {"path": "image.bin", "content_base64": "AAEC/w=="}),
    ("move", {"path": "old.py", "to": "lib/old.py"}),
    ("delete", {"path": "gone.txt"}),
    ("chmod", {"path": "run.sh", "mode": "0755"}),
    ("symlink", {"path": "current", "target": "new"}),
    ("mkdir", {"path": "empty"}),
    ("bash", {"command": "true", "env": {"A": "1"}}),
    ("write", {"path": "dropped.txt", "content": "dropped\n"}),
]


def a_folder(root: Path) -> Path:
    for name, text in FILES.items():
        root.mkdir(exist_ok=True)
        (root / name).write_text(text)
    return root


def plan_json(context: dict[str, object] | None = None) -> bytes:
    steps = [{"description": f"Step {tool}", "tool": tool, "args": args} for tool, args in STEPS]
    return json.dumps({"title": "A plan that travels", "steps": steps, "context": context or {}}).encode()


def export_one(engine: Engine) -> bytes:
    """A plan with a person's own second revision, comments, and a rejection."""
    notes = "long " * 12_000
    plan_id = engine.proposals.propose(plan_json({"notes": notes})).plan_id
    engine.proposals.drop(plan_id, [Drop.parse("s10")])
    engine.commenting.add(plan_id, "why so loud?", OperationId("s1"))
    engine.decisions.reject(plan_id, "quieter")
    engine.proposals.restore(plan_id, 2)
    engine.commenting.add(plan_id, "better", OperationId("s2"))
    return engine.bundles.export(plan_id)


def a_travelling_plan(folder: Path) -> bytes:
    engine = build_engine(a_folder(folder / "project"), state=folder / "state")
    try:
        return export_one(engine)
    finally:
        engine.close()
