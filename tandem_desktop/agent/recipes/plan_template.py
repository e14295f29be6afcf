"""A recipe as a plan: one step for each edit."""

import base64
from typing import Any

from tandem_desktop.agent.edits import ChangeMode, DeleteFile, Edit, MakeLink, MoveFile, WriteFile
from tandem_desktop.agent.recipes.catalog import Catalog
from tandem_desktop.agent.source_files import BrowsableTree
from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.plan_steps import PlanInput


def plan_from_recipe(catalog: Catalog, name: str, text: str, tree: BrowsableTree) -> PlanInput:
    """The plan for what the recipe would do in this workspace now.

    Raises:
        BadInputError: no recipe is called so, or its arguments cannot be understood.
        StepRefusedError: it has nothing to do here.
    """
    outcome = catalog.named(name).parse(text).run(tree)
    if not outcome.edits:
        raise StepRefusedError(outcome.summary, next="Try other words, or look at the files with --in GLOB.")
    steps = [{"description": edit.description, **_call(edit)} for edit in outcome.edits]
    return plan_from({"title": outcome.title, "summary": outcome.summary, "steps": steps})


def _call(edit: Edit) -> dict[str, Any]:
    match edit:
        case WriteFile(path, data, _, mode):
            permissions = {} if mode is None else {"mode": f"{mode:04o}"}
            return {"tool": "write", "args": {"path": path, **_content(data), **permissions}}
        case DeleteFile(path):
            return {"tool": "delete", "args": {"path": path}}
        case MoveFile(path, to):
            return {"tool": "move", "args": {"path": path, "to": to}}
        case ChangeMode(path, mode):
            return {"tool": "chmod", "args": {"path": path, "mode": f"{mode:04o}"}}
        case MakeLink(path, target):
            return {"tool": "symlink", "args": {"path": path, "target": target}}


def _content(data: bytes) -> dict[str, str]:
    try:
        return {"content": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"content_base64": base64.b64encode(data).decode()}
