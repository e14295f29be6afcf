"""People with clones of one repository, keys of their own, and a bare remote between them."""

import subprocess
from pathlib import Path

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.execution.git_repository import GitRepository
from tandem_desktop.services.sharing import PLANS, FetchedPlan
from tests.support.git_histories import git
from tests.support.rehearsals import plan_json

LINES = "".join(f"line {number}\n" for number in range(1, 21))


class Colleague:
    """Somebody with a clone, a key and a Tandem of their own."""

    def __init__(self, team: "Team", name: str) -> None:
        self.root, self.name = team.folder / name, name
        key = team.folder / f"{name}.key"
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(key)]
        subprocess.run(words, check=True)
        git(team.folder, "clone", "-q", str(team.remote), str(self.root))
        for setting, value in (
            ("user.name", name),
            ("user.email", f"{name}@example.org"),
            ("gpg.format", "ssh"),
            ("user.signingKey", str(key)),
            ("gpg.ssh.allowedSignersFile", str(team.signers)),
        ):
            git(self.root, "config", setting, value)
        self.key = key.with_suffix(".key.pub").read_text()
        self.engine = build_engine(self.root, state=team.folder / f"{name}-state")

    def propose(self, *steps: dict) -> PlanId:
        return self.engine.proposals.propose(plan_json(*steps)).plan_id

    def approve(self, plan_id: PlanId) -> str:
        digest = ApprovalHash.of(self.engine.plans.revision(plan_id)).combined_hash
        self.engine.decisions.approve(plan_id, digest)
        return digest

    def fetch(self) -> FetchedPlan:
        [found] = self.engine.sharing.fetch()
        return found

    def status(self, plan_id: PlanId) -> PlanStatus:
        return self.engine.plans.meta(plan_id).status


class Team:
    def __init__(self, folder: Path) -> None:
        self.folder, self.remote, self.signers = folder, folder / "remote.git", folder / "signers"
        first = folder / "first"
        first.mkdir()
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.remote))
        git(first, "init", "-q", "-b", "main", ".")
        (first / "app.py").write_text(LINES)
        git(first, "add", ".")
        git(first, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "begin")
        git(first, "push", "-q", str(self.remote), "main")
        self.ann, self.ben = Colleague(self, "ann"), Colleague(self, "ben")
        self.trust(self.ann, self.ben)

    def trust(self, *people: Colleague) -> None:
        self.signers.write_text("".join(f"{each.name}@example.org {each.key}" for each in people))

    def plan(self, *steps: dict) -> bytes:
        """Plan JSON with these steps."""
        return plan_json(*steps)

    def put(self, plan_id: PlanId, files: dict[str, bytes]) -> None:
        """Anything at all under the name of a plan."""
        by = GitRepository(self.ann.root)
        oid = by.commit(by.tree_from(files), None, "put", sign=False)
        git(self.ann.root, "push", "-q", "-f", "origin", f"{oid}:{PLANS}{plan_id}")

    def files(self, plan_id: PlanId) -> dict[str, bytes]:
        at = GitRepository(self.ann.root)
        at.fetch("origin", (f"+{PLANS}*:refs/look/*",))
        listed = at.listing(f"refs/look/{plan_id}")
        return {name: at.blob(oid) for name, (oid, _) in listed.items()}

    def close(self) -> None:
        self.ann.engine.close()
        self.ben.engine.close()
