"""What a person keeps in their home stays hidden while an agent runs, whatever becomes of the files meanwhile."""

import ctypes
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.shadow.places import ShownPrograms, covered_places
from tests.support.shadows import ShadowPlace

SECRET = "REAL-TOKEN"
READ_ALL = "cat $HOME/gate; grep -rs {secret} '{person}'; cat {paths} 2>/dev/null; ls -A '{person}'"


def while_the_agent_runs(place: ShadowPlace, script: str, meanwhile: Callable[[], object]) -> str:
    """What the agent says; `meanwhile` happens after it has started and before it looks."""
    gate = place.state / "agents/one/home/gate"
    gate.parent.mkdir(parents=True)
    os.mkfifo(gate)
    answers: list[str] = []
    agent = threading.Thread(target=lambda: answers.append(place.agent(script)))
    agent.start()
    with gate.open("w") as opened:  # opens when the agent does
        meanwhile()
        opened.write("go\n")
    agent.join()
    return answers[0]


@pytest.mark.parametrize(
    "name", [".netrc", ".bash_history", ".pypirc", ".aws/credentials", "any-other-file", ".ssh/id"]
)
@pytest.mark.parametrize("is_there", [True, False])
def test_a_secret_replaced_by_rename_or_made_later_is_not_uncovered(
    place: ShadowPlace, name: str, is_there: bool
) -> None:
    target = place.person / name
    target.parent.mkdir(exist_ok=True)
    if is_there:
        target.write_text(SECRET)
    place.open()

    def replace() -> None:
        new = target.with_name(f"{target.name}.new")
        new.write_text(SECRET)
        new.rename(target)

    said = while_the_agent_runs(
        place, READ_ALL.format(secret=SECRET, person=place.person, paths=f"'{target}'"), replace
    )
    assert said.startswith("go\n")
    assert (SECRET in said, target.read_text()) == (False, SECRET)


def test_what_git_stores_as_a_credential_in_the_middle_of_a_turn_cannot_be_read(place: ShadowPlace) -> None:
    store = place.person / ".git-credentials"
    store.write_text("https://me:old@example.org\n")
    place.open()

    def approve() -> None:
        subprocess.run(
            ["git", "-c", f"credential.helper=store --file={store}", "credential", "approve"],
            input=f"protocol=https\nhost=example.org\nusername=me\npassword={SECRET}\n\n",
            text=True,
            check=True,
            env={**os.environ, "HOME": str(place.person)},
        )

    said = while_the_agent_runs(place, READ_ALL.format(secret=SECRET, person=place.person, paths=f"'{store}'"), approve)
    assert SECRET in store.read_text()
    assert SECRET not in said


def test_secrets_of_the_system_are_hidden_from_an_agent_of_roots(place: ShadowPlace) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can read these files at all")
    place.open()
    said = place.agent("cat /etc/shadow /etc/gshadow; ls /etc/ssh/*_key /etc/sudoers.d; head -n1 /etc/passwd")
    assert said.count("No such file") >= 3
    assert [line for line in said.splitlines() if line.startswith("root:")] == [said.splitlines()[0]]


def test_the_usual_state_folder_is_hidden_also_when_another_one_is_in_use(
    place: ShadowPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = place.base / "usual"
    (usual / "tandem-desktop").mkdir(parents=True)
    (usual / "tandem-desktop/approvals-key").write_text(SECRET)
    monkeypatch.setenv("XDG_STATE_HOME", str(usual))
    place.open()
    assert SECRET not in place.agent(f"cat '{usual}/tandem-desktop/approvals-key'")


def test_every_home_and_what_services_keep_in_run_is_empty_but_for_programs(place: ShadowPlace) -> None:
    place.open()
    said = place.agent("ls -A /run /home /var/tmp", environment={"PATH": os.defpath})
    assert [line for line in said.splitlines() if line and not line.endswith(":")] == []


def test_no_key_of_the_persons_keyrings_can_be_read_or_asked_for(place: ShadowPlace) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    add_key, keyctl, session = 248, 250, -3
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers of the calls are those of x86_64")
    made: list[int] = []

    def with_a_key() -> None:
        # A session keyring of its own for this thread, as a login has one, and a key in it.
        libc.syscall(keyctl, 1, None)
        data = SECRET.encode()
        made.append(libc.syscall(add_key, b"user", b"tandem-test", data, len(data), session))
        script = (
            "import ctypes; c=ctypes.CDLL(None, use_errno=True); b=ctypes.create_string_buffer(64); "
            f"print(c.syscall(250, 11, {made[0]}, b, 64), b.value, c.syscall(250, 10, -3, b'user', b'tandem-test', 0), "
            "c.syscall(249, b'user', b'tandem-test', None, -3), c.syscall(250, 1, None), ctypes.get_errno())"
        )
        answers.append(place.agent(f'/usr/bin/python3 -c "{script}"; cat /proc/keys'))

    answers: list[str] = []
    place.open()
    thread = threading.Thread(target=with_a_key)
    thread.start()
    thread.join()
    if made[0] <= 0:
        pytest.skip("this kernel has no keyrings")
    assert SECRET not in answers[0]
    assert answers[0].split()[0] == "-1"
    assert answers[0].strip() == "-1 b'' -1 -1 -1 38"


@pytest.fixture
def programs(tmp_path: Path) -> Callable[[list[str]], list[str]]:
    """What of a home is shown for programs in it."""
    home = tmp_path / "home"
    home.mkdir()
    shown = ShownPrograms((*covered_places(home), home), home)

    def found(names: list[str]) -> list[str]:
        for name in names:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).touch()
        return [place.relative_to(home).as_posix() for place in shown.of_files([home / names[0]])]

    return found


HOMES = {
    "a script alone in the home": ((["agent.py", "notes"]), ["agent.py"]),
    "a script in a folder of its own": (["tools/agent.py", "tools/helper.py", "other/x"], ["tools", "tools/agent.py"]),
    "a user's programs": (
        [".local/bin/agent", ".local/lib/x", ".local/share/keyrings/k"],
        [".local/bin", ".local/bin/agent", ".local/lib"],
    ),
    "a program of node": (
        ["p/node_modules/.bin/agent", "p/secret"],
        ["p/node_modules", "p/node_modules/.bin/agent"],
    ),
    "a project": (["p/dist/agent.js", "p/package.json", "q/x"], ["p", "p/dist/agent.js"]),
    "a version manager": ([".pyenv/shims/agent", ".pyenv/libexec/pyenv"], [".pyenv", ".pyenv/shims/agent"]),
    "a script among the settings": ([".config/agent.sh", ".config/gh/hosts.yml"], [".config/agent.sh"]),
    "a home that is a repository": (["agent.sh", ".git/config", ".netrc"], ["agent.sh"]),
    "a place of secrets": ([".ssh/agent", ".ssh/id"], []),
}


@pytest.mark.parametrize("case", HOMES)
def test_of_a_home_only_what_belongs_to_the_program_is_shown(
    programs: Callable[[list[str]], list[str]], case: str
) -> None:
    names, shown = HOMES[case]
    assert programs(names) == shown
