"""Three advisors on one task, as a scripted model plays them: refactor the auth system and deploy to staging."""

import json
from typing import Any

from tests.support.scenarios import Call, Step

FILES = {
    "src/auth.py": "def login(user):\n    return {'user': user}\n",
    "src/middleware.py": "from src.auth import login\n",
    "deploy/staging.yml": "services: [api, worker]\n",
}

CHAPO: dict[str, Any] = {
    "analysis": "The login is small and used in one place.",
    "concerns": ["Sessions of people who are logged in end."],
    "recommendations": ["Change the code first, deploy after it is tested."],
    "estimated_effort": "medium",
    "strategic_analysis": "Typed sessions first, then the middleware, then staging.",
    "risk_assessment": "medium",
    "impact_areas": ["auth module", "user sessions", "staging env"],
    "coordination_needs": ["code changes before deployment"],
}
KODA: dict[str, Any] = {
    "analysis": "login() in src/auth.py returns a bare dictionary.",
    "concerns": ["src/middleware.py imports login by name."],
    "recommendations": ["Keep the name login in src/auth.py."],
    "estimated_effort": "small",
    "affected_files": ["src/auth.py", "src/middleware.py"],
    "code_patterns": ["plain functions"],
    "potential_breaking_changes": ["Session format change"],
    "testing_requirements": ["Auth flow tests"],
}
DEVO: dict[str, Any] = {
    "analysis": "deploy/staging.yml starts api and worker.",
    "concerns": [],
    "recommendations": ["Restart the worker last."],
    "estimated_effort": "trivial",
    "deployment_impact": ["Restart required", "Clear session cache"],
    "rollback_strategy": "git revert, then restart",
    "services_affected": ["api", "worker"],
    "infrastructure_changes": [],
}
PLAN: dict[str, Any] = {
    "title": "Typed sessions, deployed to staging",
    "summary": "Sessions become a class; staging is restarted afterwards.",
    "tasks": [
        {"id": "t1", "subject": "Update auth types", "agent": "koda", "active_form": "Updating auth types…"},
        {"id": "t2", "subject": "Deploy to staging", "agent": "devo", "blocked_by": ["t1"], "priority": "high"},
    ],
    "estimated_duration": "two hours",
    "overall_risk": "medium",
}


def acp_agent(write: dict[str, Any], **instead: list[dict[str, Any]]) -> dict[str, Any]:
    """The same advisors as a script for an agent without planning tools: each answers in words. `write` is task t1."""
    parts = {"chapo": CHAPO, "koda": KODA, "devo": DEVO, "synthesis": {**PLAN, "tasks": PLAN["tasks"][:1]}}
    words = {"chapo": "You are CHAPO,", "koda": "You are KODA,", "devo": "You are DEVO,"}
    said = {part: [{"do": "say", "text": json.dumps(answer)}] for part, answer in parts.items()} | instead
    by_words = {"Your task now: t1": [write], "You are CHAPO again": said["synthesis"]}
    return {"by_words": {**by_words, **{words[part]: said[part] for part in words}}}


def reads(path: str) -> Call:
    return Call("read", {"path": f"{{cwd}}/{path}"})


def hands_in(answer: dict[str, Any]) -> Call:
    return Call("*submit_perspective", answer)


def proposes(plan: dict[str, Any]) -> Call:
    return Call("*plan_propose", plan)


def writes(path: str, text: str) -> Call:
    return Call("write", {"path": f"{{cwd}}/{path}", "content": text})


DONE = Step("Done.")

GOOD: dict[str, tuple[Step, ...]] = {
    "advisors": (Step("Nobody asked for this part."),),
    "advisors-chapo": (Step("", (reads("src/auth.py"),)), Step("", (hands_in(CHAPO),)), DONE),
    "advisors-koda": (
        Step("", (reads("src/auth.py"), reads("src/middleware.py"))),
        Step("", (hands_in(KODA),)),
        DONE,
    ),
    "advisors-devo": (Step("", (reads("deploy/staging.yml"),)), Step("", (hands_in(DEVO),)), DONE),
    "advisors-synthesis": (Step("", (proposes(PLAN),)), DONE),
    "advisors-t1": (
        Step("", (writes("src/session.py", "class Session: ...\n"),)),
        Step("Typed."),
        Step("", (Call("bash", {"command": "echo deployed > deployed.txt", "why": "deploy"}),)),
        Step("Queued."),
    ),
}
"""Everything goes well; both tasks are planned by one agent, which goes on in the same conversation."""
