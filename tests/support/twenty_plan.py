"""The twenty operations as plan JSON, the way an agent or a script would propose them."""

import base64
import json
from pathlib import Path
from typing import Any

from tests.support.twenty import BINARY, LONG


def twenty_plan() -> dict[str, Any]:
    """Twenty steps for the tree of `lay_out`, one operation each."""
    steps: list[dict[str, Any]] = []

    def step(tool: str, **args: str) -> None:
        steps.append({"id": f"s{len(steps) + 1}", "description": f"{tool} {args['path']}", "tool": tool, "args": args})

    new_app = LONG.replace(b"line 7\n", b"LINE SEVEN\n").replace(b"line 390\n", b"")
    step("write", path="new/nested/folder/hello.txt", content="hello\n")
    step("write", path="src/app.py", content=new_app.decode())
    step("delete", path="src/old.py")
    step("chmod", path="src/run.sh", mode="0755")
    step("move", path="docs/a.md", to="docs/renamed/a.md")
    step("symlink", path="link", target="src/app.py")
    step("mkdir", path="made")
    step("write", path="made/inside.txt", content="inside\n")
    step("edit", path="made/inside.txt", old_string="inside\n", new_string="inside, twice\n")
    step("write", path="src/deep/er/data.bin", content_base64=base64.b64encode(BINARY[::-1]).decode())
    step("delete", path="empty")
    step("write", path="empty", content="now a file\n")
    step("edit", path="docs/b.md", old_string="no newline", new_string="a newline\n")
    step("delete", path="pointer")
    step("write", path="pointer", content="no longer a link\n")
    step("write", path="blank", content="filled\n")
    step("write", path="scratch", content="scratch\n")
    step("move", path="scratch", to="made/scratch")
    step("delete", path="made/scratch")
    step("write", path="ünï cödé — name.txt", content="unicode\n", mode="0755")
    return {"title": "Twenty operations that meet each other", "steps": steps}


def few_plan() -> dict[str, Any]:
    """The first seven of them: few enough that prepared files are made durable one by one."""
    plan = twenty_plan()
    return {"title": "Seven operations", "steps": plan["steps"][:7]}


def write_plan(plan: dict[str, Any], path: Path) -> Path:
    path.write_text(json.dumps(plan, ensure_ascii=False), encoding="utf-8")
    return path
