"""Whole orchestrations on real folders, with a scripted advisor and a person of few words."""

from collections.abc import Callable
from typing import Any

from tandem_desktop.advisors.orchestrator import GivenApproval, PlanOrchestrator, RememberedAdvice
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.reflection import Reflection
from tandem_desktop.domain.runs import FailurePolicy
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.generator import PlanGenerator
from tandem_desktop.services.reflector import PlanReflector
from tests.support.advisors import ScriptedAdvisor


class WillingPerson:
    """Approves what is shown and accepts every adjustment, as long as patience lasts."""

    def __init__(self, patience: int = 10) -> None:
        self.shown: list[PlanVersion] = []
        self.asked: list[Reflection] = []
        self.before: Callable[[], None] = lambda: None
        self._patience = patience

    async def approve(self, version: PlanVersion) -> GivenApproval | None:
        self.shown.append(version)
        self.before()
        return GivenApproval(version.approval_hash) if len(self.shown) <= self._patience else None

    async def choose(self, reflection: Reflection) -> tuple[int, ...] | None:
        self.asked.append(reflection)
        return tuple(range(1, len(reflection.adjustments) + 1))


def an_orchestrator(
    engine: Engine,
    advisor: ScriptedAdvisor,
    person: Any = None,
    policy: FailurePolicy = FailurePolicy.ROLLBACK,
) -> PlanOrchestrator:
    """Built as the command line builds it."""
    remembered = RememberedAdvice(advisor)
    generator = a_generator(engine, remembered)
    return PlanOrchestrator(engine, generator, PlanReflector(remembered), person or WillingPerson(), policy=policy)


def a_generator(engine: Engine, advisor: Any) -> PlanGenerator:
    return PlanGenerator(
        advisor,
        engine.proposals,
        engine.workspace,
        engine.clock,
        max_steps=engine.settings.max_generated_steps,
    )


def a_plan(*steps: dict[str, Any], title: str = "A plan") -> dict[str, Any]:
    """What a generator hands in."""
    return {"title": title, "steps": list(steps)}


def write(name: str, path: str, content: str = "new\n", **fields: Any) -> dict[str, Any]:
    args = {"path": path, "content": content}
    return {"id": name, "description": f"Write {path}", "tool": "write", "args": args, **fields}


def bash(name: str, command: str, **fields: Any) -> dict[str, Any]:
    return {"id": name, "description": command, "tool": "bash", "args": {"command": command}, **fields}


def reflection(*adjustments: dict[str, Any], assessment: str = "NEEDS_ADJUSTMENT") -> dict[str, Any]:
    """What a reflector hands in."""
    return {"assessment": assessment, "reasoning": "The command is wrong.", "adjustments": list(adjustments)}


def adjustment(action: str, step: str, **fields: Any) -> dict[str, Any]:
    return {"action": action, "step_id": step, "reason": f"{action} it", **fields}
