"""What a turn costs through `tandem acp` next to the agent alone, with a model that is a script.

The agent is OpenCode, installed by `python -m tests.support.npm_agents opencode`; both sides have a home that was used
before, the same settings and the same client. First byte: from the start of the process, and from a second message in
the same session, to the first word or call of the agent. Whole turn: to the answer; with Tandem that has the plan.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tandem_desktop.acp_client.profiles import profile_named
from tests.benchmarks.rounds import row
from tests.support.acp_client import AcpClient
from tests.support.npm_agents import REAL_AGENTS, install, search_path
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel

AGENT = "opencode"
FILES = 200
WORDS = ("agent_message_chunk", "agent_thought_chunk", "tool_call")
SCRIPT = {
    "turn": (
        Step("Reading.", (Call("read", {"path": "{cwd}/app.py"}),)),
        Step("Editing.", (Call("edit", {"path": "{cwd}/app.py", "old": "x = 1", "new": "x = 2", "why": "bump"}),)),
        Step("Writing.", (Call("write", {"path": "{cwd}/new.py", "content": "print(1)\n"}),)),
        Step("Running.", (Call("bash", {"command": "echo made > made.txt", "why": "make"}),)),
        Step("Done."),
    ),
    "again": (Step("Reading.", (Call("read", {"path": "{cwd}/app.py"}),)), Step("Done again.")),
}


def run(rounds: int) -> Iterator[tuple[str, str]]:
    """A row for each figure."""
    if reason := install(AGENT):
        yield AGENT, reason
        return
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, ScriptedModel(SCRIPT) as model:
        places = {"ours": _place(Path(folder) / "ours", model), "bare": _place(Path(folder) / "bare", model)}
        seconds: dict[str, dict[str, list[float]]] = {name: {} for name in places}
        for number in range(rounds + 1):
            for name in sorted(places, reverse=bool(number % 2)):
                figures = _figures(places[name], is_ours=name == "ours")
                for what, took in figures.items() if number else ():  # the first start in a new home is slow
                    seconds[name].setdefault(what, []).append(took)
        for what, ours in seconds["ours"].items():
            yield row(what, ours, seconds["bare"][what], "bare")


def _place(base: Path, model: ScriptedModel) -> dict[str, str]:
    """The environment of one side, in a home with the agent's settings."""
    agent = REAL_AGENTS[AGENT]
    for name, text in agent.home.items():
        file = base / "home" / name
        file.parent.mkdir(parents=True)
        file.write_text(text.replace("{openai_url}", model.openai_url))
    own = {
        "HOME": str(base / "home"),
        "PATH": search_path(AGENT),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }
    state = {"TANDEM_STATE_DIR": str(base / "state"), "TANDEM_CONFIG_DIR": str(base / "config")}
    return {**own, **state, "LANG": os.environ.get("LANG", "C.UTF-8"), "BASE": str(base)}


def _figures(environment: dict[str, str], *, is_ours: bool) -> dict[str, float]:
    root = Path(environment["BASE"]) / "ws"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    (root / "app.py").write_text("x = 1\n")
    for number in range(FILES):
        (root / f"f{number}.py").write_text(f"y = {number}\n" * 50)
    profile = profile_named(AGENT)
    command = (sys.executable, "-m", "tandem_desktop", "acp", "--agent", AGENT) if is_ours else profile.command
    given = environment if is_ours else {**environment, **profile.set_env}
    figures: dict[str, float] = {}
    started = time.perf_counter()
    client = AcpClient(command, cwd=root, environment=given, permit=lambda asked: _answer(asked, is_ours=is_ours))
    with client:
        session = client.start(root)
        for scenario, what, begun in (("turn", "from the start", started), ("again", "of a second message", 0.0)):
            client.forget()
            client.permit = lambda asked: _answer(asked, is_ours=is_ours)
            begun = begun or time.perf_counter()
            text = {"type": "text", "text": f"Do it. [[scenario:{scenario}]] [[cwd:{root}]]"}
            number = client.send("session/prompt", {"sessionId": session, "prompt": [text]})
            client.wait_for(lambda: any(each["sessionUpdate"] in WORDS for each in client.updates))
            figures[f"first byte {what}"] = time.perf_counter() - begun
            client.answer(number)
            figures[f"whole turn {what}"] = time.perf_counter() - begun
    return figures


def _answer(asked: dict[str, Any], *, is_ours: bool) -> str:
    """The agent alone may do everything; Tandem's one request, at the end of a turn, is left without an answer."""
    return "cancelled" if is_ours else "allow_once"
