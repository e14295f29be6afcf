"""The command as a real process: signals, closed pipes, terminals, and how little it loads."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, a_workspace, bash, write
from tests.support.patience import PATIENCE_S

TANDEM = [sys.executable, "-m", "tandem_desktop"]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path), capsys)


def process(tandem: CommandLine, *words: str, **how: object) -> subprocess.CompletedProcess[str]:
    command = [*TANDEM, "-C", str(tandem.workspace), *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **how)  # type: ignore[call-overload,no-any-return]  # options differ by test


def on_a_terminal(command: list[str], **environment: str) -> str:
    """Everything a command writes to a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execve(command[0], command, {**os.environ, "TERM": "xterm", **environment})
    shown = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    os.waitpid(child, 0)
    os.close(terminal)
    return shown.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_a_run_and_puts_everything_back(tandem: CommandLine, number: signal.Signals) -> None:
    plan = tandem.propose(write("a.txt", "x"), bash("echo started; sleep 60"), write("b.txt", "y"))
    tandem.approve(plan["plan_id"])
    command = [*TANDEM, "-C", str(tandem.workspace), "apply", plan["plan_id"]]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        assert run.stderr.readline() == "s2 | started\n"
        run.send_signal(number)
        _, remarks = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 4
    assert "was stopped" in remarks
    assert {path.name for path in tandem.workspace.glob("*.txt")} == {"notes.txt"}
    (listed,) = tandem.answer("runs")["runs"]
    assert listed["status"] == "cancelled"


def test_a_reader_that_leaves_early_is_no_error(tandem: CommandLine) -> None:
    for number in range(3):
        tandem.propose(write(f"{number}", "x\n" * 20_000))
    plan_id = tandem.answer("list")["plans"][0]["plan_id"]
    call = f"{sys.executable} -m tandem_desktop -C {tandem.workspace} show {plan_id} --diff"
    line = f"{call} | head -1; echo ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stdout.splitlines()[-1] == "0"
    assert ended.stderr == ""


def test_an_answer_that_cannot_be_written_is_not_taken_for_given(tandem: CommandLine) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*TANDEM, "-C", str(tandem.workspace), "list"],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 4
    assert "could not be written" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_closed_streams_stop_nothing(tandem: CommandLine) -> None:
    line = f"{sys.executable} -m tandem_desktop -C {tandem.workspace} list >&- 2>&-; echo $?"
    assert subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, check=False).stdout == "0\n"


def test_a_locale_without_these_letters_still_gets_an_answer(tandem: CommandLine) -> None:
    tandem.propose(write("naïve-日本.txt", "é\n"), title="Ein Wörtchen — 日本")
    environment = {
        **os.environ,
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
    }
    ended = process(tandem, "list", env=environment)
    assert (ended.returncode, "W\\xf6rtchen" in ended.stdout) == (0, True)


def test_a_terminal_gets_colours_and_a_bar_and_a_pipe_gets_neither(tandem: CommandLine) -> None:
    plan = tandem.propose(write("a.txt", "x"), write("b.txt", "y"))
    show = [*TANDEM, "-C", str(tandem.workspace), "show", plan["plan_id"], "--diff"]
    assert "\x1b[32m+x" in on_a_terminal(show)
    assert "\x1b" not in on_a_terminal(show, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(show, TERM="dumb")
    assert "\x1b" not in process(tandem, "show", plan["plan_id"], "--diff").stdout
    assert "\x1b" not in on_a_terminal([*show, "--json"])
    tandem.approve(plan["plan_id"])
    shown = on_a_terminal([*TANDEM, "-C", str(tandem.workspace), "apply", plan["plan_id"]])
    assert "[########################] 2/2 s2" in shown


def test_plan_json_comes_from_standard_input(tandem: CommandLine) -> None:
    plan = json.dumps({"title": "From a pipe", "steps": [write("a", "x")]})
    ended = process(tandem, "propose", "-", "--json", input=plan)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["operations"][0]["path"] == "a"


@pytest.mark.parametrize("words", [["--help"], ["apply", "--help"], ["nonsense"]])
def test_help_and_refused_words_load_nothing_heavy(words: list[str]) -> None:
    code = (
        "import sys; from tandem_desktop.app.main import main; main(sys.argv[1:]);"
        "print('LOADED', *{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    loaded = set(ended.stderr.rsplit("LOADED", 1)[1].split())
    assert loaded & {"pydantic", "asyncio", "yaml", "unidiff", "diff_match_patch", "platformdirs"} == set()


def checkpoints(workspace: Path) -> tuple[list[tuple[int, str, str]], list[tuple[str, str]]]:
    (folder,) = (workspace / ".tandem" / "runs").iterdir()
    steps = [json.loads(line) for line in (folder / "steps.jsonl").read_text().splitlines()]
    results = json.loads((folder / "results.json").read_text())
    return [(s["step"], s["op"], s["status"]) for s in steps], [(r["id"], r["status"]) for r in results]


@pytest.mark.req("S3-23")
def test_each_step_is_written_down_as_it_is_done_and_is_there_after_a_kill(tandem: CommandLine) -> None:
    plan = tandem.propose(write("a.txt", "x"), bash("echo started; sleep 60"), write("b.txt", "y"))
    tandem.approve(plan["plan_id"])
    command = [*TANDEM, "-C", str(tandem.workspace), "apply", plan["plan_id"]]
    expected = [(1, "s1", "completed")], [("s1", "completed"), ("s2", "pending"), ("s3", "pending")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        assert run.stderr.readline() == "s2 | started\n"
        during = checkpoints(tandem.workspace)
        run.kill()
    assert during == expected
    assert checkpoints(tandem.workspace) == expected
    assert tandem("recover", "--rollback").code == 0
    assert checkpoints(tandem.workspace)[1][0] == ("s1", "rolled_back")
