"""Two clones and a bare remote: plans, comments and signed approvals go from one person to another."""

import base64
import hashlib
import json
import random
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import canonical
from tandem_desktop.domain.errors import ApprovalMissingError, GitError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.services.sharing import PLANS, Fetched
from tests.support.command_line import CommandLine, bash, edit, write
from tests.support.git_histories import git
from tests.support.teams import LINES, Team

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture
def team(tmp_path: Path):
    made = Team(tmp_path)
    yield made
    made.close()


def tree(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in root.iterdir() if path.is_file()}


def test_the_other_sees_the_same_plan_and_digest_and_no_file_is_touched(team: Team) -> None:
    plan = team.ann.propose(edit("app.py", "line 3\n", "three\n"), write("new.txt", "new\n"))
    before, heads = tree(team.ben.root), git(team.ben.root, "for-each-ref", "refs/heads", "refs/remotes")
    shared = team.ann.engine.sharing.share(plan)
    found = team.ben.fetch()
    assert (found.outcome, found.plan_id, found.digest) == (Fetched.NEW, plan, shared.digest)
    assert tree(team.ben.root) == before
    assert git(team.ben.root, "for-each-ref", "refs/heads", "refs/remotes") == heads
    assert git(team.ben.root, "status", "--short") == ""
    assert not team.ben.engine.sharing.fetch()
    assert not team.ann.engine.sharing.share(plan).is_new


def test_an_approval_of_the_other_lets_exactly_that_be_applied_once(team: Team) -> None:
    plan = team.ann.propose(edit("app.py", "line 3\n", "three\n"))
    team.ann.engine.sharing.share(plan)
    team.ben.fetch()
    team.ben.approve(plan)
    assert team.ben.engine.sharing.share(plan).is_approved
    found = team.ann.fetch()
    [decision] = found.decisions
    assert (decision.by, decision.counts) == ("ben@example.org", True)
    assert team.ann.status(plan) is PlanStatus.APPROVED
    ended = team.ann.engine.runs.apply(plan)
    assert ended.succeeded
    assert "three\n" in (team.ann.root / "app.py").read_text()
    approvals = [each.body for each in team.ann.engine.audit.records() if each.kind == "approved"]
    assert [each["approved_by"] for each in approvals] == ["ben@example.org"]
    assert team.ann.engine.audit_check.verify().ok
    team.ann.engine.runs.undo(ended.record.run_id)
    git(team.ann.root, "update-ref", "-d", f"refs/tandem/taken-in/origin/{plan}")
    assert team.ann.engine.sharing.fetch() == ()  # used up, whatever the remote says
    assert team.ann.status(plan) is PlanStatus.UNDONE


def test_comments_and_what_was_sent_back_arrive_as_drafts_once(team: Team) -> None:
    plan = team.ann.propose(edit("app.py", "line 3\n", "three\n"))
    team.ann.engine.sharing.share(plan)
    team.ben.fetch()
    team.ben.engine.commenting.add(plan, "why three?", operation=team.ben.engine.plans.revision(plan).operations[0].id)
    team.ben.engine.decisions.reject(plan, "rather four")
    team.ann.engine.commenting.add(plan, "mine")
    team.ben.engine.sharing.share(plan)
    assert team.ann.fetch().comments == 2
    drafts = team.ann.engine.commenting.comments(plan).drafts
    assert {each.by for each in drafts} == {"", "ben"}
    assert any(each.said == "ben: why three?" for each in drafts)
    assert "ben: Sent back: rather four" in team.ann.engine.commenting.feedback(plan)
    team.ann.engine.sharing.share(plan)
    assert team.ben.fetch().comments == 1
    team.ben.engine.sharing.share(plan)
    assert team.ann.engine.sharing.fetch() == ()


def test_a_revision_of_one_is_the_next_revision_of_the_other(team: Team) -> None:
    plan = team.ann.propose(edit("app.py", "line 3\n", "three\n"), write("new.txt", "new\n"))
    team.ann.engine.sharing.share(plan)
    team.ben.fetch()
    team.ben.engine.proposals.add_command(plan, "true")
    team.ben.engine.sharing.share(plan)
    team.ann.approve(plan)
    with pytest.raises(GitError, match="was revised on origin"):
        team.ann.engine.sharing.share(plan)
    found = team.ann.fetch()
    assert (found.outcome, found.revision) == (Fetched.REVISED, 2)
    assert found.digest == team.ben.engine.plans.revision(plan).approval_hash
    assert team.ann.status(plan) is PlanStatus.PROPOSED


def test_of_two_revisions_at_once_none_is_lost(team: Team) -> None:
    plan = team.ann.propose(edit("app.py", "line 3\n", "three\n"), write("new.txt", "new\n"))
    team.ann.engine.sharing.share(plan)
    team.ben.fetch()
    team.ben.engine.proposals.add_command(plan, "true")
    team.ann.engine.proposals.add_command(plan, "false")
    team.ben.engine.sharing.share(plan)
    with pytest.raises(GitError, match="both here and on origin"):
        team.ann.engine.sharing.share(plan)
    found = team.ann.fetch()
    assert found.outcome is Fetched.ALTERNATIVE
    assert found.plan_id != plan
    mine, theirs = (team.ann.engine.plans.revision(each).operations[-1].command for each in (plan, found.plan_id))
    assert (mine, theirs) == ("false", "true")


def forge(team: Team, plan: PlanId, way: str) -> None:
    """Make the approval of Ben one that must not count."""
    ben = team.ben
    match way:
        case "nobody who counts":
            team.trust(team.ann)
        case "another revision":
            team.ann.engine.proposals.add_command(plan, "true")
        case "another repository":
            orphan = git(ben.root, "commit-tree", git(ben.root, "write-tree").strip(), "-m", "orphan").strip()
            git(ben.root, "reset", "-q", "--soft", orphan)
        case "a commit of nobody else":
            git(ben.root, "commit", "-q", "--allow-empty", "-m", "only here")
        case "another day":
            ben.engine.close()
            now = ben.engine.clock()
            ben.engine = build_engine(
                ben.root, state=team.folder / "ben-state", clock=lambda: now - timedelta(hours=25)
            )


@pytest.mark.parametrize(
    "way",
    ["nobody who counts", "another revision", "another repository", "a commit of nobody else", "another day"],
)
def test_approval_that_does_not_count_says_why_and_nothing_is_approved(team: Team, way: str) -> None:
    plan = team.ann.propose(edit("app.py", "line 3\n", "three\n"))
    team.ann.engine.sharing.share(plan)
    team.ben.fetch()
    forge(team, plan, way)
    team.ben.approve(plan)
    team.ben.engine.sharing.share(plan)
    [decision] = team.ann.fetch().decisions
    assert not decision.counts
    assert decision.reason
    assert team.ann.status(plan) is PlanStatus.PROPOSED


@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.exhaustive)])
def test_of_spoiled_forged_and_replayed_approvals_none_counts(team: Team, count: int) -> None:
    plan, other = (team.ann.propose(edit("app.py", "line 3\n", words)) for words in ("three\n", "drei\n"))
    for each in (plan, other):
        team.ann.engine.sharing.share(each)
    team.ben.engine.sharing.fetch()
    team.ben.approve(plan)
    team.ben.engine.sharing.share(plan)
    files = team.files(plan)
    [name] = [each for each in files if each.startswith("said/")]
    whole, target = json.loads(files.pop(name)), team.files(other)
    draw = random.Random(7)
    said: dict[str, bytes] = {}
    for _ in range(count):
        envelope = json.loads(json.dumps(whole))
        payload = bytearray(base64.b64decode(envelope["payload"]))
        match draw.randrange(3):
            case 0:
                at = draw.randrange(len(payload))
                payload[at] = (payload[at] + 1 + draw.randrange(254)) % 256
            case 1:
                fields = json.loads(payload)
                new = team.ann.engine.plans.revision(other)
                fields |= {"plan": other, "digest": new.approval_hash, "nonce": f"{draw.getrandbits(128):032x}"}
                payload = bytearray(canonical(fields))
            case _:
                armor = base64.b64decode(envelope["signatures"][0]["sig"]).split(b"\n")
                body = bytearray(base64.b64decode(b"".join(armor[1:-2])))
                body[draw.randrange(len(body))] ^= 1 << draw.randrange(8)
                armored = b"\n".join([armor[0], base64.b64encode(bytes(body)), *armor[-2:]])
                envelope["signatures"][0]["sig"] = base64.b64encode(armored).decode()
        envelope["payload"] = base64.b64encode(bytes(payload)).decode()
        data = canonical(envelope)
        said[f"said/{hashlib.sha256(data).hexdigest()}"] = data
    for batch in range(0, len(said), 2_000):
        some = dict(list(said.items())[batch : batch + 2_000])
        team.put(plan, files | some)
        team.put(other, target | some)
        for found in team.ann.engine.sharing.fetch():
            assert not any(each.counts for each in found.decisions)
        assert team.ann.status(plan) is team.ann.status(other) is PlanStatus.PROPOSED


def hostile(team: Team, plan: PlanId) -> dict[str, dict[str, bytes]]:
    files = team.files(plan)
    bundle = bytearray(files["plan"])
    bundle[len(bundle) // 2] ^= 1
    other = team.ann.engine.bundles.export(team.ann.propose(write("other.txt", "1\n")), with_comments=False)
    return {
        "nothing": {"readme": b""},
        "a changed byte": files | {"plan": bytes(bundle)},
        "another plan": files | {"plan": other},
        "another version": files | {"about": b'{"format":99,"folder":""}'},
        "no object": files | {"about": b"[]"},
        "a key twice": files | {"about": b'{"format":1,"folder":"","folder":"x"}'},
        "another folder": files | {"about": b'{"format":1,"folder":"../x/"}'},
        "no bundle": files | {"plan": b"\xff" * 100},
        "too long": files | {"said/big": b"x" * 2_000_000},
        "too much": files | {f"said/{number}": b"%d" % number * 500_000 for number in range(10, 30)},
    }


def test_hostile_reference_is_refused_in_words_and_everything_stays(team: Team) -> None:
    plan = team.ann.propose(edit("app.py", "line 3\n", "three\n"))
    team.ann.engine.sharing.share(plan)
    cases = hostile(team, plan)
    before = tree(team.ben.root)
    for case, files in cases.items():
        team.put(plan, files)
        found = team.ben.fetch()
        assert found.outcome is Fetched.REFUSED, case
        assert found.reason, case
        assert not team.ben.engine.plans.has(plan)
    assert tree(team.ben.root) == before
    git(team.ann.root, "push", "-q", "origin", f"HEAD:{PLANS}no-plan")
    assert {each.plan_id for each in team.ben.engine.sharing.fetch()} == {plan}


def test_without_a_remote_or_a_key_it_says_what_to_do(team: Team) -> None:
    plan = team.ann.propose(write("new.txt", "1\n"))
    git(team.ann.root, "config", "--unset", "gpg.format")
    team.ann.approve(plan)
    shared = team.ann.engine.sharing.share(plan)
    assert not shared.is_approved
    assert "gpg.format" in shared.problem
    git(team.ann.root, "remote", "set-url", "origin", str(team.folder / "gone.git"))
    with pytest.raises(GitError, match="origin"):
        team.ann.engine.sharing.fetch()
    git(team.ann.root, "remote", "remove", "origin")
    with pytest.raises(GitError, match="no remote"):
        team.ann.engine.sharing.share(plan)


def test_share_and_fetch_say_what_is_new(team: Team, capsys: pytest.CaptureFixture[str]) -> None:
    ann, ben = CommandLine(team.ann.root, capsys), CommandLine(team.ben.root, capsys)
    plan = ann.propose(write("new.txt", "1\n"))["plan_id"]
    shared = ann.answer("share", plan)
    assert shared["shared"]
    [found] = ben.answer("fetch")["plans"]
    assert (found["plan_id"], found["outcome"], found["digest"]) == (plan, "new", shared["digest"])
    assert ben.answer("fetch")["plans"] == []
    assert "Nothing is new." in ben("fetch").out


POLICY = """
[[require]]
paths = ["app.py", "/secret/"]
approvals = 2
"""


def with_policy(team: Team, text: str, *, owners: str = "") -> None:
    """The policy is committed by Ann, and both have the commit."""
    (team.ann.root / ".tandem-policy.toml").write_text(text)
    (team.ann.root / "CODEOWNERS").write_text(owners)
    git(team.ann.root, "add", ".")
    git(team.ann.root, "commit", "-qm", "policy")
    git(team.ann.root, "push", "-q", "origin", "HEAD:main")
    git(team.ben.root, "pull", "-q", "--ff-only")


def test_where_the_policy_asks_for_two_one_approval_is_not_enough(team: Team) -> None:
    with_policy(team, POLICY)
    plan = team.ann.propose(edit("app.py", "line 3\n", "three\n"))
    team.ann.approve(plan)
    with pytest.raises(ApprovalMissingError, match=r"app.py needs 2 signed approvals, and has ann@example.org"):
        team.ann.engine.runs.apply(plan)
    assert (team.ann.root / "app.py").read_text() == LINES
    team.ann.engine.sharing.share(plan)
    with pytest.raises(ApprovalMissingError):  # the same person, again
        team.ann.engine.runs.apply(plan)
    assert team.ben.fetch().decisions[0].counts
    assert team.ben.status(plan) is PlanStatus.APPROVED
    with pytest.raises(ApprovalMissingError):
        team.ben.engine.runs.apply(plan)
    team.ben.engine.decisions.cancel(plan)


def test_with_the_approvals_that_the_policy_asks_for_it_is_applied(team: Team) -> None:
    with_policy(team, POLICY)
    plan = team.ann.propose(edit("app.py", "line 3\n", "three\n"))
    team.ann.engine.sharing.share(plan)
    team.ben.fetch()
    team.ben.approve(plan)
    team.ben.engine.sharing.share(plan)
    team.ann.approve(plan)
    team.ann.engine.sharing.fetch()
    assert team.ann.engine.runs.apply(plan).succeeded


def test_paths_that_no_rule_is_about_need_one_approval(team: Team) -> None:
    with_policy(team, POLICY)
    plan = team.ann.propose(write("other.txt", "1\n"))
    team.ann.approve(plan)
    assert team.ann.engine.runs.apply(plan).succeeded


def test_a_command_needs_what_every_rule_asks_for(team: Team) -> None:
    with_policy(team, POLICY)
    plan = team.ann.propose(bash("true"))
    team.ann.approve(plan)
    with pytest.raises(ApprovalMissingError, match="true needs 2"):
        team.ann.engine.runs.apply(plan)


RELAXED = {
    "the plan takes it away": [{"tool": "delete", "description": "away", "args": {"path": ".tandem-policy.toml"}}],
    "the plan writes another": [write(".tandem-policy.toml", "")],
}


@pytest.mark.parametrize("case", RELAXED)
def test_a_plan_cannot_relax_the_policy_it_is_judged_by(team: Team, case: str) -> None:
    with_policy(team, POLICY)
    plan = team.ann.propose(*RELAXED[case], edit("app.py", "line 3\n", "three\n"))
    team.ann.approve(plan)
    with pytest.raises(ApprovalMissingError, match="needs 2"):
        team.ann.engine.runs.apply(plan)


def test_what_is_not_committed_relaxes_nothing(team: Team) -> None:
    with_policy(team, POLICY)
    (team.ann.root / ".tandem-policy.toml").unlink()
    plan = team.ann.propose(edit("app.py", "line 3\n", "three\n"))
    team.ann.approve(plan)
    with pytest.raises(ApprovalMissingError, match="needs 2"):
        team.ann.engine.runs.apply(plan)


UNREADABLE = [
    "[[require]]\n",
    "[[require]]\npaths = []\napprovals = 1\n",
    '[[require]]\npaths = ["x"]\napprovals = 0\n',
    '[[require]]\npaths = ["x"]\napprovals = 1\nunless = "y"\n',
    '[[require]]\npaths = ["x"]\napprovals = "one"\n',
    "require = 1\n",
    "\x00",
]


@pytest.mark.parametrize("text", UNREADABLE)
def test_policy_that_cannot_be_read_is_met_by_nothing(team: Team, text: str) -> None:
    with_policy(team, text)
    plan = team.ann.propose(write("other.txt", "1\n"))
    team.ann.approve(plan)
    with pytest.raises(ApprovalMissingError, match="cannot be read"):
        team.ann.engine.runs.apply(plan)


def test_the_owners_of_a_path_approve_where_the_policy_says_so(team: Team) -> None:
    text = 'code_owners = 1\n[people]\n"@ben" = "ben@example.org"\n'
    with_policy(team, text, owners="* ann@example.org\n/app.py @ben # his\n/free.txt\n")
    plan = team.ann.propose(edit("app.py", "line 3\n", "three\n"))
    team.ann.approve(plan)
    with pytest.raises(ApprovalMissingError, match=r"of ben@example\.org, and has none"):
        team.ann.engine.runs.apply(plan)
    for path in ("free.txt", "mine.txt"):
        own = team.ann.propose(write(path, "1\n"))
        team.ann.approve(own)
        assert team.ann.engine.runs.apply(own).succeeded
