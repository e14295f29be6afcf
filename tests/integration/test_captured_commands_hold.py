"""What an approved command does to the workspace is captured, however it tries to go round the overlay."""

import os
from pathlib import Path

import pytest

from tandem_desktop.shadow.overlay import can_overlay
from tests.support.command_line import CommandLine
from tests.support.tree_walker import walk

WAYS = {
    "takes the overlay away": 'umount -l "{root}"',
    "binds the disk over it": 'mkdir -p /tmp/{name} && mount --bind / /tmp/{name} && cd "/tmp/{name}{root}"',
    "mounts in a namespace of its own": 'unshare -m umount -l "{root}"',
    "is root of a namespace of its own": 'unshare -Urm sh -c "umount -l {root} && printf x > {root}/a.txt"',
    "makes the disk's device": "mknod /tmp/{name} b 7 0 && rm /tmp/{name} && false",
    "joins another namespace": "nsenter -t 1 -m true && nsenter -t $PPID -m true && false",
}


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "a.txt").write_text("before\n")
    if not can_overlay(workspace, Path(os.environ["TANDEM_STATE_DIR"]) / "shadows"):
        pytest.skip("no overlay can be mounted here")
    return CommandLine(workspace, capsys)


@pytest.mark.parametrize("way", WAYS)
def test_a_command_that_tries_to_get_round_its_overlay_is_taken_back_all_the_same(
    tandem: CommandLine, way: str
) -> None:
    before = walk(tandem.workspace)
    attempt = WAYS[way].format(root=tandem.workspace, name=f"tandem-test-{os.getpid()}")
    script = f"{attempt}; cd '{tandem.workspace}' && printf after > a.txt && cat /proc/self/status | grep CapEff"
    plan = tandem.propose({"tool": "bash", "args": {"command": script}, "description": "Try."})
    tandem.approve(plan["plan_id"])
    run = tandem.answer("apply", plan["plan_id"])
    assert (tandem.workspace / "a.txt").read_text() == "after"
    tandem.answer("undo", run["run_id"])
    after = {name: node for name, node in walk(tandem.workspace).items() if not name.startswith(".tandem")}
    assert after == before
