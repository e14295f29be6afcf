"""Writes a revision as Markdown."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.plan import PlanMeta, PlanVersion
from tandem_desktop.plans.pages import END_OF_FRONT, page_digest

MAX_INLINE_CONTEXT = 50 * 1024
"""Bytes of context kept in the plan itself; more goes into a file of its own."""

ARTIFACTS = "artifacts"
"""The context field that lists its files."""
_BACKTICKS = lazy_pattern("`+")
_PLAIN = lazy_pattern(r"[A-Za-z](?:[\w ./-]*[\w./])?", re.ASCII)
_NO_TEXT = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
"""What YAML takes for something else than a text."""


def render(version: PlanVersion, meta: PlanMeta, artifacts: Path, folder: Path, worded: str = "") -> str:
    """Front matter, then Steps, Context, Risks and what was said when the plan was sent back.

    `worded` are the steps in words, where they are known already.
    """
    body = "\n\n".join(
        part
        for part in (
            version.content.strip(),
            "## Steps",
            worded or steps(version.operations),
            "## Context",
            _context(version.context, artifacts, folder),
            "## Risks",
            _risks(version.operations),
            _rejections(meta),
        )
        if part
    )
    front = "\n".join(f"{name}: {_yaml(value)}" for name, value in _front_matter(meta).items())
    return _sealed(f"---\n{front}\n---\n\n{body}\n")


def _yaml(value: str | int | list[str] | None) -> str:
    """A value of the front matter: plain where it can only be a text, else as JSON, which is YAML as well."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NO_TEXT:
        return value
    text = json.dumps(value, ensure_ascii=False)
    return text if all(map(str.isprintable, text)) else _escaped(value)


def _escaped(value: Any) -> str:
    """With every character escaped that may not stand in YAML, such as a code point of its own. Slow to load."""
    import yaml

    return str(yaml.safe_dump(value, default_style='"', width=float("inf"), allow_unicode=True)).strip()


def _sealed(text: str) -> str:
    """The page with its own digest as the last line of its front matter, so that an edit can be detected."""
    front, end, body = text.partition(END_OF_FRONT)
    return f"{front}\npage_sha256: {page_digest(text)}{end}{body}"


def context_bytes(context: dict[str, Any]) -> bytes:
    return json.dumps(context, indent=1, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")


def linked_context(name: str, data: bytes) -> dict[str, Any]:
    """The context in the record if its content is in the artifact `name`; the plan's digest covers its bytes."""
    return {ARTIFACTS: [name], "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}


def _front_matter(meta: PlanMeta) -> dict[str, Any]:
    fields = meta.model_dump(mode="json")
    names = ("title", "status", "version", "revision", "digest", "created_at", "updated_at", "planner_model")
    execution = ("execution_session", "execution_started_at", "execution_ended_at", "result_summary")
    chosen = (*names, "tools_required", "executor_model", *execution)
    return {"id": meta.plan_id, **{name: fields[name] for name in chosen}}


def steps(operations: tuple[StagedOperation, ...]) -> str:
    """Every operation as a numbered line."""
    lines = []
    for number, operation in enumerate(operations, start=1):
        lines.append(f"{number}. {_step(operation)}")
        if operation.rationale:
            lines.append(f"   Why: {_line(operation.rationale)}")
    return "\n".join(lines) or "None."


def _step(operation: StagedOperation) -> str:
    summary = f"{operation.kind.value} {_code(operation.subject)}"
    after = f" after {', '.join(operation.blocked_by)}" if operation.blocked_by else ""
    description = f" — {_line(operation.description)}" if operation.description else ""
    return f"**{operation.id}** {summary}{after}{description}"


def _context(context: dict[str, Any], artifacts: Path, folder: Path) -> str:
    """Tool outputs as JSON, notes as text, artifacts as links."""
    rest = dict(context)
    parts = []
    outputs = rest.pop("tool_outputs", None)
    notes = rest.pop("notes", None)
    links = rest.pop(ARTIFACTS, None)
    if outputs:
        parts.append("### Tool Outputs\n\n" + _json_block(outputs))
    if notes:
        parts.append("### Notes\n\n" + (notes if isinstance(notes, str) else _json_block(notes)))
    if links:
        listed = links if isinstance(links, list) else [links]
        parts.append("### Artifacts\n\n" + "\n".join(_link(item, artifacts, folder) for item in listed))
    if rest:
        parts.append(_json_block(rest))
    return "\n\n".join(parts) or "None."


def _link(item: object, artifacts: Path, folder: Path) -> str:
    """A link if the file is in the artifacts folder, otherwise plain text."""
    text = str(item)
    if text.startswith(f"{folder.name}/") and (artifacts / text).is_file():
        up = "../" * len(folder.relative_to(artifacts.parent).parts)
        return f"- [{text}]({up}{artifacts.name}/{text})"
    return f"- {_line(text)}"


def _risks(operations: tuple[StagedOperation, ...]) -> str:
    return "\n".join(f"- **{o.id}** {_line(o.risk)}" for o in operations if o.risk) or "None named."


def _rejections(meta: PlanMeta) -> str:
    if not meta.rejections:
        return ""
    lines = [f"- r{r.revision}, {r.at.isoformat()}: {_line(r.feedback) or 'no reason given'}" for r in meta.rejections]
    return "\n".join(["## Rejections", "", *lines])


def _json_block(value: object) -> str:
    text = json.dumps(value, indent=1, ensure_ascii=False, default=str)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}json\n{text}\n{fence}"


def _code(text: str) -> str:
    """Text as inline code, with any backticks; line breaks are shown as characters."""
    shown = text.replace("\r", "\\r").replace("\n", "\\n")
    fence = "`" * (_longest_run(shown) + 1)
    padding = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{padding}{shown}{padding}{fence}"


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0) if "`" in text else 0


def _line(text: str) -> str:
    return " ".join(text.split())
