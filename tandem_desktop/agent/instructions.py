"""What the model is told before anybody speaks: its role, and the project's own instructions for agents."""

from tandem_desktop.agent.source_text import SourceText
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.storage.resources import resource

PROJECT_FILES = ("AGENTS.md", "CLAUDE.md")
MAX_CHARACTERS = 40_000


def instructions(tree: SourceTree, root: str) -> str:
    """The role, then each instruction file of the project, named and cut when it is very long."""
    parts = [resource("prompts/built_in_agent.md").read_text("utf-8").replace("{{CWD}}", root).strip()]
    for name in PROJECT_FILES:
        text = _read(tree, name)
        if text:
            parts.append(f"# Instructions of the project ({name})\n\n{text[:MAX_CHARACTERS]}")
    return "\n\n".join(parts)


def _read(tree: SourceTree, name: str) -> str:
    try:
        source = SourceText.of(tree.read(name))
    except TandemError:
        return ""
    return "" if source is None else source.text.strip()
