"""Checks run before and with a plan, confined; whatever a check does, there is a clear line and nothing is left."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.checks.evidence import CheckEvidence, Evidence
from tandem_desktop.domain.errors import BadInputError, ChecksNotAcceptedError, StepRefusedError, UserAbortError
from tandem_desktop.domain.events import (
    AffectedTestsFinished,
    CheckFinished,
    ChecksEnded,
    ChecksStarted,
    TandemEvent,
)
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.services.engine import Engine
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.command_line import bash, edit, write
from tests.support.rehearsals import plan_json
from tests.support.tree_walker import walk

pytestmark = pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\n")
    return folder


@pytest.fixture
def engine(root: Path) -> Iterator[Engine]:
    built = build_engine(root)
    yield built
    built.close()


def listed(engine: Engine, command: str, form: str = "exit", **fields: object) -> None:
    """Write a list of one check, and accept it."""
    written(engine, command, form, **fields)
    engine.checks.accept(engine.checks.offered().list.digest)


def written(engine: Engine, command: str, form: str = "exit", **fields: object) -> None:
    engine.locations.tandem.mkdir(exist_ok=True)
    every = {"name": "c", "command": command, "format": form, **fields}
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in every.items())
    (engine.locations.tandem / "checks.toml").write_text(f"[[check]]\n{lines}\n")


def a_plan(engine: Engine, *steps: dict[str, object]) -> PlanVersion:
    return engine.proposals.propose(plan_json(*(steps or (edit("a.txt", "two", "TWO"),))))


def evidence(engine: Engine, *steps: dict[str, object], **options: object) -> Evidence:
    return engine.checks.run(a_plan(engine, *steps).plan_id, **options).evidence  # type: ignore[arg-type]


def only(engine: Engine, *steps: dict[str, object], **options: object) -> CheckEvidence:
    return evidence(engine, *steps, **options).checks[0]


def test_a_check_sees_the_files_as_they_are_and_with_the_plan(engine: Engine, root: Path) -> None:
    listed(engine, "grep -q two a.txt")
    before = walk(root)
    found = only(engine)
    assert (found.before.exit, found.after.exit, found.new_failures) == (0, 1, ("c: exit code 1",))
    assert walk(root) == before


def test_a_command_of_the_plan_has_run_before_the_check(engine: Engine) -> None:
    listed(engine, "test -e made")
    assert only(engine, bash("touch made")).fixed == ("c",)
    assert "the command of s1 ended with 3" in only(engine, bash("exit 3")).problem


def test_tests_are_named_from_a_report_a_file_of_the_workspace_or_the_output(engine: Engine) -> None:
    script = "while read -r name; do [ $name = TWO ] && echo not ok 1 - $name || echo ok 1 - $name; done < a.txt"
    for command, fields in (
        (script, {}),
        (f'{{ {script}; }} > "$TANDEM_REPORT"; echo ok 1 - wrong', {}),
        (f"mkdir -p out; {{ {script}; }} > out/report", {"report": "out/report"}),
    ):
        listed(engine, command, "tap", **fields)
        found = only(engine)
        assert (found.before.passed, found.new_failures, found.gone) == (("one", "two"), ("TWO",), ("two",))


def test_each_new_message_is_on_its_line_and_old_ones_are_known(engine: Engine) -> None:
    listed(
        engine, "grep -n . a.txt | sed 's/^/a.go:/; s/:\\([a-zA-Z]*\\)$/: \\1/' | sed 's/a.go/a.txt.go/' >&2", "govet"
    )
    found = evidence(engine, edit("a.txt", "one\n", "zero\none\n"))
    assert [(each.line, each.message, each.new) for each in found.diagnostics] == [
        (1, "zero", True),
        (2, "one", True),
        (3, "two", True),
    ]  # the path is another file than the plan changes, so nothing is mapped
    listed(engine, "grep -n . a.go | sed 's/^/a.go:/; s/:\\([a-zA-Z]*\\)$/: \\1/'", "govet")
    (engine.workspace.path / "a.go").write_text("one\ntwo\n")
    found = evidence(engine, edit("a.go", "one\n", "zero\none\n"))
    assert [(each.line, each.new) for each in found.diagnostics] == [(1, True), (2, False), (3, False)]


def test_a_list_runs_only_after_it_was_accepted_as_it_is(engine: Engine, root: Path) -> None:
    trace = root.parent / "trace"
    written(engine, f"echo ran >> {trace}; touch {root}/ran")
    plan = a_plan(engine)
    with pytest.raises(ChecksNotAcceptedError):
        engine.checks.run(plan.plan_id)
    shown = engine.checks.offered().list.digest
    written(engine, "echo something else")
    with pytest.raises(ChecksNotAcceptedError):
        engine.checks.accept(shown)
    engine.checks.accept(engine.checks.offered().list.digest)
    assert engine.checks.run(plan.plan_id).evidence.checks[0].after.is_good
    written(engine, f"echo ran >> {trace}")
    with pytest.raises(ChecksNotAcceptedError):
        engine.checks.run(plan.plan_id)
    assert not trace.exists()


def test_acceptance_holds_in_one_workspace_and_outlives_the_engine(engine: Engine, root: Path, tmp_path: Path) -> None:
    listed(engine, "true")
    other = tmp_path / "other"
    (other / ".tandem").mkdir(parents=True)
    (other / ".tandem" / "checks.toml").write_bytes((root / ".tandem" / "checks.toml").read_bytes())
    here, there = build_engine(root), build_engine(other)
    assert (here.checks.offered().is_accepted, there.checks.offered().is_accepted) == (True, False)
    here.close()
    there.close()


def test_without_any_check_there_is_a_sentence(engine: Engine) -> None:
    with pytest.raises(BadInputError, match="No check was found"):
        evidence(engine)


def test_results_for_the_same_files_are_taken_from_the_store(engine: Engine, root: Path) -> None:
    listed(engine, "date +%N > stamp; echo ok 1 - $(cat stamp)", "tap")
    plan = a_plan(engine)
    assert engine.checks.kept(plan) is None
    first = engine.checks.run(plan.plan_id).evidence
    assert engine.checks.kept(plan) == first == engine.checks.run(plan.plan_id).evidence
    assert engine.checks.run(plan.plan_id, again=True).evidence != first
    (root / "new").write_text("x")
    assert engine.checks.kept(plan) is None


def test_a_check_that_hangs_is_ended_and_leaves_no_result_behind(engine: Engine) -> None:
    listed(engine, "grep -q two a.txt || sleep 1000")
    evidence(engine, edit("a.txt", "one", "ONE"))  # stores the result for the files as they are
    plan = a_plan(engine)
    found = engine.checks.run(plan.plan_id, timeout_s=1).evidence.checks[0]
    assert found.new_failures == ("c: it took longer than 1 s and was ended",)
    assert engine.checks.kept(plan) is None


def test_a_check_that_floods_is_read_within_bounds(engine: Engine) -> None:
    listed(engine, "head -c 100000000 /dev/zero | tr '\\0' 'x'; grep -q two a.txt", "ruff")
    found = only(engine)
    assert "more than 33,554,432 bytes" in found.problem
    assert len(found.after.output) <= 8000


@pytest.mark.parametrize(
    ("command", "form", "line"),
    [
        ("no-such-program --now", "exit", "cannot be started"),
        ("./a.txt", "exit", "cannot be started"),
        ('echo "<testsuite>" > "$TANDEM_REPORT"', "junit", "not valid JUnit XML"),
        ('ln -s /etc/passwd "$TANDEM_REPORT"', "junit", "left no report"),
        ('mkfifo "$TANDEM_REPORT"', "junit", "left no report"),
        ("echo Killed; kill -9 $$", "junit", "left no report"),
    ],
)
def test_a_check_without_a_usable_report_says_so(engine: Engine, command: str, form: str, line: str) -> None:
    listed(engine, command, form)
    found = only(engine)
    assert line in found.problem
    assert found.new_failures == ()


def test_a_check_that_needs_a_terminal_gets_the_end_of_its_input(engine: Engine) -> None:
    listed(engine, 'test -t 0 || read -r answer < /dev/tty || ! read -r answer || echo "$answer"')
    assert only(engine).after.exit == 0
    for asks in ("read -r answer < /dev/tty", "python3 -c 'input()'"):
        listed(engine, asks)
        assert only(engine).after.notes == ("it wanted a terminal, and checks have none",)


def test_a_check_has_no_network_and_says_that_it_wanted_it(engine: Engine) -> None:
    listed(engine, "exec 3<>/dev/tcp/127.0.0.1/9 || true")
    found = only(engine)
    assert any("wanted the network" in note for note in found.after.notes)


def test_what_a_check_writes_outside_is_thrown_away_and_told(engine: Engine, root: Path) -> None:
    home = Path(os.environ["HOME"])
    listed(engine, f"echo x > {home}/left; echo y > made")
    found = only(engine)
    assert any("wrote outside the workspace" in note for note in found.after.notes)
    assert not (home / "left").exists()
    assert not (root / "made").exists()


def test_a_daemon_of_a_check_is_ended_with_it(engine: Engine, tmp_path: Path) -> None:
    mark = f"{os.getpid()}.{tmp_path.name}"
    listed(engine, f"setsid bash -c '(exec -a {mark} sleep 1000) &' < /dev/null > /dev/null 2>&1; true")
    found = only(engine)
    assert any("left processes running" in note for note in found.after.notes)
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if os.access(path, os.R_OK)]
    assert not any(command.startswith(mark.encode()) for command in commands)


def test_checks_that_are_stopped_leave_nothing_running(engine: Engine) -> None:
    listed(engine, 'echo here > "$TANDEM_REPORT"; sleep 1000')
    control = RunControl()
    engine.events.subscribe(lambda event: control.abort() if isinstance(event, ChecksStarted) else None)
    plan = a_plan(engine)
    with pytest.raises(UserAbortError):
        engine.checks.run(plan.plan_id, control=control)
    assert engine.checks.kept(plan) is None
    assert not list(engine.locations.shadows.glob("rehearsal-*"))


def test_a_running_check_can_be_stopped(engine: Engine) -> None:
    """The check tells by a file of its shadow that it runs."""
    listed(engine, "sleep 1000")
    control, failures = RunControl(), []

    def run() -> None:
        try:
            engine.checks.run(a_plan(engine).plan_id, control=control)
        except UserAbortError as stopped:
            failures.append(stopped)

    thread = threading.Thread(target=run)
    thread.start()
    while not list(engine.locations.shadows.glob("rehearsal-*/reports")) and thread.is_alive():
        pass
    control.abort()
    thread.join(30)
    assert len(failures) == 1


def test_progress_is_published(engine: Engine) -> None:
    listed(engine, "true")
    heard: list[TandemEvent] = []
    engine.events.subscribe(heard.append)
    evidence(engine)
    kinds = [type(event) for event in heard if isinstance(event, ChecksStarted | CheckFinished | ChecksEnded)]
    assert kinds == [ChecksStarted, CheckFinished, CheckFinished, ChecksEnded]


def test_a_plan_that_no_longer_applies_is_told_and_still_there(engine: Engine, root: Path) -> None:
    listed(engine, "true")
    plan = a_plan(engine, edit("a.txt", "two", "TWO"))
    (root / "a.txt").write_text("else\n")
    found = engine.checks.run(plan.plan_id).evidence.checks[0]
    assert "a.txt" in found.after.problem


def test_the_digest_of_evidence_is_over_what_is_shown(engine: Engine) -> None:
    listed(engine, "grep -q two a.txt")
    one, same, other = (evidence(engine, edit("a.txt", "two", word)) for word in ("TWO", "TWO", "two!"))
    assert one.digest == same.digest != other.digest


def test_only_a_named_check_runs(engine: Engine) -> None:
    written(engine, "true")
    path = engine.locations.tandem / "checks.toml"
    path.write_text(path.read_text() + '[[check]]\nname = "other"\ncommand = "false"\n')
    engine.checks.accept(engine.checks.offered().list.digest)
    assert [check.name for check in evidence(engine, only=("other",)).checks] == ["other"]


def test_a_new_file_of_the_plan_is_seen_by_the_check(engine: Engine) -> None:
    listed(engine, "test -x bin/run")
    assert only(
        engine, write("bin/run", "x"), {"description": "x", "tool": "chmod", "args": {"path": "bin/run", "mode": "755"}}
    ).fixed


def verdicts(engine: Engine, plan: PlanVersion) -> dict[str, bool]:
    found = engine.needed.find(plan.plan_id)
    return {f"{each.part.operation}:{each.part.hunk}": each.is_needed for each in found.parts}


LINES = "".join(f"line {number}\n" for number in range(40))


def test_a_hunk_that_nothing_notices_is_told_from_one_that_a_check_needs(engine: Engine, root: Path) -> None:
    (root / "b.txt").write_text(LINES)
    listed(engine, "grep -q wanted b.txt && test -e made")
    changed = LINES.replace("line 3\n", "wanted\n").replace("line 30\n", "stray\n")
    plan = a_plan(engine, write("b.txt", changed), write("made", "x"), write("unused", "x"))
    assert verdicts(engine, plan) == {"s1:1": True, "s1:2": False, "s2:0": True, "s3:0": False}


def test_the_plan_is_shrunk_to_what_is_needed_as_a_revision_of_the_person(engine: Engine, root: Path) -> None:
    (root / "b.txt").write_text(LINES)
    listed(engine, "grep -q wanted b.txt")
    changed = LINES.replace("line 3\n", "wanted\n").replace("line 30\n", "stray\n")
    plan = a_plan(engine, write("b.txt", changed), write("unused", "x"))
    shrunk = engine.needed.shrink(engine.needed.find(plan.plan_id))
    assert (shrunk.revision, shrunk.origin.value, len(shrunk.operations)) == (2, "person", 1)
    after = engine.objects.read_state(shrunk.operations[0].after)
    assert after == LINES.replace("line 3\n", "wanted\n").encode()


def test_one_of_two_changes_that_do_the_same_is_kept(engine: Engine) -> None:
    listed(engine, "test -e one || test -e two")
    plan = a_plan(engine, write("one", "x"), write("two", "x"))
    found = engine.needed.find(plan.plan_id)
    assert len(found.strays) == 2
    assert len(engine.needed.shrink(found).operations) == 1


def test_what_the_rest_needs_in_order_to_apply_is_needed(engine: Engine) -> None:
    listed(engine, "true")
    moved = {"description": "m", "tool": "move", "args": {"path": "new", "to": "newer"}}
    assert verdicts(engine, a_plan(engine, write("new", "x"), moved))["s1:0"] is True


def test_where_nothing_can_be_left_out_no_revision_is_made(engine: Engine) -> None:
    listed(engine, "grep -q TWO a.txt")
    plan = a_plan(engine)
    with pytest.raises(StepRefusedError, match="nothing can be left out"):
        engine.needed.shrink(engine.needed.find(plan.plan_id))


def test_without_a_result_for_the_whole_plan_nothing_is_judged(engine: Engine) -> None:
    listed(engine, "no-such-program")
    with pytest.raises(StepRefusedError, match=r"No check has a whole result with the plan \(c: its program"):
        engine.needed.find(a_plan(engine).plan_id)


def test_a_check_without_a_result_for_the_whole_plan_is_named_and_not_asked(engine: Engine) -> None:
    listed(engine, "test -e one")
    with (engine.locations.tandem / "checks.toml").open("a") as checks:
        checks.write('[[check]]\nname = "gone"\ncommand = "no-such-program"\n')
    engine.checks.accept(engine.checks.offered().list.digest)
    found = engine.needed.find(a_plan(engine, write("one", "x"), write("two", "x")).plan_id)
    assert [each.is_needed for each in found.parts] == [True, False]
    assert (found.checks, found.without_result) == (("c",), ("gone",))
    assert len(engine.needed.shrink(found).operations) == 1


def test_the_record_of_an_approval_keeps_the_digest_of_the_evidence(engine: Engine) -> None:
    listed(engine, "true")
    plan = a_plan(engine)
    shown = engine.checks.run(plan.plan_id).evidence.digest
    engine.decisions.approve_shown(plan.plan_id, plan.approval_hash, evidence=shown)
    records = list(engine.locations.approvals.glob("PLAN-*.json"))
    assert json.loads(records[0].read_bytes())["approval"]["evidence"] == shown


JUNIT = """printf '<testsuite><testcase classname="test_app" name="t">%s</testcase></testsuite>' \\
"$(grep -q good app.py core.py || echo '<failure>E   assert 1</failure>')" > "$TANDEM_REPORT" """


def test_a_new_failure_points_to_the_changed_files_that_its_test_imports(engine: Engine, root: Path) -> None:
    (root / "core.py").write_text("good\n")
    (root / "app.py").write_text("import core\n")
    (root / "test_app.py").write_text("import app\n")
    listed(engine, JUNIT, "junit")
    found = evidence(engine, edit("core.py", "good", "bad"), write("other.py", "x"))
    assert (found.new_failures, found.failing_paths) == (1, {"core.py"})


def test_a_new_message_points_to_its_file(engine: Engine, root: Path) -> None:
    (root / "a.go").write_text("one\n")
    listed(engine, "grep -n bad a.go | sed 's/^/a.go:/; s/bad/ bad/'", "govet")
    found = evidence(engine, edit("a.go", "one", "bad"), edit("a.txt", "one", "two"))
    assert found.failing_paths == {"a.go"}


def test_the_tests_that_the_plan_touches_run_ahead_and_change_nothing_of_the_result(engine: Engine, root: Path) -> None:
    for name in ("one", "two", "three"):
        (root / f"{name}.py").write_text("")
        (root / f"test_{name}.py").write_text(f"import {name}\n")
    script = 'for each in {}; do echo "ok 1 - $each"; done; echo "not ok 2 - last"'
    listed(engine, script.format("test_*.py"), "tap", affected=script.replace("{}", "{tests}"))
    heard: list[TandemEvent] = []
    engine.events.subscribe(heard.append)
    found = only(engine, write("two.py", "x = 1\n"))
    assert len(found.after.passed) == 3
    ahead = [each for each in heard if isinstance(each, AffectedTestsFinished)]
    assert [(each.check, each.passed, each.names) for each in ahead] == [("c", 1, ("last",))]
    heard.clear()
    only(engine, write("one.py", "x = 1\n"))  # the check is known to take no time
    assert not [each for each in heard if isinstance(each, AffectedTestsFinished)]
