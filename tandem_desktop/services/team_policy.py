"""Whose approvals a repository asks for: a policy in the commit that is checked out, which can only ask for more."""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pathspec import GitIgnoreSpec
from pydantic_core import ValidationError

from tandem_desktop.diff.text import visible_name
from tandem_desktop.domain.approval import Approval
from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.errors import ApprovalMissingError
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.git_repository import GitRepository
from tandem_desktop.storage.paths import is_in_repository

POLICY_FILE = ".tandem-policy.toml"
_OWNERS = ("CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
_MOST_BYTES = 1024 * 1024


class _Rule(Frozen):
    paths: Annotated[tuple[str, ...], Field(min_length=1)]
    approvals: Annotated[int, Field(ge=1, le=100)]
    by: tuple[str, ...] = ()
    """Whose count; empty for everybody whose signature counts."""


class _Policy(Frozen):
    require: tuple[_Rule, ...] = ()
    code_owners: Annotated[int, Field(ge=0, le=100)] = 0
    """How many of the owners of a path have to approve, as CODEOWNERS names them."""
    people: dict[str, str] = Field(default_factory=dict)
    """Who is meant by a name in CODEOWNERS, as the allowed signers name them."""


@dataclass(frozen=True, slots=True)
class MissingApproval:
    """What one rule asks for and has not got."""

    path: str
    """The first path it is about, or a command."""
    wanted: int
    by: tuple[str, ...]
    """Whose would count; empty for everybody."""
    has: tuple[str, ...]

    @property
    def sentence(self) -> str:
        of = f" of {', '.join(self.by)}" if self.by else ""
        has = ", ".join(self.has) or "none"
        noun = "approval" if self.wanted == 1 else "approvals"
        return f"{visible_name(self.path)} needs {self.wanted} signed {noun}{of}, and has {has}"


class TeamPolicy:
    """Compares approvals of a plan with what its repository asks for."""

    def __init__(self, root: Path, approvers: Callable[[PlanVersion, Approval | None], frozenset[str]]) -> None:
        """`approvers` are those whose signed approval of a revision counts, the person's own among them."""
        self._root = root
        self._approvers = approvers

    def refuse_unless_met(self, version: PlanVersion, approval: Approval) -> None:
        """Raises ApprovalMissingError where the repository asks for more, or for what cannot be read."""
        missing = self.missing(version, approval)
        if missing:
            more = f"; and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise ApprovalMissingError(
                f"{POLICY_FILE}: {missing[0].sentence}{more}. Nothing was run.",
                path=missing[0].path,
                next=f"tandem share {version.plan_id}; when the others have approved and shared: tandem fetch",
            )

    def missing(self, version: PlanVersion, approval: Approval | None) -> tuple[MissingApproval, ...]:
        """What is not met, by rule and path.

        Raises:
            ApprovalMissingError: the policy cannot be read, so nothing counts as enough.
        """
        if not is_in_repository(self._root):
            return ()
        git = GitRepository(self._root)
        text = git.file_at_head(POLICY_FILE, _MOST_BYTES)
        if text is None:
            return ()
        rules = tuple(self._rules(git, text, version))
        if not rules:
            return ()
        names = self._approvers(version, approval)
        asked = ((path, wanted, by, names if by is None else names & by) for path, wanted, by in rules)
        return tuple(
            MissingApproval(path, wanted, tuple(sorted(by or ())), tuple(sorted(has)))
            for path, wanted, by, has in asked
            if len(has) < wanted
        )

    def _rules(
        self, git: GitRepository, text: bytes, version: PlanVersion
    ) -> Iterator[tuple[str, int, frozenset[str] | None]]:
        """Each rule that is about this plan: its first path, how many approvals, and of whom."""
        try:
            policy = _Policy.model_validate(tomllib.loads(text.decode()))
            rules = [(GitIgnoreSpec.from_lines(rule.paths), rule) for rule in policy.require]
        except (ValueError, ValidationError, TypeError, RecursionError) as error:
            raise ApprovalMissingError(
                f"{POLICY_FILE} of the commit that is checked out cannot be read, so no approval is enough: "
                f"{' '.join(str(error).split())[:200]}. Nothing was run.",
                path=POLICY_FILE,
                next="Mend it by a commit of your own; docs/guide/larger-work.md says what it may hold.",
            ) from None
        paths = [git.repository_path(path) for each in version.operations for path in each.paths]
        # Nobody knows what a command changes.
        command = next((each.command for each in version.operations if each.command is not None), None)
        for spec, rule in rules:
            path = next((path for path in paths if spec.match_file(path)), command)
            if path is not None:
                yield path, rule.approvals, frozenset(rule.by) or None
        if policy.code_owners:
            owned = _CodeOwners(git, policy.people)
            for path in paths:
                if (owners := owned.of(path)) is not None:
                    yield path, policy.code_owners, owners
            if command is not None:
                yield from ((command, policy.code_owners, owners) for owners in owned.all())


class _CodeOwners:
    """The owners of paths; of several lines that fit, the last counts."""

    def __init__(self, git: GitRepository, people: dict[str, str]) -> None:
        found = (git.file_at_head(name, _MOST_BYTES) for name in _OWNERS)
        text = next((each for each in found if each is not None), b"").decode("utf-8", "replace")
        self._lines: list[tuple[GitIgnoreSpec, frozenset[str]]] = []
        for line in text.splitlines():
            pattern, *names = line.split("#", 1)[0].split()[:1000] or [""]
            if pattern and not pattern.startswith(("[", "^[")):
                owners = frozenset(people.get(name, name) for name in names)
                self._lines.append((GitIgnoreSpec.from_lines([pattern]), owners))

    def of(self, path: str) -> frozenset[str] | None:
        """None where nobody owns it."""
        return next((owners or None for spec, owners in reversed(self._lines) if spec.match_file(path)), None)

    def all(self) -> Iterator[frozenset[str]]:
        yield from dict.fromkeys(owners for _, owners in self._lines if owners)
