"""A child that hangs, floods, wants a terminal or leaves children behind is dealt with."""

import os
import subprocess
import threading
import time
from pathlib import Path

from tandem_desktop.processes.child import OUTPUT_LIMIT, ProcessOutcome, run_child, scrubbed_environment
from tests.support.patience import PATIENCE_S


def run(command: str, *, timeout_s: float = 20, abort: threading.Event | None = None) -> ProcessOutcome:
    return run_child(
        ["/bin/sh", "-c", command],
        cwd=Path("/"),
        environment=scrubbed_environment({"GIVEN": "yes"}),
        timeout_s=timeout_s,
        should_abort=abort.is_set if abort else lambda: False,
        on_output=lambda chunk: None,
    )


def test_output_and_exit_code_are_kept() -> None:
    outcome = run("echo out; echo err >&2; exit 7")
    assert (outcome.exit_code, outcome.output) == (7, b"out\nerr\n")


def test_command_that_asks_for_input_gets_end_of_file() -> None:
    assert run('read answer; echo "got $? [$answer]"').output == b"got 1 []\n"


def test_command_has_no_terminal() -> None:
    assert run("test -t 0 || test -t 1 || (: < /dev/tty) 2>/dev/null || echo none").output == b"none\n"


def test_flood_is_drained_and_only_its_ends_are_kept() -> None:
    outcome = run("echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo last")
    assert outcome.exit_code == 0
    assert len(outcome.output) < OUTPUT_LIMIT + 100
    assert outcome.output.startswith(b"first\n")
    assert outcome.output.endswith(b"last\n")
    assert b"bytes left out" in outcome.output


def test_hanging_child_that_ignores_the_polite_signal_is_ended() -> None:
    outcome = run("trap '' TERM; while :; do sleep 1; done", timeout_s=0.3)
    assert outcome.timed_out
    assert outcome.exit_code != 0


def test_grandchild_that_holds_the_pipe_is_not_waited_for() -> None:
    marker = f"876.{os.getpid()}"
    outcome = run(f"sleep {marker} & echo done")
    assert outcome.output == b"done\n"
    deadline = time.monotonic() + PATIENCE_S
    while subprocess.run(["pgrep", "-f", f"sleep {marker}"], capture_output=True, check=False).stdout:
        assert time.monotonic() < deadline, "it was killed, but it is still there"


def test_abort_ends_the_child() -> None:
    abort = threading.Event()
    threading.Timer(0.2, abort.set).start()
    assert run("sleep 60", abort=abort).aborted


def test_environment_is_fresh_and_fixed() -> None:
    os.environ["TANDEM_TEST_SECRET"] = "hidden"
    try:
        output = run("env").output
    finally:
        del os.environ["TANDEM_TEST_SECRET"]
    assert b"TANDEM_TEST_SECRET" not in output
    assert b"GIVEN=yes" in output
    assert b"PATH=" in output


def test_each_command_starts_from_the_same_environment() -> None:
    run("export PAGER=evil")
    assert b"PAGER" not in run("env").output
