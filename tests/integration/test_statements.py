"""A commit is checked by its signed statement alone, with real keys."""

import base64
import json
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.app.main import main
from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash, canonical
from tandem_desktop.domain.ids import RunId
from tandem_desktop.execution.git_repository import GitRepository
from tandem_desktop.services.commits import CommitResult, CommitWish
from tandem_desktop.services.statements import NOTES, Verified
from tests.support.command_line import bash, edit, write
from tests.support.git_histories import git
from tests.support.rehearsals import plan_json

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


class Signing:
    """A repository whose person signs with a key, and another key that counts nothing."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self.signers = folder / "signers"
        for name in ("own", "other"):
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name)]
            subprocess.run(words, check=True)
        self.signers.write_text(f"person@example.org {(folder / 'own.pub').read_text()}")
        git(self.root, "init", "-q", "-b", "main", ".")
        self.sign_with(folder / "own")
        git(self.root, "config", "gpg.format", "ssh")
        git(self.root, "config", "gpg.ssh.allowedSignersFile", str(self.signers))
        (self.root / "app.py").write_text("".join(f"line {number}\n" for number in range(1, 21)))
        (self.root / "old.txt").write_text("old\n")
        git(self.root, "add", ".")
        git(self.root, "commit", "-qm", "begin")
        self.engine = build_engine(self.root)

    def sign_with(self, key: Path) -> None:
        git(self.root, "config", "user.signingKey", str(key))

    def committed(self, *steps: dict, **wish: object) -> CommitResult:
        version = self.engine.proposals.propose(plan_json(*steps))
        self.engine.decisions.approve(version.plan_id, ApprovalHash.of(version).combined_hash)
        ended = self.engine.runs.apply(version.plan_id)
        assert ended.succeeded
        return self.commit(ended.record.run_id, **wish)

    def commit(self, run_id: RunId, **wish: object) -> CommitResult:
        return self.engine.commits.commit(run_id, CommitWish(**wish))  # type: ignore[arg-type]

    def verify(self, words: str = "HEAD", signers: Path | None = None) -> Verified:
        [found] = self.engine.commits.verify([words], signers)
        return found

    def statement(self) -> tuple[dict, dict]:
        note = GitRepository(self.root).note(NOTES, git(self.root, "rev-parse", "HEAD").strip())
        assert note is not None
        envelope = json.loads(note)
        return envelope, json.loads(base64.b64decode(envelope["payload"]))

    def put(self, envelope: dict, statement: dict | None = None) -> None:
        if statement is not None:
            envelope = envelope | {"payload": base64.b64encode(canonical(statement)).decode()}
        GitRepository(self.root).add_note(NOTES, git(self.root, "rev-parse", "HEAD").strip(), canonical(envelope))


@pytest.fixture
def signing(tmp_path: Path) -> Signing:
    return Signing(tmp_path)


STEPS = (
    edit("app.py", "line 3\n", "three\n"),
    write("new.txt", "new\n"),
    {"description": "Delete", "tool": "delete", "args": {"path": "old.txt"}},
    {"description": "Link", "tool": "symlink", "args": {"path": "link", "target": "app.py"}},
)


def test_a_commit_is_known_as_approved_in_a_clone_that_has_nothing_but_git(signing: Signing, tmp_path: Path) -> None:
    made = signing.committed(*STEPS)
    assert made.is_stated
    run = signing.engine.runs.record(made.run_id)
    found = signing.verify()
    assert (found.ok, found.signed_by, found.digest) == (True, "person@example.org", run.digest)
    git(tmp_path, "clone", "-q", "-c", f"remote.origin.fetch=+{NOTES}:{NOTES}", str(signing.root), "clone")
    clone = build_engine(tmp_path / "clone", state=tmp_path / "nothing")
    try:
        [again] = clone.commits.verify(["HEAD"], signing.signers)
    finally:
        clone.close()
    assert again == found
    assert not (tmp_path / "nothing" / "audit.jsonl").exists()


def test_commits_per_task_line_endings_and_what_commands_left_are_known_as_approved(signing: Signing) -> None:
    (signing.root / ".gitattributes").write_text("*.txt text\n")
    git(signing.root, "add", ".")
    git(signing.root, "commit", "-qm", "attributes")
    made = signing.committed(write("dos.txt", "one\r\n"), write("two.sh", "2\n"), bash("echo made > made.py"))
    assert made.is_stated
    assert signing.verify().ok


def test_what_is_not_what_was_approved_is_said_by_path(signing: Signing) -> None:
    assert "no statement" in signing.verify().reason
    signing.committed(*STEPS)
    assert "nobody is known" in signing.verify(signers=signing.root / "nowhere").reason
    envelope, statement = signing.statement()

    def without_keys(change: Callable[[dict], None]) -> str:
        """As if the person had signed the changed statement."""
        changed = json.loads(json.dumps(statement))
        change(changed["predicate"])
        from tandem_desktop.services import statements

        return statements._reason(GitRepository(signing.root), signing.verify().commit, changed, changed["predicate"])

    assert without_keys(lambda said: None) == ""
    effect = next(each for each in statement["predicate"]["effects"] if each["path"] == "new.txt")
    number = statement["predicate"]["effects"].index(effect)
    assert "digest was computed" in without_keys(lambda said: said["effects"][number].update(path="other.txt"))
    (signing.root / "new.txt").write_text("never approved\n")
    git(signing.root, "commit", "-q", "-a", "--amend", "--no-edit")
    signing.put(envelope)
    assert signing.verify().reason == "its statement is about another commit"
    statement["subject"][0]["digest"]["gitCommit"] = signing.verify().commit
    signing.put(envelope, statement)
    assert signing.verify().reason == "its signature does not fit what it says"
    assert without_keys(lambda said: None) == "new.txt is not what was approved"


def test_a_file_that_was_merged_with_what_is_committed_is_not_byte_for_byte_approved(signing: Signing) -> None:
    path = signing.root / "app.py"
    path.write_text(path.read_text().replace("line 18\n", "mine\n"))
    signing.committed(edit("app.py", "line 3\n", "three\n"))
    assert signing.verify().reason == "app.py was merged with what was committed, so its bytes are not those approved"


def test_a_key_that_does_not_count_and_a_key_that_is_gone_are_said(signing: Signing, tmp_path: Path) -> None:
    signing.sign_with(tmp_path / "other")
    signing.committed(write("new.txt", "new\n"))
    assert signing.verify().reason == "it is signed by nobody whose signature counts"
    (tmp_path / "other").unlink()
    made = signing.committed(write("more.txt", "more\n"))
    assert not made.is_stated
    assert "could not be signed" in made.problem
    assert git(signing.root, "log", "-1", "--format=%s") == "A plan\n"


def test_the_command_checks_a_range_and_ends_with_1_where_one_is_not_approved(
    signing: Signing, capsys: pytest.CaptureFixture[str]
) -> None:
    signing.committed(write("one.txt", "1\n"))
    signing.committed(write("two.txt", "2\n"))
    calls = ["-C", str(signing.root), "--json", "verify"]
    assert main([*calls, "HEAD~2..HEAD"]) == 0
    assert [each["ok"] for each in json.loads(capsys.readouterr().out)["commits"]] == [True, True]
    git(signing.root, "commit", "-q", "--allow-empty", "-m", "by hand")
    assert main([*calls, "HEAD~1..HEAD"]) == 1
    assert main([*calls, "nothing"]) == 2


def spoil(signing: Signing, draw: random.Random) -> None:
    """Change one byte of the statement, of its envelope, or of the commit."""
    envelope, statement = signing.statement()
    way = draw.randrange(3)
    if way == 0:
        data = bytearray(canonical(statement))
        at = draw.randrange(len(data))
        data[at] = (data[at] + 1 + draw.randrange(254)) % 256
        envelope["payload"] = base64.b64encode(bytes(data)).decode()
    elif way == 1:
        signature = bytearray(base64.b64decode(envelope["signatures"][0]["sig"]))
        lines = bytes(signature).splitlines()
        body = bytearray(base64.b64decode(b"".join(lines[1:-1])))
        body[draw.randrange(len(body))] ^= 1 << draw.randrange(8)
        armored = b"\n".join([lines[0], base64.b64encode(bytes(body)), lines[-1], b""])
        envelope["signatures"][0]["sig"] = base64.b64encode(armored).decode()
    else:
        path = signing.root / draw.choice(("app.py", "new.txt"))
        data = bytearray(path.read_bytes())
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        path.write_bytes(bytes(data))
        git(signing.root, "commit", "-q", "-a", "--amend", "--no-edit")
    signing.put(envelope)


@pytest.mark.parametrize("count", [40, pytest.param(10_000, marks=pytest.mark.exhaustive)])
def test_every_changed_byte_of_a_commit_or_its_statement_is_found(signing: Signing, count: int) -> None:
    signing.committed(*STEPS)
    whole = git(signing.root, "rev-parse", "HEAD").strip()
    notes = git(signing.root, "rev-parse", NOTES).strip()
    draw = random.Random(20)
    for number in range(count):
        spoil(signing, draw)
        assert not signing.verify().ok, number
        git(signing.root, "reset", "-q", "--hard", whole)
        git(signing.root, "update-ref", NOTES, notes)
        assert number % 500 or signing.verify().ok
