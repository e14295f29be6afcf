"""What an agent really did in a real shadow comes out as operations that apply to the real workspace."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import ShadowError
from tandem_desktop.domain.operations import CommandCall, PathChange
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tandem_desktop.staging.requests import QueuedCommand
from tandem_desktop.staging.segments import Segment, staged_operations
from tandem_desktop.staging.simulate import simulate_operations
from tests.support.builders import A_MOMENT
from tests.support.shadows import ShadowPlace

FIRST = """
umask 022
mkdir -p new/deep empty && echo hello > new/deep/file.txt
mv src/moved.py src/renamed.py
mv folder other
chmod 755 run.sh
ln -s run.sh link
rm -r gone
"""
SECOND = """
umask 022
echo more >> new/deep/file.txt
rm kind && mkdir kind && echo inside > kind/file
rm -r turned && echo now a file > turned
rm link && ln -s src link
"""


@pytest.fixture(params=["overlay", "copy"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ShadowPlace]:
    if missing := bubblewrap_missing():
        pytest.skip(f"nothing can be confined here: {missing}")
    place = ShadowPlace(tmp_path, request.param)
    for path in ("src/moved.py", "folder/a", "folder/sub/b", "run.sh", "gone/x/y", "kind", "turned/file", "untouched"):
        place.put(path, f"this is {path}\n")
    try:
        place.open()
    except ShadowError as refusal:
        pytest.skip(f"no {request.param} here: {refusal.message}")
    yield place
    place.close()


def look(place: ShadowPlace) -> tuple[PathChange, ...]:
    return tuple(PathChange(path=each.path, before=each.before, after=each.after) for each in place.shadow.changes())


def test_a_busy_agent_leaves_a_plan_that_applies(place: ShadowPlace) -> None:
    place.agent(FIRST)
    before_command = Segment(look(place), QueuedCommand(number=1, call=CommandCall(command="make")))
    place.agent(SECOND)
    staged = staged_operations((before_command, Segment(look(place))), A_MOMENT)
    assert simulate_operations(staged.operations, place.workspace) == ()
    assert staged.warnings == ()
    assert [(operation.kind.value, operation.path, operation.to) for operation in staged.operations] == [
        ("delete", "gone/x/y", None),
        ("mkdir", "empty", None),
        ("move", "folder/a", "other/a"),
        ("move", "folder/sub/b", "other/sub/b"),
        ("move", "src/moved.py", "src/renamed.py"),
        ("delete", "gone/x", None),
        ("delete", "gone", None),
        ("delete", "folder/sub", None),
        ("delete", "folder", None),
        ("symlink", "link", None),
        ("create", "new/deep/file.txt", None),
        ("chmod", "run.sh", None),
        ("command", None, None),
        ("delete", "kind", None),
        ("delete", "link", None),
        ("delete", "turned/file", None),
        ("delete", "turned", None),
        ("create", "kind/file", None),
        ("symlink", "link", None),
        ("modify", "new/deep/file.txt", None),
        ("create", "turned", None),
    ]
