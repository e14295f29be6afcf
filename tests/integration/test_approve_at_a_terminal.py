"""`tandem approve` without a digest, at a real terminal."""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tandem_desktop.cli.console import Terminal
from tandem_desktop.cli.shown_digests import LIFETIME, ShownDigests
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tandem_desktop.storage.paths import Locations
from tests.attacks.hidden_text import npm
from tests.support.command_line import CommandLine, a_workspace, write
from tests.support.terminals import TerminalShell, a_terminal, a_terminal_of_calls

ROOT = Path(__file__).resolve().parents[2]
A_PACKAGE = {"version": "1.0.0", "resolved": "https://registry.npmjs.org/x.tgz", "integrity": "sha512-" + "A" * 86}


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path), capsys)


@pytest.fixture(scope="module")
def one_process() -> Iterator[TerminalShell]:
    with a_terminal_of_calls(ROOT) as calls:
        yield calls


@pytest.fixture
def terminal(one_process: TerminalShell) -> TerminalShell:
    """The terminal of one process that makes every call, with the state folder of this test."""
    one_process.run(f"state {os.environ['TANDEM_STATE_DIR']}")
    return one_process


def status(tandem: CommandLine, plan_id: str) -> str:
    plan: dict[str, str] = tandem.answer("show", plan_id)["plan"]
    return plan["status"]


def test_show_and_approve_as_commands_of_a_shell_approve_what_was_shown(tandem: CommandLine) -> None:
    plan = tandem.propose(write("a.txt", "x"))
    with a_terminal(ROOT) as shell:
        program = shlex.join([sys.executable, "-m", "tandem_desktop", "-C", str(tandem.workspace)])
        code, shown = shell.run(f"{program} show {plan['plan_id']}")
        assert (code, f"approve {plan['plan_id']}\r\n" in shown) == (0, True)
        shell.type(f"{program} approve {plan['plan_id']}\n")
        shell.until(f"approve {plan['digest'][:6]}…? [y/N] ")
        shell.type("y\n")
        code, shown = shell.ended()
    assert (code, plan["digest"] in shown) == (0, True)
    assert tandem.answer("apply", plan["plan_id"])["status"] == "completed"


def test_only_a_yes_typed_after_the_question_approves(tandem: CommandLine, terminal: TerminalShell) -> None:
    plan = tandem.propose(write("a.txt", "x"), write("b.txt", "y"), title="Two files")
    plan_id, question = plan["plan_id"], f"approve {plan['digest'][:6]}…? [y/N] "
    here = f"-C {tandem.workspace}"
    terminal.run(f"{here} show {plan_id}")
    for typed_before, typed in (("", "n\n"), ("", "\n"), ("", "\x04"), ("y\n", "no\n")):
        terminal.type(f"{here} approve {plan_id}\n{typed_before}")
        asked = terminal.until(question)
        assert f"{plan_id}  r1  Two files\r\n2 operations: 2 create\r\n" in asked
        terminal.type(typed)
        code, shown = terminal.ended()
        assert (code, f"{plan_id} r1 is not approved; nothing changed." in shown) == (3, True)
        assert status(tandem, plan_id) == "proposed"


def test_a_plan_that_has_moved_on_since_it_was_shown_is_not_approved(
    tandem: CommandLine, terminal: TerminalShell
) -> None:
    plan_id = tandem.propose(write("a.txt", "x"), write("b.txt", "y"), write("c.txt", "z"))["plan_id"]
    here = f"-C {tandem.workspace}"
    terminal.run(f"{here} show {plan_id}")
    terminal.type(f"{here} approve {plan_id}\n")
    terminal.until("? [y/N] ")
    tandem.answer("drop", plan_id, "s1")  # between the question and its answer
    terminal.type("y\n")
    code, shown = terminal.ended()
    assert (code, "is not the digest of" in shown) == (3, True)
    code, shown = terminal.run(f"{here} approve {plan_id}")
    assert (code, "that was r1 with another digest, this is r2" in shown) == (3, True)
    assert f"tandem {here} show {plan_id}" in shown
    assert status(tandem, plan_id) == "proposed"


def test_a_plan_that_was_not_shown_on_this_terminal_is_not_asked_for(
    tandem: CommandLine, terminal: TerminalShell
) -> None:
    plan_id = tandem.propose(write("a.txt", "x"))["plan_id"]
    here = f"-C {tandem.workspace}"
    with a_terminal(ROOT) as other:
        other.run(f"{sys.executable} -m tandem_desktop {here} show {plan_id}")
    terminal.run(f"{here} show {plan_id} --json")
    code, shown = terminal.run(f"{here} approve {plan_id}")
    assert f"{plan_id} was not shown on this terminal in the last 10 minutes." in shown
    assert (code, f"tandem {here} show {plan_id}" in shown) == (3, True)


def test_with_json_or_without_a_terminal_the_digest_is_required(tandem: CommandLine, terminal: TerminalShell) -> None:
    plan_id = tandem.propose(write("a.txt", "x"))["plan_id"]
    here = f"-C {tandem.workspace}"
    terminal.run(f"{here} show {plan_id}")
    required = "The following arguments are required: --digest."
    code, shown = terminal.run(f"{here} approve {plan_id} --json")
    assert (code, required in shown) == (2, True)
    said = tandem("approve", plan_id)  # standard input is no terminal here
    assert (said.code, required in said.err) == (2, True)
    assert status(tandem, plan_id) == "proposed"


def test_only_streams_of_the_controlling_terminal_make_a_terminal() -> None:
    program = (
        "import sys\nfrom tandem_desktop.cli.console import terminal_of\n"
        "sys.exit(2 * (terminal_of(sys.stdin, sys.stderr) is not None) + (terminal_of(sys.stdout) is not None))"
    )
    call = shlex.join([sys.executable, "-c", program])
    with a_terminal(ROOT) as shell:
        calls = (call, f"{call} < /dev/null", f"{call} 2> /dev/null", f"{call} > /dev/null", f"setsid -w {call}")
        assert [shell.run(each)[0] for each in calls] == [3, 1, 1, 2, 0]


_AGENT = """
import os, pty, sys
try:
    os.open("/dev/tty", os.O_RDWR)
    print("the terminal of the person is open", file=sys.stderr)
except OSError:
    print("no terminal of the person", file=sys.stderr)
print("terminals:", os.listdir("/dev/pts"), file=sys.stderr)
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
asked = b""
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    asked += chunk
    if b"[y/N]" in chunk:
        os.write(terminal, b"y\\n")
print("tried:", asked.decode()[-400:], file=sys.stderr)
"""


@pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")
def test_a_confined_agent_has_no_terminal_of_the_person_and_cannot_approve_on_one_of_its_own(
    tandem: CommandLine, terminal: TerminalShell, tmp_path: Path
) -> None:
    plan_id = tandem.propose(write("a.txt", "x"))["plan_id"]
    here = f"-C {tandem.workspace}"
    terminal.run(f"{here} show {plan_id}")
    program = tmp_path / "agent.py"
    program.write_text(_AGENT)
    calls = [["-C", str(tandem.workspace), name, plan_id] for name in ("show", "approve")]
    attempt = f"from tandem_desktop.app.main import main; [main(call) for call in {calls}]"
    agent = shlex.join([sys.executable, str(program), sys.executable, "-c", attempt])
    call = f"{here} run --env TANDEM_STATE_DIR --env PYTHONPATH={ROOT} --agent-command {shlex.quote(agent)} --task x"
    _, shown = terminal.run(f"{call} --json")
    assert "no terminal of the person" in shown
    assert "terminals: ['ptmx']" in shown
    assert "tried: tandem: " in shown
    assert status(tandem, plan_id) == "proposed"


def test_what_was_shown_counts_for_minutes_on_its_own_terminal(tmp_path: Path) -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    locations = Locations(tmp_path / "workspace", tmp_path / "state")
    locations.prepare_state()
    shown = ShownDigests(locations, "here", lambda: now[0])
    plan_id, mine = PlanId("PLAN-1a2b3c4d"), Terminal(device=1, session=2, started=3)
    shown.record(plan_id, 1, "d" * 64, mine)
    found = shown.find(plan_id, mine)
    assert found is not None
    assert (found.revision, found.digest) == (1, "d" * 64)
    for other in (
        Terminal(device=9, session=2, started=3),
        Terminal(device=1, session=9, started=3),
        Terminal(device=1, session=2, started=9),
    ):
        assert shown.find(plan_id, other) is None
    assert ShownDigests(locations, "elsewhere", lambda: now[0]).find(plan_id, mine) is None
    shown.record(plan_id, 2, "e" * 64, mine)
    assert shown.find(plan_id, mine) != found
    now[0] += LIFETIME - timedelta(seconds=1)
    assert shown.find(plan_id, mine) is not None
    now[0] += timedelta(seconds=1)
    assert shown.find(plan_id, mine) is None


@pytest.mark.parametrize("content", [b"", b"{", b'[{"plan_id": "x"}]'])
def test_a_record_that_cannot_be_read_means_that_nothing_was_shown(tmp_path: Path, content: bytes) -> None:
    locations = Locations(tmp_path / "workspace", tmp_path / "state")
    locations.prepare_state()
    (locations.state / "shown.json").write_bytes(content)
    shown = ShownDigests(locations, "here", lambda: datetime.now(UTC))
    plan_id, mine = PlanId("PLAN-1a2b3c4d"), Terminal(device=1, session=2, started=3)
    assert shown.find(plan_id, mine) is None
    shown.record(plan_id, 1, "d" * 64, mine)
    assert shown.find(plan_id, mine) is not None


def test_lock_file_that_installs_code_is_asked_for_by_name_unless_its_changes_were_shown(
    tandem: CommandLine, terminal: TerminalShell
) -> None:
    plan = tandem.propose(write("package-lock.json", npm().decode()))
    plan_id, here = plan["plan_id"], f"-C {tandem.workspace}"
    question, skip = (
        f"approve {plan['digest'][:6]}…? [y/N] ",
        "skip package-lock.json, whose changes were not shown? [y/N] ",
    )
    terminal.run(f"{here} show {plan_id}")
    terminal.type(f"{here} approve {plan_id}\n")
    assert "package-lock.json says what is installed" in terminal.until(skip)
    terminal.type("n\n")
    code, shown = terminal.ended()
    assert (code, "package-lock.json installs code and was not opened; nothing is approved." in shown) == (3, True)
    assert status(tandem, plan_id) == "proposed"
    terminal.run(f"{here} show {plan_id} --diff")
    terminal.type(f"{here} approve {plan_id}\n")
    assert "skip" not in terminal.until(question)
    terminal.type("y\n")
    assert terminal.ended()[0] == 0
    assert status(tandem, plan_id) == "approved"


def test_lock_file_whose_changes_were_cut_off_is_asked_for(tandem: CommandLine, terminal: TerminalShell) -> None:
    many = json.dumps(
        {"lockfileVersion": 3, "packages": {f"node_modules/{n}": A_PACKAGE for n in range(1_300)}}, indent=1
    )
    plan = tandem.propose(write("package-lock.json", many))
    plan_id, here = plan["plan_id"], f"-C {tandem.workspace}"
    _, shown = terminal.run(f"{here} show {plan_id} --diff")
    assert "more lines are not shown" in shown
    terminal.type(f"{here} approve {plan_id}\n")
    terminal.until("skip package-lock.json, whose changes were not shown? [y/N] ")
    terminal.type("n\n")
    assert terminal.ended()[0] == 3


def test_approval_by_digest_asks_nothing_and_is_refused_until_it_names_the_lock_file(tandem: CommandLine) -> None:
    plan = tandem.propose(write("package-lock.json", npm().decode()))
    call = ("approve", plan["plan_id"], "--digest", plan["digest"])
    refused = tandem(*call, "--json")
    assert (refused.code, refused.data["error"]["kind"]) == (3, "not_approvable")
    assert refused.data["error"]["message"].startswith("package-lock.json: installs code, and was neither opened")
    assert "--skip-lock package-lock.json" in refused.data["error"]["next"]
    assert status(tandem, plan["plan_id"]) == "proposed"
    assert tandem(*call, "--skip-lock", "other/package-lock.json").code == 3
    answer = tandem.answer(*call, "--skip-lock", "package-lock.json")
    assert answer["lock_files"] == {"opened": [], "skipped": ["package-lock.json"]}
