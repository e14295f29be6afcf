"""The kernel's own record of a run: nothing passes the seam by, leaves its folders or is promised early."""

import json
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.support import tracing
from tests.support.durability import follow_all
from tests.support.tracing import Call, inject, record
from tests.support.twenty import lay_out
from tests.support.twenty_plan import few_plan, twenty_plan, write_plan
from tests.support.workplace import ROOT, Workplace

SEAM_NAMES = {
    "mkdir": "mkdirat",
    "unlink": "unlinkat",
    "rmdir": "unlinkat",
    "renameat": "rename",
    "link": "linkat",
    "symlink": "symlinkat",
}
"""Calls of the kernel that the seam makes under one name."""


@dataclass(frozen=True)
class Recording:
    """One call of the command: what the kernel saw, and what the seam saw, in the same process."""

    workplace: Workplace
    calls: list[Call]
    seam: list[str]
    report: Path

    @property
    def own(self) -> list[Call]:
        """Calls that can change the workspace or the state."""
        return [c for c in self.calls if c.changes and c.inside(self.workplace.workspace, self.workplace.state)]


def recorded(workplace: Workplace, *call: str) -> Recording:
    report, log = workplace.folder / "seam.json", workplace.folder / "trace"
    command = workplace.command(*call)
    gated = [command[0], "-m", "tests.support.gated_command", str(report), *workplace.words(*call)]
    code, calls = record(gated, workplace.environment, ROOT, log)
    assert code == 0, call
    return Recording(workplace, calls, json.loads(report.read_text(encoding="utf-8")), report)


def a_workplace(folder: Path) -> Workplace:
    workplace = Workplace(folder)
    lay_out(workplace.workspace)
    return workplace


@pytest.fixture(scope="module")
def every(memory_base: Path) -> dict[str, Recording]:
    """An apply of twenty operations and of seven, an undo, and a roll back of an apply that was killed."""
    if reason := tracing.why_not():
        pytest.skip(reason)
    base = Path(tempfile.mkdtemp(prefix="traced", dir=memory_base))
    many, few, cut = (a_workplace(base / name) for name in ("many", "few", "cut"))
    plan = many.propose_and_approve(write_plan(twenty_plan(), base / "twenty.json"))
    made = {"apply": recorded(many, "apply", plan)}
    run = many.done("runs")["runs"][0]["run_id"]
    made["undo"] = recorded(many, "undo", run)
    plan = few.propose_and_approve(write_plan(few_plan(), base / "few.json"))
    made["apply few"] = recorded(few, "apply", plan)
    plan = cut.propose_and_approve(base / "twenty.json")
    code, _ = inject(cut.command("apply", plan), cut.environment, ROOT, "renameat2", "signal=SIGKILL:when=15")
    assert code == tracing.KILLED
    made["roll back"] = recorded(cut, "recover", "--rollback")
    return made


KINDS = pytest.mark.parametrize("kind", ["apply", "apply few", "undo", "roll back"])


@KINDS
def test_every_call_that_changes_the_disk_passes_the_seam(every: dict[str, Recording], kind: str) -> None:
    recording = every[kind]
    kernel = [SEAM_NAMES.get(call.name, call.name) for call in recording.own]
    print(f"{kind}: {len(kernel)} calls, {dict(Counter(kernel))}")
    assert Counter(kernel) == Counter(recording.seam)
    if len({call.thread for call in recording.own}) == 1:
        assert kernel == recording.seam
    assert len(kernel) > 50


@KINDS
def test_no_call_that_changes_the_disk_reaches_beyond_workspace_and_state(
    every: dict[str, Recording], kind: str
) -> None:
    recording = every[kind]
    own = set(recording.own)
    elsewhere = {path for call in recording.calls if call.changes and call not in own for path in call.paths}
    assert {path for path in elsewhere if not path.startswith("pipe:")} <= {str(recording.report), "/dev/null"}
    roots = (f"{recording.workplace.workspace}/", f"{recording.workplace.state}/")
    paths = {path for call in recording.own for path in call.paths}
    assert [path for path in paths if not f"{path}/".startswith(roots) or "/../" in path] == []


@KINDS
def test_a_persons_files_are_named_only_from_a_folder_held_open(every: dict[str, Recording], kind: str) -> None:
    recording = every[kind]
    workspace = recording.workplace.workspace
    named = [
        call
        for call in recording.calls
        if call.name in tracing.NAMED + tracing.AT
        and call.inside(workspace)
        and not call.inside(workspace / ".tandem")
        and call.paths != (str(workspace),)
    ]
    assert len(named) > 10
    assert [call for call in named if not call.relative] == []
    assert [call for call in named if call.name == "openat" and "O_NOFOLLOW" not in call.rest] == []


@KINDS
def test_names_and_bytes_are_durable_before_the_journal_says_so(every: dict[str, Recording], kind: str) -> None:
    recording = every[kind]
    pending = follow_all(recording.calls, recording.workplace.workspace)
    assert pending.complaints == []
    assert pending.outcomes >= 1


@KINDS
def test_a_recording_without_its_syncs_is_found_wanting(every: dict[str, Recording], kind: str) -> None:
    recording = every[kind]
    syncs = [call for call in recording.calls if call.name in ("fsync", "syncfs")]
    without = [replace(call, failed=True) if call in syncs else call for call in recording.calls]
    complaints = follow_all(without, recording.workplace.workspace).complaints
    assert any("when the journal said" in complaint for complaint in complaints)
    assert any("when it was published" in complaint for complaint in complaints)
