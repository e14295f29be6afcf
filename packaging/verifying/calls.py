"""The installed program, call by call, on a machine without Python: everything that starts a process of its own."""

import json
import subprocess
import urllib.request
from pathlib import Path

from machine import Machine
from report import CheckError, Report

from tests.support.scripted_model import ScriptedModel

FILES = {"app.py": "x = 1\nprint(x)\n", "notes.txt": "colour one\ncolour two\n"}
_LEAKS = ("LD_LIBRARY_PATH", "QT_PLUGIN_PATH", "QML2_IMPORT_PATH", "_PYI_", "_MEIPASS")


def check_calls(machine: Machine, report: Report) -> None:
    machine.lay_out(FILES)
    report.check("tandem --version", lambda: machine.must("tandem", "--version").strip())
    report.check("tandem doctor", lambda: _doctor(machine))
    report.check("tandem selftest", lambda: _selftest(machine))
    report.check("tandem run, a recipe: plan, approve, apply, undo", lambda: _recipe(machine))
    report.check("a recipe with a worker of its own", lambda: _regex(machine))
    report.check("tandem run with a model, through the planning relay", lambda: _model(machine))
    report.check("tandem mcp", lambda: _mcp(machine))
    report.check("tandem serve", lambda: _serve(machine))
    report.check("a command of a plan sees nothing of the bundle", lambda: _environment(machine))
    report.check("man page, completions and documents are in place", lambda: _papers(machine))


def _doctor(machine: Machine) -> str:
    found = machine.answer("doctor")
    wrong = [each for each in found["checks"] if each["level"] == "error"]
    if not found["ok"] or wrong:
        raise CheckError(str(wrong))
    return f"{len(found['checks'])} checks, no error"


def _selftest(machine: Machine) -> str:
    found = machine.answer("selftest")
    shares = [found[name] for name in ("approved_applied", "applied_verified", "undone_before")]
    if shares != [100, 100, 100]:
        raise CheckError(str(found))
    return f"{found['plans']} plans, 100 % each"


def _recipe(machine: Machine) -> str:
    planned = machine.answer("run", "--agent", "built-in", "--task", "/replace print shout")
    if not planned["confined"] or machine.read("app.py") != FILES["app.py"]:
        raise CheckError(f"confined: {planned['confined']}; {planned['warnings']}")
    return _there_and_back(machine, planned, "app.py", "x = 1\nshout(x)\n")


def _regex(machine: Machine) -> str:
    planned = machine.answer("run", "--task", r"/replace-regex 'colou?r (\w+)' '\1 color'")
    return _there_and_back(machine, planned, "notes.txt", "one color\ntwo color\n")


def _model(machine: Machine) -> str:
    with ScriptedModel() as model:
        environment = ["--env", "TANDEM_MODEL=openai-compatible:scripted-1"]
        environment += ["--env", f"TANDEM_MODEL_URL={model.openai_url}", "--env", "TANDEM_MODEL_KEY=none"]
        task = "Please do it. [[scenario:two-files]] [[cwd:/home/person/project]]"
        planned = machine.answer("run", "--agent", "built-in", *environment, "--task", task)
        offered = {name for asked in model.requests for name in asked.tools}
    if not any("present_plan" in name for name in offered):
        raise CheckError(f"the planning tools were not offered: {sorted(offered)}")
    return f"{len(planned['operations'])} operations, {len(offered)} tools offered"


def _there_and_back(machine: Machine, planned: dict[str, object], name: str, expected: str) -> str:
    plan, digest = str(planned["plan_id"]), str(planned["digest"])
    machine.answer("approve", plan, "--digest", digest)
    run = machine.answer("apply", plan)["run_id"]
    if machine.read(name) != expected:
        raise CheckError(f"after apply {name} holds {machine.read(name)!r}")
    machine.answer("undo", run)
    if machine.read(name) != FILES[name]:
        raise CheckError(f"after undo {name} holds {machine.read(name)!r}")
    return "confined, applied exactly, undone exactly" if planned["confined"] else "not confined"


def _mcp(machine: Machine) -> str:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "verify", "version": "1"}}
    said = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    process = subprocess.Popen(
        machine.words("tandem", "-C", "project", "mcp"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(json.dumps(each) + "\n" for each in said))
    process.stdin.flush()
    answers = {answer["id"]: answer for answer in (json.loads(process.stdout.readline()) for _ in range(2))}
    process.stdin.close()
    process.wait(30)
    tools = sorted(each["name"] for each in answers[2]["result"]["tools"])
    if "plan_propose" not in tools:
        raise CheckError(f"tools: {tools}")
    return f"{len(tools)} tools"


def _serve(machine: Machine) -> str:
    process = subprocess.Popen(
        machine.words("tandem", "-C", "project", "serve", "--json"), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        asking = urllib.request.Request(f"{told['url']}/plans", headers={"Authorization": f"Bearer {told['token']}"})
        with urllib.request.urlopen(asking, timeout=30) as answer:
            plans = json.load(answer)
    finally:
        machine.end(process)
    return f"{len(plans['plans'])} plans over HTTP"


def _environment(machine: Machine) -> str:
    step = {"description": "Look around", "tool": "bash", "args": {"command": "env > seen.txt"}}
    plan = json.dumps({"title": "Look", "steps": [step]})
    proposed = json.loads(machine.must("tandem", "-C", "project", "propose", "-", "--json", given=plan))
    machine.answer("approve", proposed["plan_id"], "--digest", proposed["digest"])
    machine.answer("apply", proposed["plan_id"])
    leaked = [line for line in machine.read("seen.txt").splitlines() if any(name in line for name in _LEAKS)]
    if leaked:
        raise CheckError(f"leaked: {leaked}")
    return f"{len(machine.read('seen.txt').splitlines())} variables, none of the bundle's"


def _papers(machine: Machine) -> str:
    share = machine.folder / "usr" / "share"
    names = ("man/man1/tandem.1.gz", "bash-completion/completions/tandem", "zsh/vendor-completions/_tandem")
    names += ("fish/vendor_completions.d/tandem.fish", "doc/tandem-desktop/THIRD-PARTY.txt.gz")
    names += ("doc/tandem-desktop/docs/settings.md", "doc/tandem-desktop/docs/pictures/first-run.png")
    missing = [name for name in names if not Path(share / name).is_file()]
    if missing:
        raise CheckError(f"missing: {missing}")
    loaded = machine.must("bash", "-c", "source /usr/share/bash-completion/completions/tandem; complete -p tandem")
    return loaded.strip()
