import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import tandem_desktop
from tandem_desktop.domain.errors import StorageError
from tandem_desktop.shadow import sandbox
from tandem_desktop.shadow.factory import describe_confinement
from tandem_desktop.shadow.sandbox import REFUSED, SAYS, UNSEEN
from tests.support.patience import PATIENCE_S
from tests.support.shadows import ShadowPlace, is_running, wait_until
from tests.support.temporary import make_program, temporary_folders


def test_everything_but_the_shadow_and_the_private_home_is_read_only(place: ShadowPlace, tmp_path: Path) -> None:
    place.open()
    said = place.agent(
        f"echo x > '{tmp_path}/out'; echo x > '{place.person}/out'; echo x > in; echo x > $HOME/h; echo x > $TMPDIR/t"
    )
    assert said.count("Read-only file system") == 2
    assert not (tmp_path / "out").exists()
    assert place.shadow.read("in") == b"x\n"
    assert (place.state / "agents/one/home/h").read_text() == "x\n"


def test_writes_of_children_and_grandchildren_are_held_back_too(place: ShadowPlace, tmp_path: Path) -> None:
    place.put("a.txt", "a\n")
    before = place.disk()
    place.open()
    place.agent(f"sh -c 'sh -c \"echo x > a.txt; echo x > {tmp_path}/out; rm -rf {tmp_path}/person\"'")
    assert place.disk() == before
    assert (place.person.is_dir(), (tmp_path / "out").exists()) == (True, False)


def test_state_secrets_and_tandems_folder_cannot_be_read(place: ShadowPlace) -> None:
    secrets = [place.person / ".ssh/id", place.person / ".netrc", place.person / ".config/google-chrome-beta/Cookies"]
    secrets += [place.state / "approvals/key", place.state / "shadows/other/x"]
    for secret in secrets:
        secret.parent.mkdir(parents=True, exist_ok=True)
        secret.write_text("SECRET")
    place.put(".tandem/plans/p", "SECRET")
    place.open()
    paths = " ".join(f"'{secret}'" for secret in secrets)
    said = place.agent(f"cat {paths} .tandem/plans/p; ls -A .tandem '{place.person}/.ssh' '{place.state}'")
    assert "SECRET" not in said
    assert said.count("No such file") == 7
    assert "Read-only" in place.agent(f"echo x > '{place.person}/id'")
    assert "Read-only" in place.agent(f"echo x > '{place.state}/x'")


def test_a_secret_behind_a_link_is_hidden_where_it_lies(place: ShadowPlace) -> None:
    (place.base / "elsewhere").mkdir()
    (place.base / "elsewhere/id").write_text("SECRET")
    (place.person / ".ssh").symlink_to(place.base / "elsewhere")
    place.open()
    assert "SECRET" not in place.agent(f"cat '{place.base}/elsewhere/id' '{place.person}/.ssh/id'")


def test_secrets_inside_the_workspace_are_hidden_as_well(tmp_path: Path, place: ShadowPlace) -> None:
    place.person = place.root
    place.put(".ssh/id", "SECRET")
    place.open()
    assert "SECRET" not in place.agent("cat .ssh/id")
    assert place.shadow.changes() == ()


def test_plans_made_while_the_agent_runs_are_hidden(place: ShadowPlace) -> None:
    place.open()
    gate = place.state / "agents/one/home/gate"
    gate.parent.mkdir(parents=True)
    os.mkfifo(gate)
    answers: list[str] = []
    agent = threading.Thread(target=lambda: answers.append(place.agent("cat $HOME/gate; cat .tandem/plans/p")))
    agent.start()
    with gate.open("w") as opened:  # opens when the agent does
        place.put(".tandem/plans/p", "SECRET")
        opened.write("go\n")
    agent.join()
    assert answers[0].startswith("go\n")
    assert "No such file" in answers[0]


def test_the_environment_is_exactly_what_was_given(place: ShadowPlace) -> None:
    place.open()
    said = place.agent("env", environment={"PATH": os.environ["PATH"], "ONLY": "this"})
    names = {line.partition("=")[0] for line in said.splitlines()}
    assert names == {"PATH", "ONLY", "HOME", "TMPDIR", "PWD"}


def test_the_agent_is_no_root_and_owns_its_files_so_git_works(place: ShadowPlace) -> None:
    subprocess.run(["git", "init", "-q"], cwd=place.root, check=True)
    place.put("a.txt", "a\n")
    place.open()
    said = place.agent("id -u; stat -c %u .; git status --short")
    uid, owner, status = said.splitlines()
    assert uid == owner != "0"
    assert status == "?? a.txt"


def test_a_background_grandchild_is_gone_when_the_agent_ends(place: ShadowPlace) -> None:
    place.open()
    place.agent("(while :; do date +%N > $HOME/alive; sleep 0.01; done) >/dev/null 2>&1 & sleep 0.1")
    alive = place.state / "agents/one/home/alive"
    name = str(place.state / "agents/one/home")
    assert alive.exists()
    wait_until(lambda: not any(name in _environment(pid) for pid in _processes()))


def test_it_sees_no_process_but_its_own(place: ShadowPlace) -> None:
    place.open()
    assert set(place.agent("cd /proc; echo [0-9]*").split()) <= {"1", "2", "3", "4"}


def test_a_socket_in_a_hidden_place_can_be_shown(place: ShadowPlace) -> None:
    address = Path(tempfile.mkdtemp(dir="/tmp")) / "s"
    try:
        place.open()
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(address))
            server.listen()
            script = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(b'hello')"
            # The interpreter itself: the checkout may lie among the temporary files, which are hidden.
            call = f"'{Path(sys.executable).resolve()}' -c \"{script}\" '{address}'"
            assert "No such file" in place.agent(call)
            place.agent(call, sockets=(address,))
            server.settimeout(PATIENCE_S)
            connection, _ = server.accept()
            with connection:
                assert connection.recv(16) == b"hello"
    finally:
        shutil.rmtree(address.parent)


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder among the temporary files, beside the one where everything else of the test lies."""
    with temporary_folders() as make:
        yield make()


def test_a_readable_place_is_shown_among_the_temporary_files_that_are_hidden(
    place: ShadowPlace, temporary: Path
) -> None:
    (temporary / "tool").write_text("tool\n")
    place.open()
    assert "tool\n" not in place.agent(f"cat '{temporary}/tool'")
    said = place.agent(f"cat '{temporary}/tool'; echo x > '{temporary}/y'", readable=(temporary,))
    assert said.startswith("tool\n")
    assert not (temporary / "y").exists()


def test_a_readable_place_uncovers_no_secret_and_no_state(place: ShadowPlace, temporary: Path) -> None:
    place.person = temporary / "person"
    secret = place.person / ".ssh/id"
    secret.parent.mkdir(parents=True)
    secret.write_text("SECRET")
    (place.state / "key").write_text("SECRET")
    place.open()
    said = place.agent(f"cat '{secret}' '{place.state}/key'; echo x > a.txt", readable=(temporary, place.base))
    assert said.count("No such file") == 2
    assert place.shadow.read("a.txt") == b"x\n"


def test_programs_on_the_search_path_are_found_among_the_temporary_files(place: ShadowPlace, temporary: Path) -> None:
    tool = make_program(temporary / "venv/bin/tool", "#!/bin/sh", f"cat '{temporary}/venv/lib/words'\n")
    for name in ("venv/lib/words", "venv/notes"):
        (temporary / name).parent.mkdir(exist_ok=True)
        (temporary / name).write_text(f"{name}\n")
    place.open()
    environment = {"PATH": f"{tool.parent}:{os.defpath}"}
    assert place.agent("tool", environment=environment) == "venv/lib/words\n"
    assert "No such file" in place.agent(f"cat '{temporary}/venv/notes'", environment=environment)
    rehearsal = place.shadow.rehearse(
        ["tool"], environment=environment, cwd=".", network=False, report=place.put("report")
    )
    ended = subprocess.run(rehearsal.argv, env=rehearsal.environment, cwd="/", capture_output=True, check=False)
    assert ended.stdout == b"venv/lib/words\n"


def test_a_start_without_what_it_needs_is_refused_and_names_it(place: ShadowPlace) -> None:
    hidden = place.put(".tandem/python")
    place.open()
    ended = place.start("echo started", needed=(Path("/bin/sh"), hidden))
    assert (ended.returncode, ended.stdout) == (UNSEEN, "")
    assert ended.stderr.startswith(f"{SAYS}{hidden} ")
    assert place.start("echo started", needed=(Path("/bin/sh"),)).stdout == "started\n"


def test_without_network_there_is_none(place: ShadowPlace) -> None:
    place.open()
    lines = place.agent("cat /proc/net/dev", network=False).splitlines()[2:]
    assert [line.split(":")[0].strip() for line in lines] == ["lo"]


def test_it_starts_in_the_folder_it_was_told(place: ShadowPlace) -> None:
    place.put("sub/a.txt", "a\n")
    place.open()
    assert place.agent("pwd", cwd="sub") == f"{place.root}/sub\n"


def test_a_detached_mount_is_refused_before_anything_starts(overlay: ShadowPlace) -> None:
    overlay.put("a.txt", "a\n")
    shadow = overlay.open()
    launch = shadow.launch(
        ["sh", "-c", "echo x > a.txt"], home=overlay.state / "home", environment={"PATH": os.defpath}
    )
    joining = launch.argv[: launch.argv.index("--") + 1]
    subprocess.run([*joining, "umount", "-l", str(overlay.state / "shadows/one/merged")], check=True)
    ended = overlay.start("echo x > a.txt")
    assert ended.returncode == REFUSED
    assert "not mounted" in ended.stderr
    assert (overlay.root / "a.txt").read_text() == "a\n"


def test_a_workspace_removed_and_made_again_is_never_written(place: ShadowPlace) -> None:
    place.put("a.txt", "a\n")
    shadow = place.open()
    launch = shadow.launch(["sh", "-c", "echo x > b.txt"], home=place.state / "home", environment={"PATH": os.defpath})
    shutil.rmtree(place.root)
    place.root.mkdir()
    with pytest.raises(StorageError, match="not the folder it was"):
        place.start("echo x > b.txt")
    subprocess.run(launch.argv, env=launch.environment, cwd=launch.cwd, check=False, capture_output=True)
    assert list(place.root.iterdir()) == []


def test_nothing_is_left_of_a_shadow_whose_tandem_was_killed(overlay: ShadowPlace) -> None:
    overlay.put("a.txt", "old\n")
    child = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(overlay.base)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(tandem_desktop.__file__).parents[1],
    )
    with child:
        assert child.stdout is not None
        pids = json.loads(child.stdout.readline())
        assert all(is_running(pid) for pid in pids)
        child.send_signal(signal.SIGKILL)
    wait_until(lambda: not any(is_running(pid) for pid in pids))
    overlay.open()
    assert overlay.changes()["a.txt"].after.type == "file"
    assert overlay.agent("cat a.txt") == "agent\n"


def test_close_ends_the_holder(overlay: ShadowPlace) -> None:
    overlay.open()
    pid = int(overlay.shadow.place.parts[2])
    assert is_running(pid)
    overlay.close()
    assert not is_running(pid)


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    real = shutil.which
    monkeypatch.setattr(sandbox, "landlock_missing", lambda: "this kernel has no Landlock")
    monkeypatch.setattr(
        shutil, "which", lambda name, *rest, **named: None if name == "bwrap" else real(name, *rest, **named)
    )
    sandbox.bubblewrap_missing.cache_clear()
    yield
    sandbox.bubblewrap_missing.cache_clear()


@pytest.mark.usefixtures("without_bubblewrap")
def test_without_bubblewrap_it_is_a_copy_that_says_it_confines_nobody(tmp_path: Path) -> None:
    place = ShadowPlace(tmp_path, "overlay")
    place.kind = None  # type: ignore[assignment]
    place.put("a.txt", "a\n")
    place.open()
    try:
        assert place.shadow.confinement.kind == "copy"
        assert not place.shadow.confinement.confined
        assert place.shadow.confinement.description == (
            "not confined: bubblewrap is missing; install the package bubblewrap; this kernel has no Landlock"
        )
        place.agent("echo x > a.txt; echo x > sub.txt")
        assert set(place.changes()) == {"a.txt", "sub.txt"}
        assert (place.root / "a.txt").read_text() == "a\n"
    finally:
        place.close()


def test_where_the_kernel_mounts_nothing_it_is_a_confined_copy_that_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    if sandbox.bubblewrap_missing():
        pytest.skip(f"nothing can be confined here: {sandbox.bubblewrap_missing()}")
    monkeypatch.setattr("tandem_desktop.shadow.overlay._HOLDER_SCRIPT", "echo 'mount: permission denied' >&2; exit 1")
    # Alone in its folder: without a veil each socket beside the workspace is covered by name, and others' come and go.
    with tempfile.TemporaryDirectory(dir="/tmp") as base:
        place = ShadowPlace(Path(base), "overlay")
        place.kind = None  # type: ignore[assignment]
        place.open()
        try:
            assert (place.shadow.confinement.kind, place.shadow.confinement.confined) == ("copy", True)
            assert "permission denied" in place.shadow.confinement.description
            assert place.agent("echo x > a.txt") == ""
            assert set(place.changes()) == {"a.txt"}
            assert (place.state / "shadows/one/tree").is_dir()
        finally:
            place.close()


def test_what_this_machine_offers_is_told_and_leaves_no_trace(tmp_path: Path, why_no_overlay: str) -> None:
    told = describe_confinement(tmp_path)
    assert told.kind == ("copy" if why_no_overlay else "overlay")
    assert list(tmp_path.iterdir()) == []


def test_the_settings_of_the_kernel_cannot_be_written(place: ShadowPlace) -> None:
    place.open()
    found = place.agent("find /proc /sys -maxdepth 3 -writable -not -path '/proc/[0-9]*' -not -type l 2>/dev/null")
    assert found == ""


def test_root_gets_a_copy_of_somebody_elses_workspace(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can own a workspace of somebody else")
    place = ShadowPlace(tmp_path, "overlay")
    place.kind = None  # type: ignore[assignment]
    place.put("a.txt", "old\n")
    for node in (place.root, place.root / "a.txt"):
        os.chown(node, 12345, 12345)
    place.open()
    try:
        assert place.shadow.confinement.kind == "copy"
        assert "belongs to another user" in place.shadow.confinement.description
        place.agent("echo new > a.txt; echo n > n.txt")
        assert set(place.changes()) == {"a.txt", "n.txt"}
        assert (place.root / "a.txt").read_text() == "old\n"
    finally:
        place.close()


def test_a_nested_namespace_does_not_lift_what_covers_a_secret(place: ShadowPlace) -> None:
    (place.person / ".ssh").mkdir()
    (place.person / ".ssh/id").write_text("SECRET")
    place.open()
    script = f"umount '{place.person}/.ssh'; umount -l '{place.root}'; cat '{place.person}/.ssh/id'"
    said = place.agent(f'unshare -Urm sh -c "{script}"; echo x > a.txt')
    assert "SECRET" not in said
    assert place.disk() == {}


def test_a_copy_leaves_out_what_git_ignores(tmp_path: Path) -> None:
    place = ShadowPlace(tmp_path, "copy")
    subprocess.run(["git", "init", "-q"], cwd=place.root, check=True)
    place.put(".gitignore", "*.log\nbuild/\n")
    place.put("a.txt", "a\n")
    place.put("a.log", "noise\n")
    place.put("build/out.o", "noise\n")
    place.open()
    try:
        assert [name for name in place.shadow.children() if name != ".git"] == [".gitignore", "a.txt"]
        assert place.shadow.changes() == ()
        place.shadow.refresh()
        assert place.shadow.changes() == ()
        place.shadow.write("a.log", b"agent\n")
        assert place.changes()["a.log"].drifted
    finally:
        place.close()


def test_an_agent_of_an_ordinary_user_is_confined_the_same(tmp_path_factory: pytest.TempPathFactory) -> None:
    if os.geteuid() != 0:
        pytest.skip("the other tests already run as an ordinary user")
    python = "/usr/bin/python3"
    libraries = [entry for entry in sys.path if entry.endswith("site-packages")]
    source = str(Path(tandem_desktop.__file__).parents[1])
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    environment = {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join([source, *libraries]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    able = subprocess.run([*become, python, "-c", "import pydantic"], env=environment, capture_output=True, check=False)
    if able.returncode:
        pytest.skip("an ordinary user finds no Python with Tandem's libraries here")
    base = Path(tempfile.mkdtemp(dir="/tmp"))
    base.chmod(0o777)
    try:
        ended = subprocess.run(
            [*become, python, "-c", _ORDINARY, str(base / "mine")],
            env={**environment, "HOME": str(base)},
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shutil.rmtree(base)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {
        "kind": "overlay",
        "uid": "65534",
        "outside": True,
        "changes": ["a.txt", "d", "d/x"],
        "disk": "old\n",
        "left": [],
    }


_HOLD = """
import json, subprocess, sys, time
from pathlib import Path
from tandem_desktop.shadow.factory import open_shadow
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

base = Path(sys.argv[1])
state = base / "state"
root = next(base.glob("work*"))
shadow = open_shadow(Workspace(root), state / "shadows" / "one", ObjectStore(state / "objects"), masked=(state,))
script = "echo agent > a.txt; echo ready; sleep 600"
launch = shadow.launch(["sh", "-c", script], home=state / "home", environment={"PATH": "/usr/bin:/bin"})
agent = subprocess.Popen(launch.argv, env=launch.environment, cwd=launch.cwd, stdout=subprocess.PIPE)
agent.stdout.readline()
print(json.dumps([int(shadow.place.parts[2]), agent.pid]), flush=True)
time.sleep(600)
"""

_ORDINARY = """
import json, subprocess, sys
from pathlib import Path
from tandem_desktop.shadow.factory import open_shadow
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

base = Path(sys.argv[1])
state, root = base / "state", base / "root"
(state / "objects").mkdir(parents=True)
root.mkdir()
(root / "a.txt").write_text("old\\n")
shadow = open_shadow(Workspace(root), state / "shadows" / "one", ObjectStore(state / "objects"), masked=(state,))
shadow.begin_turn()
script = f"id -u; echo new > a.txt; mkdir d; echo x > d/x; echo x > '{base}/out'"
launch = shadow.launch(["sh", "-c", script], home=state / "home", environment={"PATH": "/usr/bin:/bin"})
ended = subprocess.run(launch.argv, env=launch.environment, cwd=launch.cwd, capture_output=True, text=True)
changes = [change.path for change in shadow.changes()]
kind = shadow.confinement.kind
shadow.discard()
print(json.dumps({
    "kind": kind,
    "uid": ended.stdout.strip(),
    "outside": "Read-only file system" in ended.stderr,
    "changes": changes,
    "disk": (root / "a.txt").read_text(),
    "left": [path.name for path in (state / "shadows").iterdir()],
}))
"""


def _processes() -> Iterator[int]:
    return (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def _environment(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_text(errors="replace")
    except OSError:
        return ""
