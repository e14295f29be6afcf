"""What a plan can count on here: the tools of its steps, and the programs its commands will find on this machine."""

import shutil
from collections.abc import Callable

from tandem_desktop.domain.operations import PLAN_TOOLS

PROGRAMS = (
    *("bash", "sh", "git", "make", "cmake", "python3", "pip", "uv", "node", "npm", "pnpm", "yarn", "cargo", "go"),
    *("java", "mvn", "gradle", "ruby", "php", "dotnet", "gcc", "clang", "docker", "curl", "jq", "rg"),
)
"""What planners reach for most; anything else may be there as well."""


def tool_inventory(guarded: tuple[str, ...] = (), which: Callable[[str], str | None] = shutil.which) -> str:
    """The manifest a planner is handed before its first task, so that it plans with what there is."""
    here = [name for name in PROGRAMS if which(name)]
    missing = [name for name in PROGRAMS if name not in here]
    lines = [
        "Tools here:",
        f"- Steps of a plan may use: {', '.join(PLAN_TOOLS)}. A step with any other tool is refused.",
        f"- Programs for `bash`, found on this machine: {', '.join(here) or 'none'}.",
        f"- Not found: {', '.join(missing) or 'none'}.",
    ]
    if guarded:
        lines.append(f"- Only through a plan that the person approves: {', '.join(guarded)}.")
    return "\n".join(lines)
