"""Each kind of operation is described in one place, and what is said of an operation comes from there."""

import pytest

from tandem_desktop.domain.operations import (
    ABSENT,
    DirectoryState,
    OperationKind,
    StagedOperation,
    SymlinkState,
    kind_of_change,
    misfit,
)
from tests.support.builders import (
    a_chmod,
    a_command,
    a_delete,
    a_file,
    a_mkdir,
    a_move,
    a_symlink,
    a_write,
    an_external_call,
)

OPERATIONS = {
    OperationKind.CREATE: (a_write("a.py", mode=0o755), "create a.py (mode 0755)", "Create a.py"),
    OperationKind.MODIFY: (a_write("a.py", before=b"old\n"), "modify a.py", "Modify a.py"),
    OperationKind.DELETE: (
        a_delete("a", base=SymlinkState(target="{path}")),
        "delete a (a link to {path})",
        "Delete a",
    ),
    OperationKind.MOVE: (a_move("a", "{to}"), "move a → {to}", "Move a to {to}"),
    OperationKind.CHMOD: (a_chmod("a"), "set the mode of a: 0644 → 0755", "Change the mode of a"),
    OperationKind.SYMLINK: (a_symlink("a", "b"), "link a → b", "Link a"),
    OperationKind.MKDIR: (a_mkdir("a"), "make the folder a", "Make the folder a"),
    OperationKind.COMMAND: (a_command("make"), "run a command", "Run a command"),
    OperationKind.EXTERNAL: (an_external_call("crm"), "let the agent call crm", "Call crm"),
}


@pytest.mark.parametrize("kind", OperationKind)
def test_every_kind_says_what_it_does_and_fits_its_own_states(kind: OperationKind) -> None:
    operation, action, title = OPERATIONS[kind]
    assert (operation.kind, operation.action, operation.title) == (kind, action, title)
    assert misfit(operation) is None


@pytest.mark.parametrize("kind", [kind for kind in OperationKind if not kind.spec.is_run])
@pytest.mark.parametrize("operation", [each for each, _, _ in OPERATIONS.values()], ids=lambda each: each.kind)
def test_an_operation_fits_its_own_kind_alone_and_a_mode_also_a_modify(
    kind: OperationKind, operation: StagedOperation
) -> None:
    names = {operation.kind, OperationKind.MODIFY} if operation.kind is OperationKind.CHMOD else {operation.kind}
    renamed = operation.model_copy(update={"kind": kind})
    assert (misfit(renamed) is None) == (kind in names)


def test_only_commands_and_external_calls_are_run_and_not_undoable_from_stored_bytes() -> None:
    run = [OperationKind.COMMAND, OperationKind.EXTERNAL]
    assert [kind for kind in OperationKind if kind.spec.is_run] == run
    assert [kind for kind in OperationKind if not kind.spec.is_undoable] == run
    assert a_command("make").subject == a_command("make").command == "make"
    assert (a_move("a", "b").subject, a_move("a", "b").command) == ("a → b", None)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (a_file(), ABSENT, OperationKind.DELETE),
        (a_file(b"1"), a_file(b"2"), OperationKind.MODIFY),
        (a_file(), a_file(mode=0o755), OperationKind.CHMOD),
        (DirectoryState(mode=0o755), DirectoryState(mode=0o700), OperationKind.CHMOD),
        (ABSENT, a_file(), OperationKind.CREATE),
        (ABSENT, SymlinkState(target="x"), OperationKind.SYMLINK),
        (ABSENT, DirectoryState(mode=0o755), OperationKind.MKDIR),
    ],
)
def test_a_change_of_state_has_one_kind(before: object, after: object, kind: OperationKind) -> None:
    assert kind_of_change(before, after) is kind  # type: ignore[arg-type]
