"""What needs attention comes gravest first, and equal hazards are one group."""

from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.review.attention import attention
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.staging.hazards import Hazard, flags, reasons
from tests.support.builders import a_command, a_symlink, a_write

BLOB = b"\0blob"


def seen(operation: StagedOperation, content: bytes | None = None) -> OperationView:
    found = flags(operation, None, content, commands_captured=True)
    return OperationView(operation, found, (), reasons=reasons(operation, None, content))


def a_file_of(path: str, content: bytes = b"x\n", *, id: str) -> OperationView:  # noqa: A002 - the name of the field
    return seen(a_write(path, content, id=id), content)


def listed(*views: OperationView) -> list[list[str]]:
    return [[view.operation.id for view in group.views] for group in attention(views)]


def test_what_runs_code_instructs_agents_touches_secrets_or_reaches_outside_comes_before_the_rest() -> None:
    views = (
        a_file_of("a.bin", BLOB, id="binary"),
        seen(a_symlink("inside", "src", id="link")),
        a_file_of("src/ѕudo.py", id="hidden"),
        seen(a_symlink("outside", "/etc", id="outside")),
        a_file_of("server.key", id="secret"),
        a_file_of("AGENTS.md", id="instructs"),
        a_file_of("Makefile", id="runs"),
        a_file_of("src/app.py", id="ordinary"),
    )
    order = [["runs"], ["instructs"], ["secret"], ["outside"], ["hidden"], ["link"], ["binary"]]
    assert listed(*views) == order
    assert listed(*reversed(views)) == order


def test_files_with_the_same_low_hazards_are_one_group() -> None:
    assert listed(*(a_file_of(f"{n}.bin", BLOB, id=f"s{n}") for n in range(12))) == [[f"s{n}" for n in range(12)]]


def test_files_that_run_code_are_one_group_only_if_they_are_of_one_kind() -> None:
    found = listed(
        a_file_of(".github/workflows/a.yml", id="s1"),
        a_file_of("Makefile", id="s2"),
        a_file_of(".gitlab-ci.yml", id="s3"),
        a_file_of("CMakeLists.txt", id="s4"),
    )
    assert found == [["s1", "s3"], ["s2", "s4"]]


def test_a_low_hazard_does_not_part_what_runs_code_from_its_group() -> None:
    executable = seen(a_write("Makefile.PL", b"x\n", mode=0o755, id="s1"), b"x\n")
    groups = attention([a_file_of("configure.ac", id="s2"), executable])
    assert [group.flags for group in groups] == [(Hazard.RUNS_CODE, Hazard.EXECUTABLE)]
    assert [view.operation.id for view in groups[0].views] == ["s1", "s2"]


def test_each_command_and_each_deceiving_name_is_acknowledged_by_itself() -> None:
    found = listed(
        seen(a_command("make", id="s1")),
        seen(a_command("make", id="s2")),
        a_file_of("src/ѕudo.py", id="s3"),
        a_file_of("src/ѕed.py", id="s4"),
        seen(a_symlink("a", "/etc", id="s5")),
        seen(a_symlink("b", "/etc", id="s6")),
    )
    assert found == [["s1"], ["s2"], ["s5"], ["s6"], ["s3"], ["s4"]]


def test_a_group_is_titled_by_the_kind_of_its_gravest_flag() -> None:
    titles = [group.title for group in attention([a_file_of("Dockerfile", id="s1"), a_file_of("a.bin", BLOB, id="s2")])]
    assert titles == ["Containers and infrastructure", ""]
