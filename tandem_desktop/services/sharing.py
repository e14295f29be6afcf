"""Shares plans, comments and approvals with the people of a repository, by references of its ordinary remote.

A plan is one reference: a commit whose tree has the bundle of the plan, and beside it what people said of it, each in a
file named by its digest. Two people who say something at once therefore never overwrite each other.
"""

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from tandem_desktop.approval.enforcer import ApprovalEnforcer
from tandem_desktop.domain.approval import Approval, ApprovalHash, canonical
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import BadInputError, BundleError, GitError, TandemError
from tandem_desktop.domain.ids import PLAN_ID, PlanId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.review import NO_LOCK_FILES, Comment, CommentId, LockFileReview, Place
from tandem_desktop.domain.strict_json import unique_keys
from tandem_desktop.execution.git_repository import GitRepository
from tandem_desktop.plans import bundle as plan_bundle
from tandem_desktop.plans.bundle import MAX_BYTES, PlanBundle
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.review.comments import CommentStore
from tandem_desktop.services.decisions import Decisions
from tandem_desktop.services.portability import Bundles
from tandem_desktop.services.signatures import SignedKind, opened, signed, signer_of, signing_key
from tandem_desktop.storage.workspace import Workspace

PLANS = "refs/tandem/plans/"
_FETCHED, _TAKEN_IN = "refs/tandem/fetched", "refs/tandem/taken-in"
_BUNDLE, _ABOUT, _SAID = "plan", "about", "said/"
_FORMAT = 1
_DECISION = SignedKind("application/vnd.tandem.decision+json", "tandem-decision")
_MOST_SAID, _LONGEST_SAID, _ALL_SAID = 5_000, 1024 * 1024, 16 * 1024 * 1024
_TRIES = 3


class Fetched(StrEnum):
    """What a fetch made of one plan."""

    NEW = "new"
    REVISED = "revised"
    """The plan here had the beginning of it, and has the rest now."""
    ALTERNATIVE = "alternative"
    """It was revised here and there: theirs is a plan of its own here."""
    SAID = "said"
    """Only what people said is new."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class TeamDecision:
    """An approval that somebody signed."""

    by: str
    digest: str
    at: str
    counts: bool
    reason: str = ""
    """Why it does not count."""


@dataclass(frozen=True, slots=True)
class FetchedPlan:
    """One plan that is new, or of which something is new."""

    plan_id: PlanId
    outcome: Fetched
    revision: int = 0
    digest: str = ""
    comments: int = 0
    decisions: tuple[TeamDecision, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Shared:
    """What was handed to a remote."""

    plan_id: PlanId
    revision: int
    digest: str
    remote: str
    commit: str
    is_new: bool
    """False where the remote had all of it."""
    comments: int
    is_approved: bool
    """Whether a signed approval of this revision went along."""
    problem: str = ""
    """Why an approval that is there did not go along."""


class _Remark(Frozen):
    """What somebody said of a plan; nobody signed it."""

    kind: str
    plan: PlanId
    by: str
    revision: int
    at: datetime
    place: Place
    text: str


class _SignedApproval(Frozen):
    """What the signature of an approval is about."""

    plan: PlanId
    revision: int
    digest: str
    repository: tuple[str, ...]
    """The first commits of the repository, which are those of each of its clones."""
    base: str
    """The commit that was checked out."""
    folder: str
    nonce: str
    approved_at: datetime
    expires_at: datetime
    acknowledged: tuple[str, ...] = ()
    lock_files: LockFileReview = NO_LOCK_FILES
    notes: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class _SharedPlan:
    """A commit of a shared plan, read."""

    bundle: PlanBundle
    folder: str
    said: Mapping[str, bytes]


class Sharing:
    """Hands plans to a remote and takes them from it. The workspace's files are never touched."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        bundles: Bundles,
        plans: PlanStore,
        comments: CommentStore,
        decisions: Decisions,
        enforcer: ApprovalEnforcer,
        clock: Callable[[], datetime],
    ) -> None:
        self._workspace = workspace
        self._bundles = bundles
        self._plans = plans
        self._comments = comments
        self._decisions = decisions
        self._enforcer = enforcer
        self._clock = clock

    def share(self, plan_id: PlanId, remote: str | None = None) -> Shared:
        """Hand a plan, the comments on it and an approval of its latest revision to a remote, by default the usual one.

        Raises:
            GitError: there is no repository or remote, it refuses, or others have revised the plan meanwhile.
        """
        git = self._git()
        remote = git.named_remote(remote)
        for _ in range(_TRIES):
            git.fetch(remote, (f"+{PLANS}{plan_id}*:{_FETCHED}/{remote}/{plan_id}*",))
            before = git.refs(f"{_FETCHED}/{remote}/").get(f"{_FETCHED}/{remote}/{plan_id}")
            shared, tree = self._composed(git, plan_id, remote, before)
            if before is not None and tree == git.tree_of(before):
                return shared(before, False)
            title = self._plans.revision(plan_id).title
            commit = git.commit(tree, before, f"{plan_id}: {title}\n", sign=False)
            if git.push_over(remote, commit, f"{PLANS}{plan_id}", before):
                git.set_refs({f"{_FETCHED}/{remote}/{plan_id}": commit})
                return shared(commit, True)
        raise GitError(f"{remote} was changed again and again; nothing was shared.", next="Try again in a moment.")

    def fetch(self, remote: str | None = None) -> tuple[FetchedPlan, ...]:
        """Take in what is new on a remote, by default the usual one.

        Raises:
            GitError: there is no repository or remote, or it cannot be reached.
        """
        git = self._git()
        remote = git.named_remote(remote)
        theirs, known = f"{_FETCHED}/{remote}/", f"{_TAKEN_IN}/{remote}/"
        git.fetch(remote, (f"+{PLANS}*:{theirs}*",))
        there = {name.removeprefix(theirs): oid for name, oid in git.refs(theirs).items()}
        here = {name.removeprefix(known): oid for name, oid in git.refs(known).items()}
        found: list[FetchedPlan] = []
        for name, commit in there.items():
            if here.get(name) == commit:
                continue
            if not PLAN_ID.fullmatch(name):
                continue  # not a reference of ours; its name is told to nobody
            told = self._taken_in(git, PlanId(name), commit, here.get(name))
            if told.outcome is not Fetched.SAID or told.comments or told.decisions:
                found.append(told)
            if told.outcome is not Fetched.REFUSED:
                git.set_refs({known + name: commit})
        return tuple(found)

    def approvers(self, version: PlanVersion, own: Approval | None) -> frozenset[str]:
        """Everybody whose signed approval of exactly this revision counts here; nothing is fetched.

        An approval of the person's own that nobody has seen yet is signed to learn whose it is.
        """
        git = self._git()
        names: set[str] = set()
        for name, commit in git.refs(f"{_FETCHED}/").items():
            if name.endswith(f"/{version.plan_id}"):
                said = _read(git, commit, version.plan_id).said.values()
                names |= set(self._counting(git, version, said))
        if own is not None and own.approved_by != "user":
            names.add(own.approved_by)
        elif own is not None and signing_key(git):
            data = signed(git, self._statement(git, own), _DECISION)
            names |= set(self._counting(git, version, (data,)))
        return frozenset(names)

    def _counting(self, git: GitRepository, version: PlanVersion, said: Iterable[bytes]) -> Iterator[str]:
        for data in said:
            with contextlib.suppress(ValueError, LookupError, TypeError, AttributeError, RecursionError):
                statement, payload, signature = opened(data, _DECISION)
                given = _SignedApproval.model_validate_json(json.dumps(statement))
                if self._why_not(git, version, given):
                    continue
                by, problem = signer_of(git, payload, signature, _DECISION)
                if not problem:
                    yield by

    def _git(self) -> GitRepository:
        return GitRepository(self._workspace.path, use_hooks=False)

    # handing out

    def _composed(
        self, git: GitRepository, plan_id: PlanId, remote: str, before: str | None
    ) -> tuple[Callable[[str, bool], Shared], str]:
        version = self._plans.revision(plan_id)
        said: dict[str, bytes] = {}
        if before is not None:
            theirs = _read(git, before, plan_id)
            self._refuse_others(theirs.bundle, plan_id, remote)
            said |= theirs.said
        own = dict(self._own_remarks(plan_id, _name(git)))
        said |= own
        is_approved, problem = False, ""
        approval = self._enforcer.standing(plan_id, self._workspace.identity)
        if approval is not None and approval.digest == version.approval_hash and approval.approved_by == "user":
            if approval.nonce in {_nonce(data) for data in said.values()}:
                is_approved = True
            elif signing_key(git):
                said |= dict((_named(signed(git, self._statement(git, approval), _DECISION)),))
                is_approved = True
            else:
                problem = "Your approval was not shared: git is not set to sign with an SSH key (gpg.format ssh)."
        about = canonical({"format": _FORMAT, "folder": git.repository_path("")})
        files = {_BUNDLE: self._bundles.export(plan_id, with_comments=False), _ABOUT: about}
        tree = git.tree_from({**files, **{f"{_SAID}{each}": data for each, data in said.items()}})

        def shared(commit: str, is_new: bool) -> Shared:
            return Shared(
                plan_id, version.revision, version.approval_hash, remote, commit, is_new, len(own), is_approved, problem
            )

        return shared, tree

    def _refuse_others(self, theirs: PlanBundle, plan_id: PlanId, remote: str) -> None:
        here = [version.approval_hash for version in self._plans.revisions(plan_id)]
        there = [version.approval_hash for version in theirs.revisions]
        if here[: len(there)] == there:
            return
        if there[: len(here)] == here:
            raise GitError(f"{plan_id} was revised on {remote}.", next="Take that in first: tandem fetch")
        raise GitError(
            f"{plan_id} was revised both here and on {remote}; theirs stays as it is there.",
            next=f"Share yours as a plan of its own: tandem branch {plan_id}, then share that",
        )

    def _own_remarks(self, plan_id: PlanId, name: str) -> Iterator[tuple[str, bytes]]:
        """The person's own comments, and what they sent the plan back with, each with its name in the tree."""
        meta = self._plans.meta(plan_id)
        found = self._comments.load(meta.session_id, plan_id)
        said = [
            ("comment", each.revision, each.written_at, each.place, each.text)
            for each in (*found.sent, *found.drafts)
            if not each.by
        ]
        said += [("sent back", each.revision, each.at, Place(), each.feedback) for each in meta.rejections]
        for kind, revision, at, place, text in said:
            remark = _Remark(kind=kind, plan=plan_id, by=name, revision=revision, at=at, place=place, text=text)
            yield _named(canonical(remark.model_dump(mode="json")))

    def _statement(self, git: GitRepository, approval: Approval) -> dict[str, Any]:
        head = git.head().commit
        if head is None:
            raise GitError("There is no commit yet that the approval could be bound to.", next="git commit")
        statement = _SignedApproval(
            plan=approval.approval_hash.plan_id,
            revision=approval.approval_hash.revision,
            digest=approval.digest,
            repository=git.first_commits(),
            base=head,
            folder=git.repository_path(""),
            nonce=approval.nonce,
            approved_at=approval.approved_at,
            expires_at=approval.expires_at,
            acknowledged=approval.acknowledged_flags,
            lock_files=approval.lock_files,
            notes=approval.notes,
            evidence=approval.evidence,
        )
        found = statement.model_dump(mode="json")
        assert isinstance(found, dict)
        return found

    # taking in

    def _taken_in(self, git: GitRepository, plan_id: PlanId, commit: str, before: str | None) -> FetchedPlan:
        try:
            shared = _read(git, commit, plan_id)
            if shared.folder != git.repository_path(""):
                place = shared.folder or "the folder of the repository"
                raise BadInputError(f"It is a plan for {place}.", next=f"Fetch it there: -C {place}")
            outcome, version = self._with_revisions(shared.bundle)
            old = _read(git, before, plan_id).said if before is not None else {}
            new = {name: data for name, data in shared.said.items() if name not in old}
            comments = self._with_remarks(version, new, _name(git))
            decisions = tuple(self._decisions_in(git, version, shared.said.values()))
        except TandemError as error:
            return FetchedPlan(plan_id, Fetched.REFUSED, reason=error.message)
        return FetchedPlan(version.plan_id, outcome, version.revision, version.approval_hash, comments, decisions)

    def _with_revisions(self, bundle: PlanBundle) -> tuple[Fetched, PlanVersion]:
        plan_id = bundle.plan_id
        if not self._plans.has(plan_id):
            return Fetched.NEW, self._bundles.take_in(plan_bundle.encode(bundle)).version
        here = [version.approval_hash for version in self._plans.revisions(plan_id)]
        there = [version.approval_hash for version in bundle.revisions]
        if here[: len(there)] == there:
            return Fetched.SAID, self._plans.revision(plan_id)
        if there[: len(here)] == here:
            return Fetched.REVISED, self._bundles.take_in_rest(bundle, len(here))
        return Fetched.ALTERNATIVE, self._bundles.take_in_alternative(bundle)

    def _with_remarks(self, version: PlanVersion, said: Mapping[str, bytes], own_name: str) -> int:
        """Keep remarks of others as drafts, which go to the agent with the person's own."""
        own = {name for name, _ in self._own_remarks(version.plan_id, own_name)}
        new = [_comment(remark) for name, data in said.items() if name not in own and (remark := _remark(data))]
        if new:
            self._comments.update(version.session_id, version.plan_id, lambda found: found.with_others(new))
        return len(new)

    def _decisions_in(self, git: GitRepository, version: PlanVersion, said: Iterable[bytes]) -> Iterator[TeamDecision]:
        for data in said:
            if _remark(data) is not None:
                continue
            try:
                statement, payload, signature = opened(data, _DECISION)
                given = _SignedApproval.model_validate_json(json.dumps(statement))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                yield TeamDecision("", "", "", counts=False, reason="it cannot be read")
                continue
            if self._enforcer.knows(given.nonce, version.plan_id, self._workspace.identity):
                continue  # our own, or taken in before
            by, problem = signer_of(git, payload, signature, _DECISION)
            reason = problem or self._why_not(git, version, given)
            standing = self._enforcer.standing(version.plan_id, self._workspace.identity)
            if not reason and (standing is None or standing.digest != version.approval_hash):
                try:
                    self._decisions.accept(version, _as_approval(version, given, by, self._workspace))
                except TandemError as error:
                    reason = error.message
            yield TeamDecision(by, given.digest, given.approved_at.isoformat(), counts=not reason, reason=reason)

    def _why_not(self, git: GitRepository, version: PlanVersion, given: _SignedApproval) -> str:
        if (given.plan, given.revision, given.digest) != (version.plan_id, version.revision, version.approval_hash):
            return "it is for another revision, or another plan"
        if given.repository != git.first_commits():
            return "it was given in another repository"
        if given.folder != git.repository_path(""):
            return "it was given for another folder of the repository"
        if not git.is_in_history(given.base):
            return "it was given on a commit that is not in the history of HEAD"
        if not given.approved_at <= self._clock() < given.expires_at:
            return "its time is over, or has not come"
        return ""


def _as_approval(version: PlanVersion, given: _SignedApproval, by: str, workspace: Workspace) -> Approval:
    return Approval(
        approval_hash=ApprovalHash.of(version),
        digest=given.digest,
        workspace=workspace.identity,
        nonce=given.nonce,
        approved_at=given.approved_at,
        expires_at=given.expires_at,
        approved_by=by,
        acknowledged_flags=given.acknowledged,
        lock_files=given.lock_files,
        notes=given.notes,
        evidence=given.evidence,
    )


def _name(git: GitRepository) -> str:
    return git.setting("user.name") or git.setting("user.email") or "somebody"


def _read(git: GitRepository, commit: str, plan_id: PlanId) -> _SharedPlan:
    """What a commit of a shared plan holds; every part is foreign.

    Raises:
        BundleError: it holds no plan of this name that can be read.
    """
    files = git.listing(commit)
    said = {name.removeprefix(_SAID): oid for name, (oid, _) in files.items() if name.startswith(_SAID)}
    sizes = [size for name, (_, size) in files.items() if name.startswith(_SAID) or name == _ABOUT]
    if len(said) > _MOST_SAID or max(sizes, default=0) > _LONGEST_SAID or sum(sizes) > _ALL_SAID:
        raise BundleError(f"More was said of {plan_id} than can be taken in", next="See which remote it is from.")
    if _BUNDLE not in files or _ABOUT not in files or files[_BUNDLE][1] > MAX_BYTES:
        raise BundleError(f"{plan_id} holds no plan that can be read", next="Let it be shared again: tandem share")
    contents = git.blobs([files[_BUNDLE][0], files[_ABOUT][0], *said.values()])
    try:
        about = json.loads(contents[files[_ABOUT][0]], object_pairs_hook=unique_keys)
        number, folder = about["format"], str(about["folder"])
    except (ValueError, LookupError, TypeError, RecursionError):
        raise BundleError(f"{plan_id} does not say what it is", next="Let it be shared again: tandem share") from None
    if number != _FORMAT:
        raise BundleError(f"{plan_id} was shared by another version of Tandem", next="Use the same version on both.")
    bundle = plan_bundle.decode(contents[files[_BUNDLE][0]])
    plan_bundle.check(bundle)
    if bundle.plan_id != plan_id:
        raise BundleError(f"{plan_id} holds another plan, {bundle.plan_id}", next="See who shared it: git log")
    named = {name: contents[oid] for name, oid in said.items()}
    return _SharedPlan(bundle, folder, {name: data for name, data in named.items() if _named(data)[0] == name})


def _named(data: bytes) -> tuple[str, bytes]:
    return hashlib.sha256(data).hexdigest(), data


def _nonce(data: bytes) -> str:
    try:
        return str(opened(data, _DECISION)[0]["nonce"])
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""


def _remark(data: bytes) -> _Remark | None:
    """A remark; None of anything else, such as a signed decision."""
    try:
        json.loads(data, object_pairs_hook=unique_keys)
        return _Remark.model_validate_json(data)
    except (ValueError, TypeError, RecursionError):
        return None


def _comment(remark: _Remark) -> Comment:
    text = f"Sent back: {remark.text}" if remark.kind == "sent back" else remark.text
    return Comment(
        id=CommentId("C0"),
        place=remark.place,
        text=text,
        revision=remark.revision,
        written_at=remark.at,
        by=remark.by or "somebody",
    )
