"""Whatever becomes of a plan, every part of the window says what the store says."""

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt import exceptions

from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan_states import TRANSITIONS, EventKind, PlanStatus, state_of
from tandem_desktop.domain.runs import RunStatus
from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.chat.plan_card import PlanCard
from tandem_desktop.ui.models.keys import PaletteModel
from tandem_desktop.ui.plan import wording
from tests.support.command_line import CommandLine, bash, write
from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")

ROOT = Path(__file__).resolve().parents[3]
DECISIONS = {
    "Implement": EventKind.APPROVE,
    "Rework": EventKind.REQUEST_REVISION,
    "Cancel the plan": EventKind.CANCEL,
}
"""What the palette calls the buttons of the bar."""
ON_DISK = (PlanStatus.COMPLETED, PlanStatus.EXECUTING, PlanStatus.PAUSED, PlanStatus.STALLED)
SETTLE = "Resume or roll back the interrupted run…"
"""What the palette offers beside the decisions while a run is interrupted."""


class Walker:
    """Makes the states of a plan through the services and reads them off the window."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.engine = person.place.background.engine
        self.plan_id = PlanId("")
        self.has_card = True
        """A plan that the command line made has none in the conversation."""

    def propose(self, name: str, command: str = "true") -> None:
        steps = [
            {"id": "s1", "tool": "write", "description": "d", "args": {"path": name, "content": "1\n"}},
            {"id": "s2", "tool": "bash", "description": "d", "args": {"command": command}},
            {"id": "s3", "tool": "write", "description": "d", "args": {"path": f"{name}.2", "content": "2\n"}},
        ]
        version = self.engine.proposals.propose(json.dumps({"title": f"Make {name}", "steps": steps}).encode())
        self.open(version.plan_id)
        self.expect(PlanStatus.PROPOSED)

    def open(self, plan_id: PlanId) -> None:
        self.plan_id = plan_id
        self.person.place.open_plan(plan_id)

    def approve(self) -> None:
        page = self.person.place.panel.page
        assert page is not None
        flags = tuple(f"{view.operation.id}:{flag.value}" for view in page.views for flag in view.flags)
        self.engine.decisions.approve(self.plan_id, page.digest, acknowledged=flags)

    def apply(self) -> None:
        self.person.place.background.apply(self.plan_id)

    def expect(self, status: PlanStatus) -> None:
        """The store has this status, and each part of the window says so."""
        person, label = self.person, wording.STATUSES[status]
        person.wait(lambda: self._stored() is status)
        may = {kind for kind in DECISIONS.values() if kind in TRANSITIONS[state_of(status)]}
        is_running = status in (PlanStatus.EXECUTING, PlanStatus.PAUSED)
        is_cut_off = status is PlanStatus.STALLED
        told = "rolled back" if status is PlanStatus.FAILED else label
        ended = [wording.RUNS[run.status] for run in self.engine.runs.runs() if run.status is not RunStatus.RUNNING]
        surfaces: dict[str, tuple[Callable[[], object], object]] = {
            "badge": (lambda: person.place.panel.header.badge.text(), label),
            "bar": (self._buttons, set() if is_running else may),
            "palette": (self._palette, may),
            "rail": (lambda: label.lower() in self._rail(), True),
            "conversation": (lambda: told in self._told() or not (self.has_card or self._told()), True),
            "banner": (lambda: person.sees("banner-settle"), is_cut_off),
            "palette settles": (self._settles, is_cut_off),
            "runs settle": (self._runs_settle, is_cut_off),
            "status bar": (self._says_on_disk, status in ON_DISK),
            "rows": (lambda: bool(person.place.panel.model.results), status in (*ON_DISK, PlanStatus.FAILED)),
            "runs": (self._runs, ended),
        }
        for name, (seen, expected) in surfaces.items():
            with contextlib.suppress(exceptions.TimeoutError):
                person.wait(lambda seen=seen, expected=expected: seen() == expected)  # type: ignore[misc]
            assert (name, seen()) == (name, expected)

    def _stored(self) -> PlanStatus:
        """What the stored plan and its runs say: after a crash the plan itself is still executing."""
        runs = [run for run in self.engine.runs.runs() if run.record.plan_id == self.plan_id]
        is_cut_off = any(run.status is RunStatus.INTERRUPTED for run in runs)
        return PlanStatus.STALLED if is_cut_off else self.engine.plans.meta(self.plan_id).status

    def _buttons(self) -> set[EventKind]:
        buttons = self.person.place.panel.footer.buttons
        return {kind for kind in DECISIONS.values() if buttons.button(kind).isVisible()}

    def _palette(self) -> set[EventKind]:
        titles = self._titles()
        return {kind for title, kind in DECISIONS.items() if title in titles}

    def _titles(self) -> set[str]:
        self.person.window.open_palette()
        model = self.person.window.palette.list.model()  # type: ignore[attr-defined]
        titles = {model.index(row, 0).data(PaletteModel.ItemRole).title for row in range(model.rowCount())}
        self.person.window.palette.leave()  # type: ignore[attr-defined]
        return titles

    def _settles(self) -> bool:
        return SETTLE in self._titles()

    def _runs_settle(self) -> bool:
        tabs = self.person.place.panel.tabs
        before = tabs.current
        tabs.show_tab("runs")
        seen = self.person.sees("runs-settle")
        tabs.show_tab(before)
        return seen

    def _rail(self) -> str:
        plans = self.person.place.plans
        row = plans.row_of(self.plan_id)
        return plans.index(row, 0).data(plans.RowRole).subtitle if row is not None else ""

    def _told(self) -> str:
        """What the conversation says last: the card of a plan, or the line of its run."""
        entries = [each for each in self.person.window.findChildren(EntryWidget) if each.isVisible()]
        last = max(entries, key=lambda each: each.y(), default=None)
        if isinstance(last, PlanCard):
            return last.accessibleName()
        return " ".join(label.text() for label in last.findChildren(QLabel)) if last is not None else ""

    def _says_on_disk(self) -> bool:
        words = str(self.person.find("status-disk").property("text"))
        return not words.startswith(("Nothing of this plan", "Undone"))

    def _runs(self) -> list[str]:
        model = self.person.place.panel.runs.model
        found = [model.run(row) for row in range(model.rowCount())]
        return [wording.RUNS[run.status] for run in found if run is not None and run.status is not RunStatus.RUNNING]


def test_every_part_of_the_window_follows_a_plan_through_all_its_states(window: Person, workspace: Path) -> None:
    walker, gate = Walker(window), workspace.parent / "gate"
    walker.propose("one.txt", f"until [ -e {gate} ]; do sleep 0.02; done")
    walker.approve()
    walker.expect(PlanStatus.APPROVED)
    walker.apply()
    walker.expect(PlanStatus.EXECUTING)
    window.place.background.pause_run()
    gate.touch()
    walker.expect(PlanStatus.PAUSED)
    window.place.background.resume_run()
    walker.expect(PlanStatus.COMPLETED)
    run = walker.engine.runs.runs()[0].record.run_id
    walker.engine.runs.undo(run)
    walker.expect(PlanStatus.UNDONE)
    walker.engine.runs.redo(run)
    walker.expect(PlanStatus.COMPLETED)

    walker.propose("two.txt", "exit 7")
    walker.approve()
    walker.apply()
    walker.expect(PlanStatus.FAILED)
    assert not (workspace / "two.txt").exists()

    walker.propose("three.txt")
    (workspace / "three.txt").write_text("mine\n")
    window.wait(lambda: window.sees("banner-rebase") and not window.sees("plan-action-approve"))
    assert "1 file drifted" in str(window.find("status-drift").property("text"))
    (workspace / "three.txt").unlink()
    window.wait(lambda: window.sees("plan-action-approve"))
    window.place.background.cancel(walker.plan_id).result()
    walker.expect(PlanStatus.CANCELLED)

    walker.propose("four.txt")
    shutil.rmtree(workspace)
    gone = f"This folder is gone: {workspace}"
    window.wait(lambda: window.find("status-disk").property("text") == gone)
    window.wait(lambda: window.place.panel.refusal == gone)
    assert not window.sees("approval-implement")


def test_every_part_of_the_window_says_that_a_run_was_interrupted_and_that_it_was_rolled_back(
    workspace: Path, capsys: pytest.CaptureFixture[str], open_window: Callable[..., Person]
) -> None:
    tandem = CommandLine(workspace, capsys)
    plan = tandem.propose(write("one.txt", "1\n"), bash("true"), write("two.txt", "2\n"), title="Two files")
    tandem.approve(plan["plan_id"])
    call = ["-C", str(workspace), "apply", plan["plan_id"]]
    code = f"from tests.support.command_line import killed_while_writing as k; k('two.txt', {call!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    person = open_window()
    person.wait(lambda: person.sees("interrupted-later"))
    person.click("interrupted-later")
    walker = Walker(person)
    walker.has_card = False
    walker.open(PlanId(plan["plan_id"]))
    walker.expect(PlanStatus.STALLED)
    person.click("banner-settle")
    person.wait(lambda: person.sees("interrupted-rollback"))
    person.click("interrupted-rollback")
    walker.expect(PlanStatus.FAILED)
    assert not (workspace / "one.txt").exists()
