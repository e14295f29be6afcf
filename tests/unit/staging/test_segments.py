"""Whatever an agent leaves in its shadow becomes operations that lead there, and every request is accounted for."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem_desktop.domain.agent_protocol import ToolCall, ToolCallStatus, ToolKind
from tandem_desktop.domain.authorization import ToolCategory
from tandem_desktop.domain.ids import RequestId, SessionId, TaskId, ToolCallId
from tandem_desktop.domain.operations import (
    ABSENT,
    CommandCall,
    DirectoryState,
    FileState,
    NodeState,
    OperationKind,
    PathChange,
    StagedOperation,
    SymlinkState,
)
from tandem_desktop.staging.requests import Handling, InterceptedRequest, QueuedCommand
from tandem_desktop.staging.segments import Segment, Staged, staged_operations
from tandem_desktop.staging.simulate import simulate_operations
from tandem_desktop.storage.workspace import Workspace
from tests.support.builders import A_MOMENT, a_file
from tests.support.trees import DiskTree

Tree = dict[str, NodeState]

CONTENTS = (b"", b"one\n", b"two\n", b"three\n")
BY_DIGEST = {a_file(content).sha256: content for content in CONTENTS}
FOLDER = DirectoryState(mode=0o755)


# A tree is drawn as one node for each of these paths; below what is no folder, nothing is.
PATHS = ("a", "a/b", "a/b/c", "a/b/d", "a/x", "e", "e/f", "e/x", "g", "x")
MODES = st.sampled_from((0o644, 0o755))
FILES = st.builds(lambda content, mode: a_file(content, mode=mode), st.sampled_from(CONTENTS), MODES)
LINKS = st.sampled_from(("x", "a")).map(lambda target: SymlinkState(target=target))
NODES = st.one_of(st.just(ABSENT), FILES, st.just(FOLDER), st.just(FOLDER), LINKS)


def a_tree(drawn: tuple[NodeState, ...]) -> Tree:
    tree: Tree = {}
    for path, node in zip(PATHS, drawn, strict=True):
        above = path.rpartition("/")[0]
        if node != ABSENT and (not above or isinstance(tree.get(above), DirectoryState)):
            tree[path] = node
    return tree


TREES = st.tuples(*[NODES] * len(PATHS)).map(a_tree)


def changes_between(before: Tree, after: Tree) -> tuple[PathChange, ...]:
    return tuple(
        PathChange(path=path, before=before.get(path, ABSENT), after=after.get(path, ABSENT))
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    )


def write_tree(root: Path, tree: Tree) -> None:
    for path in sorted(tree):
        put(root / path, tree[path])


def put(target: Path, state: NodeState) -> None:
    match state:
        case FileState():
            target.write_bytes(BY_DIGEST[state.sha256])
            target.chmod(state.mode)
        case SymlinkState():
            target.symlink_to(state.target)
        case DirectoryState():
            target.mkdir()
            target.chmod(state.mode)


def carry_out(root: Path, operation: StagedOperation) -> None:
    """The plainest way to do what an operation says; fails where it cannot be."""
    if operation.path is None:
        return
    path = root / operation.path
    assert DiskTree(root).state(operation.path) == operation.base
    match operation.kind:
        case OperationKind.DELETE:
            path.rmdir() if isinstance(operation.base, DirectoryState) else path.unlink()
        case OperationKind.MOVE:
            target = root / str(operation.to)
            assert not os.path.lexists(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
        case OperationKind.CHMOD:
            assert isinstance(operation.after, FileState | DirectoryState)
            path.chmod(operation.after.mode)
        case _:
            path.parent.mkdir(parents=True, exist_ok=True)
            put(path, operation.after)


@pytest.fixture
def folders(memory_path: Path) -> Iterator[Path]:
    previous = os.umask(0o022)
    yield memory_path
    os.umask(previous)


@given(before=TREES, looks=st.lists(TREES, min_size=1, max_size=3))
@settings(max_examples=max(150, settings.default.max_examples))
def check_any_trees(folders: Path, before: Tree, looks: list[Tree]) -> None:
    root = folders / "tree"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    write_tree(root, before)
    segments = [
        Segment(changes_between(before, look), a_queued(number)) for number, look in enumerate(looks[:-1], start=1)
    ]
    staged = staged_operations([*segments, Segment(changes_between(before, looks[-1]))], A_MOMENT)
    with Workspace(root) as workspace:
        assert simulate_operations(staged.operations, workspace) == ()
    stations = iter([*looks])
    for operation in staged.operations:
        if operation.kind is OperationKind.COMMAND:
            assert DiskTree(root).everything() == next(stations)
        carry_out(root, operation)
    assert DiskTree(root).everything() == looks[-1]
    assert [operation.id for operation in staged.operations] == [f"s{n + 1}" for n in range(len(staged.operations))]
    assert staged.warnings == ()
    again = staged_operations([*segments, Segment(tuple(reversed(changes_between(before, looks[-1]))))], A_MOMENT)
    assert again == staged


def test_any_tree_becomes_any_other_through_operations_that_apply_one_after_the_other(folders: Path) -> None:
    check_any_trees(folders)


def a_queued(number: int = 1, command: str = "make", request: str | None = None) -> QueuedCommand:
    return QueuedCommand(
        number=number,
        call=CommandCall(command=command),
        request_id=None if request is None else RequestId(request),
        tool_call_id=None if request is None else ToolCallId(f"call-{request}"),
        description=f"Run {command}",
    )


def staged(*segments: Segment, **fields: object) -> Staged:
    return staged_operations(segments, A_MOMENT, **fields)  # type: ignore[arg-type]


def short(staged: Staged) -> list[tuple[str, str | None, str | None]]:
    return [(operation.kind.value, operation.path, operation.to) for operation in staged.operations]


def between(before: Tree, after: Tree) -> Segment:
    return Segment(changes_between(before, after))


def test_a_folder_that_only_holds_something_new_is_no_operation_and_an_empty_one_is() -> None:
    tree = {"src": FOLDER, "src/deep": FOLDER, "src/deep/a.py": a_file(), "empty": FOLDER, "empty/inner": FOLDER}
    assert short(staged(between({}, tree))) == [("mkdir", "empty/inner", None), ("create", "src/deep/a.py", None)]


def test_a_file_that_turns_up_elsewhere_is_a_move_and_keeps_its_name_where_it_can() -> None:
    one = a_file(b"one\n")
    before = {"a": FOLDER, "a/one.py": one, "a/two.py": one}
    after = {"b": FOLDER, "b/other.py": one, "b/two.py": one}
    assert short(staged(between(before, after))) == [
        ("move", "a/one.py", "b/other.py"),
        ("move", "a/two.py", "b/two.py"),
        ("delete", "a", None),
    ]


def test_a_move_with_another_mode_is_a_move_and_a_change_of_mode() -> None:
    result = staged(between({"a": a_file()}, {"b": a_file(mode=0o755)}))
    assert short(result) == [("move", "a", "b"), ("chmod", "b", None)]


def test_a_private_folder_is_there_before_something_moves_into_it() -> None:
    after: Tree = {"private": DirectoryState(mode=0o700), "private/a": a_file()}
    assert short(staged(between({"a": a_file()}, after))) == [("mkdir", "private", None), ("move", "a", "private/a")]


def test_empty_files_are_paired_only_by_name() -> None:
    empty = a_file(b"")
    before = {"a": FOLDER, "a/__init__.py": empty, "old.txt": empty}
    after = {"a": FOLDER, "b": FOLDER, "b/__init__.py": empty, "new.txt": empty}
    assert short(staged(between(before, after))) == [
        ("delete", "old.txt", None),
        ("move", "a/__init__.py", "b/__init__.py"),
        ("create", "new.txt", None),
    ]


def test_content_mode_link_and_type_are_told_apart() -> None:
    before = {"m": a_file(b"one\n"), "c": a_file(), "l": SymlinkState(target="m"), "t": a_file(), "d": FOLDER}
    after = {
        "m": a_file(b"two\n", mode=0o755),
        "c": a_file(mode=0o755),
        "l": SymlinkState(target="c"),
        "t": FOLDER,
        "d": DirectoryState(mode=0o555),
    }
    assert short(staged(between(before, after))) == [
        ("delete", "l", None),
        ("delete", "t", None),
        ("mkdir", "t", None),
        ("chmod", "c", None),
        ("symlink", "l", None),
        ("modify", "m", None),
        ("chmod", "d", None),
    ]


def test_a_command_divides_what_came_before_from_what_came_after() -> None:
    base: Tree = {"a": a_file(b"one\n")}
    first: Tree = {"a": a_file(b"two\n")}
    last: Tree = {"a": a_file(b"three\n"), "b": a_file()}
    result = staged(Segment(changes_between(base, first), a_queued(request="r9")), between(base, last))
    assert short(result) == [
        ("modify", "a", None),
        ("command", None, None),
        ("modify", "a", None),
        ("create", "b", None),
    ]
    modify, command, again, _ = result.operations
    assert (modify.base, modify.after, again.base, again.after) == (base["a"], first["a"], first["a"], last["a"])
    assert (command.call, command.request_ids, command.tool_call_id) == (
        CommandCall(command="make"),
        ("r9",),
        "call-r9",
    )


def test_a_path_that_is_as_it_was_again_after_a_command_is_put_back_by_an_operation() -> None:
    base: Tree = {"a": a_file(b"one\n")}
    changed: Tree = {"a": a_file(b"two\n"), "b": a_file()}
    result = staged(Segment(changes_between(base, changed), a_queued()), Segment(()))
    assert short(result)[3:] == [("delete", "b", None), ("modify", "a", None)]
    assert result.operations[-1].after == base["a"]


@pytest.mark.parametrize(
    ("mode", "staged_mode"), [(0o666, 0o664), (0o4755, 0o755), (0o2644, 0o644), (0o200, 0o600), (0o777, 0o775)]
)
def test_permissions_no_plan_may_give_are_brought_within_bounds_with_a_warning(mode: int, staged_mode: int) -> None:
    result = staged(between({}, {"a": a_file(mode=mode)}))
    assert result.operations[0].after == a_file(mode=staged_mode)
    assert result.warnings == (f"a was given the mode {mode:04o} and is staged with {staged_mode:04o}.",)


def test_permissions_the_person_gave_are_left_alone() -> None:
    result = staged(between({"a": a_file(b"1", mode=0o666)}, {"a": a_file(b"2", mode=0o666)}))
    assert result.operations[0].after == a_file(b"2", mode=0o666)
    assert result.warnings == ()


def test_folders_of_a_generous_umask_are_made_as_every_other_and_private_ones_stay_private() -> None:
    tree = {
        "wide": DirectoryState(mode=0o777),
        "wide/a": a_file(),
        "private": DirectoryState(mode=0o700),
        "private/b": a_file(),
        "closed": DirectoryState(mode=0o500),
        "closed/c": a_file(),
    }
    result = staged(between({}, tree))
    assert short(result) == [
        ("mkdir", "closed", None),
        ("mkdir", "private", None),
        ("create", "closed/c", None),
        ("create", "private/b", None),
        ("create", "wide/a", None),
        ("chmod", "closed", None),
    ]
    assert result.operations[-1].after == DirectoryState(mode=0o500)
    assert result.warnings == ()


def a_request(name: str, *paths: str, handling: Handling = Handling.HELD, tool: str = "edit") -> InterceptedRequest:
    category = ToolCategory.READ if tool == "read" else ToolCategory.WRITE
    return InterceptedRequest(
        request_id=RequestId(name),
        session_id=SessionId("SES-1"),
        tool=tool,
        tool_call_id=ToolCallId(f"call-{name}"),
        title=f"{tool} {' '.join(paths)}",
        message_id="msg-1",
        category=category,
        paths=paths,
        plan_mode=True,
        verdict=handling.verdict,
        handling=handling,
    )


def a_call(name: str, *paths: str, title: str = "", tool: str = "Edit", **fields: object) -> ToolCall:
    return ToolCall(id=ToolCallId(name), tool=tool, title=title, kind=ToolKind.EDIT, paths=paths, **fields)  # type: ignore[arg-type]


def test_every_request_is_on_its_operation_several_where_several_led_to_it() -> None:
    tree: Tree = {"a": a_file(), "b": a_file(b"b")}
    requests = (a_request("r1", "a"), a_request("r2", "./a"), a_request("r3", "b"))
    result = staged(Segment(changes_between({}, tree), requests=requests))
    assert [operation.request_ids for operation in result.operations] == [("r1", "r2"), ("r3",)]
    assert [operation.tool_call_id for operation in result.operations] == ["call-r1", "call-r3"]
    assert result.operations[0].message_id == "msg-1"
    assert result.notes == ()
    assert result.warnings == ()


def test_a_request_for_a_folder_is_on_everything_in_it_and_one_for_a_move_on_the_move() -> None:
    before: Tree = {"d": FOLDER, "d/a": a_file(b"1"), "d/b": a_file(b"2"), "old": a_file(b"3")}
    segment = Segment(
        changes_between(before, {"new": a_file(b"3")}),
        requests=(a_request("r1", "d", tool="delete"), a_request("r2", "new", tool="move")),
    )
    assert {operation.path: operation.request_ids for operation in staged(segment).operations} == {
        "d/a": ("r1",),
        "d/b": ("r1",),
        "d": ("r1",),
        "old": ("r2",),
    }


def test_a_request_lands_in_its_own_segment_or_in_the_next_that_shows_its_path() -> None:
    base: Tree = {}
    first: Tree = {"a": a_file(b"one\n")}
    last: Tree = {"a": a_file(b"two\n"), "b": a_file()}
    result = staged(
        Segment(
            changes_between(base, first), a_queued(request="r3"), requests=(a_request("r1", "a"), a_request("r2", "b"))
        ),
        Segment(changes_between(base, last), requests=(a_request("r4", "a"),)),
    )
    assert [(o.path, o.request_ids) for o in result.operations] == [
        ("a", ("r1",)),
        (None, ("r3",)),
        ("a", ("r4",)),
        ("b", ("r2",)),
    ]


def test_a_request_that_left_no_trace_is_kept_as_a_note_and_said_when_it_should_have() -> None:
    requests = (
        a_request("r1", "a"),
        a_request("r2", "b", tool="read", handling=Handling.PASSED),
        a_request("r3", "c", handling=Handling.REFUSED),
    )
    result = staged(Segment(changes_between({}, {"c": a_file()}), requests=requests))
    assert [note.step for note in result.notes] == ["r1", "r2", "r3"]
    assert result.operations[0].request_ids == ()
    (warning,) = result.warnings
    assert "r1" in warning
    assert " a " in warning


@given(
    paths=st.lists(st.sampled_from(PATHS), max_size=8),
    handlings=st.lists(st.sampled_from(list(Handling)), min_size=8, max_size=8),
    before=TREES,
    looks=st.lists(TREES, min_size=2, max_size=3),
    where=st.lists(st.integers(0, 1), min_size=8, max_size=8),
)
def test_no_request_is_ever_lost(
    paths: list[str], handlings: list[Handling], before: Tree, looks: list[Tree], where: list[int]
) -> None:
    requests = [
        (position, a_request(f"r{number}", path, handling=handling))
        for number, (path, handling, position) in enumerate(zip(paths, handlings, where, strict=False))
    ]
    segments = [
        Segment(
            changes_between(before, look),
            a_queued(position + 1, request=f"q{position}"),
            requests=tuple(request for at, request in requests if at == position),
        )
        for position, look in enumerate(looks)
    ]
    result = staged_operations(segments, A_MOMENT)
    found = {name for operation in result.operations for name in operation.request_ids}
    found |= {note.step for note in result.notes}
    found |= {request.request_id for _, request in requests if request.handling is Handling.RAN}  # listed as `ran`
    expected = {request.request_id for _, request in requests} | {f"q{position}" for position in range(len(looks))}
    assert found == expected


def test_the_agents_words_and_the_task_are_taken_from_the_last_call_that_names_the_path() -> None:
    calls = (
        a_call("c1", "a", title="Draft"),
        a_call("c2", "a", title="Finish"),
        replace(a_call("c3", "a", title="Look again", tool="Read"), kind=ToolKind.READ),
        a_call("c4", "a", title="Broken", status=ToolCallStatus.FAILED),
    )
    (operation,) = staged(
        Segment(changes_between({}, {"a": a_file()}), calls=calls), tasks={ToolCallId("c2"): TaskId("t1")}
    ).operations
    assert (operation.description, operation.tool, operation.tool_call_id, operation.task) == (
        "Finish",
        "edit",
        "c2",
        "t1",
    )


def test_a_request_that_names_no_path_finds_it_through_its_call() -> None:
    request = replace(a_request("r1"), tool_call_id=ToolCallId("c1"))
    segment = Segment(changes_between({}, {"a": a_file()}), calls=(a_call("c1", "a"),), requests=(request,))
    assert staged(segment).operations[0].request_ids == ("r1",)


def test_what_nobody_announced_is_still_described_by_what_it_does() -> None:
    before: Tree = {"old": a_file(b"1"), "gone": a_file(b"2")}
    result = staged(between(before, {"new": a_file(b"1"), "l": SymlinkState(target="new"), "d": FOLDER}))
    assert {operation.description for operation in result.operations} == {
        "Delete gone",
        "Make the folder d",
        "Move old to new",
        "Link l",
    }
    assert all(operation.tool for operation in result.operations)


def test_the_effects_of_a_command_that_ran_in_the_shadow_are_put_down_to_it() -> None:
    ran = replace(
        a_request("r1", handling=Handling.RAN, tool="bash"), title="npm install", category=ToolCategory.EXECUTE
    )
    segment = Segment(
        changes_between({}, {"lock.json": a_file(), "mine": a_file(b"x")}),
        calls=(a_call("c1", "mine", title="By hand"),),
        requests=(ran,),
        ran=ran,
    )
    lock, mine = staged(segment).operations
    assert (lock.request_ids, lock.description) == (("r1",), "Effect of npm install, which ran in the shadow")
    assert lock.agent_description == "", "these are not the agent's words"
    assert (mine.request_ids, mine.description) == ((), "By hand")


def test_a_command_is_not_credited_with_what_was_there_before_it_ran() -> None:
    ran = replace(
        a_request("r1", handling=Handling.RAN, tool="bash"), title="npm install", category=ToolCategory.EXECUTE
    )
    segment = Segment(
        changes_between({}, {"again": a_file(b"2"), "lock.json": a_file(), "mine": a_file(b"x")}),
        requests=(ran,),
        ran=ran,
        before=changes_between({}, {"again": a_file(b"1"), "mine": a_file(b"x")}),
    )
    again, lock, mine = staged(segment).operations
    assert again.description == lock.description == "Effect of npm install, which ran in the shadow"
    assert (mine.request_ids, mine.description) == ((), "Create mine")


def test_a_rename_in_upper_and_lower_case_alone_is_said_to_be_impossible() -> None:
    result = staged(between({"README": a_file()}, {"Readme": a_file()}))
    (warning,) = result.warnings
    assert "README" in warning
    assert "Readme" in warning
    assert staged(between({"A": a_file(), "a": a_file(b"2")}, {"A": a_file(b"3"), "a": a_file(b"4")})).warnings == ()


def test_numbers_begin_where_they_are_told_to() -> None:
    result = staged(between({}, {"a": a_file(), "b": a_file(b"b")}), first=5)
    assert [operation.id for operation in result.operations] == ["s5", "s6"]
