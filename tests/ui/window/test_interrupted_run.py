"""A run that was cut off greets the person who opens the window, and ends as they decide."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import ResultStatus
from tests.support.command_line import CommandLine, bash, write
from tests.support.shadows import wait_until
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def cut_off(workspace: Path, programs: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The workspace, after a run was killed with two of its three operations done."""
    tandem = CommandLine(workspace, capsys)
    plan = tandem.propose(write("one.txt", "1\n"), bash("true"), write("two.txt", "2\n"), title="Two files")
    tandem.approve(plan["plan_id"])
    call = ["-C", str(workspace), "apply", plan["plan_id"]]
    code = f"from tests.support.command_line import killed_while_writing as k; k('two.txt', {call!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    return workspace


@pytest.mark.parametrize(
    ("way", "left", "status"),
    [
        ("resume", {"one.txt", "two.txt"}, PlanStatus.COMPLETED),
        ("rollback", set(), PlanStatus.FAILED),
        pytest.param("cancel", set(), PlanStatus.CANCELLED, marks=pytest.mark.req("S3-56")),
        ("mark-failed", {"one.txt"}, PlanStatus.FAILED),
    ],
)
def test_person_is_greeted_with_what_was_cut_off_and_it_ends_as_they_say(
    cut_off: Path, open_window: Callable[..., Person], way: str, left: set[str], status: PlanStatus
) -> None:
    person = open_window()
    person.wait(lambda: person.sees(f"interrupted-{way}"))
    sheet = person.place.panel.sheets.interrupted
    assert sheet.title.text() == "“Two files” was interrupted"
    assert "2 of 3" in sheet.said.text()
    assert person.find("status-disk").property("text") == "Interrupted: 2 of 3 operations are done"
    person.click(f"interrupted-{way}")
    person.wait(lambda: [plan.status for plan in person.place.plans.plans] == [status])
    assert {name for name in walk(cut_off) if name.endswith(".txt") and "/" not in name} == left
    person.wait(lambda: not person.find("status-disk").property("text").startswith("Interrupted"))


def test_a_run_that_is_settled_later_is_settled_from_its_page_the_runs_or_the_palette(
    cut_off: Path, open_window: Callable[..., Person]
) -> None:
    person = open_window()
    person.wait(lambda: person.sees("interrupted-later"))
    person.click("interrupted-later")
    person.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    person.wait(lambda: person.status is PlanStatus.STALLED)
    assert person.place.panel.header.badge.text() == "Interrupted"
    assert not person.sees("plan-stop")
    panel = person.place.panel

    def asked_and_put_off(ask: Callable[[], None]) -> None:
        ask()
        person.wait(lambda: person.sees("interrupted-later"))
        person.click("interrupted-later")
        person.wait(lambda: not person.sees("interrupted-later"))

    asked_and_put_off(lambda: person.click("banner-settle"))
    asked_and_put_off(lambda: person.click("plan-action-cancel"))
    asked_and_put_off(lambda: person.command("roll back the interrupted"))
    panel.tabs.show_tab("runs")
    person.wait(lambda: person.sees("runs-settle"))
    person.click("runs-settle")
    person.wait(lambda: person.sees("interrupted-rollback"))
    person.click("interrupted-rollback")
    person.wait(lambda: person.status is PlanStatus.FAILED)
    assert not (cut_off / "one.txt").exists()
    person.wait(lambda: not person.place.has_interrupted)


def test_command_that_was_cut_off_is_run_again_when_the_person_ticks_that(
    workspace: Path,
    programs: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    open_window: Callable[..., Person],
) -> None:
    tandem = CommandLine(workspace, capsys)
    once = f"[ -e {tmp_path}/once ] || {{ touch {tmp_path}/once; sleep 600; }}; echo done > done.txt"
    plan = tandem.propose(write("first.txt", "1\n"), bash(once))
    tandem.approve(plan["plan_id"])
    call = [sys.executable, "-m", "tandem_desktop", "-C", str(workspace), "apply", plan["plan_id"]]
    with subprocess.Popen(call, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as applying:
        wait_until((tmp_path / "once").exists)
        applying.kill()
    person = open_window()
    person.wait(lambda: person.sees("interrupted-again") and person.sees("interrupted-rollback"))
    assert not person.sees("interrupted-resume")
    assert "sleep 600" in person.place.panel.sheets.interrupted.warning.text()
    engine = person.place.background.engine
    found = engine.runs.results(engine.plans.revision(plan["plan_id"]))
    assert [each.status for each in found] == [ResultStatus.COMPLETED, ResultStatus.RUNNING]
    person.click("interrupted-again")
    person.wait(lambda: person.sees("interrupted-resume"))
    person.click("interrupted-resume")
    person.wait(lambda: [each.status for each in person.place.plans.plans] == [PlanStatus.COMPLETED])
    assert (workspace / "done.txt").read_text() == "done\n"
