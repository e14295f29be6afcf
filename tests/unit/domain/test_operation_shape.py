"""What came from elsewhere is what a reviewer reads it to be, or it is refused in words."""

from typing import Any

import pytest

from tandem_desktop.domain.operations import ABSENT, CommandCall, OperationKind, StagedOperation, SymlinkState, misfit
from tests.support.builders import a_command, a_file, a_write


def a_call(**fields: Any) -> StagedOperation:
    return a_command("make").model_copy(update={"call": CommandCall(command="make", **fields)})


def a_link_over_a_file() -> StagedOperation:
    update = {"kind": OperationKind.SYMLINK, "base": a_file(), "after": SymlinkState(target="x")}
    return a_write().model_copy(update=update)


def test_sound_operations_are_taken() -> None:
    assert misfit(a_write()) is None
    assert misfit(a_call(cwd="src", env=(("A_1", "x"),))) is None


@pytest.mark.parametrize(
    "operation",
    [
        a_call(cwd="../.."),
        a_call(cwd="/etc"),
        a_call(cwd=".git"),
        a_call(env=(("A=B", "x"),)),
        a_call(env=(("A", "\0"),)),
        a_command("make").model_copy(update={"call": CommandCall(command="ma\0ke")}),
        a_write(id="--json"),
        a_write(id="s1\x1b[2J"),
        a_link_over_a_file(),
        a_write().model_copy(update={"base": a_file(b"other")}),
        a_write().model_copy(update={"after": ABSENT}),
    ],
)
def test_what_could_not_have_been_proposed_here_is_refused(operation: StagedOperation) -> None:
    assert misfit(operation)
