"""The data behind the hazard flags, read once from the bundled file and made ready for quick answers."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tandem_desktop.staging.hidden_characters import HiddenCharacters
from tandem_desktop.staging.sensitive_paths import PathPatterns
from tandem_desktop.storage.resources import resource

_LONGEST_MANIFEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Manifest:
    """A file in which some keys make code run and the `inert` ones do not."""

    name: str
    format: str
    inert: tuple[tuple[str, ...], ...]

    def only_inert_changes(self, before: bytes | None, after: bytes | None) -> bool:
        """Whether the two differ in harmless keys alone; what cannot be read is not harmless."""
        try:
            return bool(self._telling(before) == self._telling(after))
        except (ValueError, RecursionError):
            return False

    def _telling(self, content: bytes | None) -> Any:
        if content is None:
            return {}
        if len(content) > _LONGEST_MANIFEST:
            raise ValueError("too long to be looked into")
        text = content.decode()
        document: Any = json.loads(text) if self.format == "json" else tomllib.loads(text)
        for keys in self.inert:
            _forget(document, keys)
        return document


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """How a secret looks, and literals without any of which looking is not worth it."""

    anchors: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


@dataclass(frozen=True, slots=True)
class HazardRules:
    """Everything `hazards.toml` says."""

    explanations: Mapping[str, str]
    runs_code: PathPatterns
    instructs_agents: PathPatterns
    secret: PathPatterns
    manifests: Mapping[str, Manifest]
    secrets: tuple[SecretPattern, ...]
    hidden: HiddenCharacters
    large_bytes: int
    large_changed_lines: int

    def has_secret(self, content: bytes) -> bool:
        """Whether something in `content` looks like a secret."""
        for secret in self.secrets:
            for anchor in secret.anchors:
                if anchor in content and secret.pattern.search(content):
                    return True
        return False


@lru_cache(maxsize=1)
def bundled_rules() -> HazardRules:
    """The rules that come with Tandem; they are never read from a workspace."""
    return parse_rules(tomllib.loads(resource("hazards.toml").read_text(encoding="utf-8")))


def parse_rules(data: Mapping[str, Any]) -> HazardRules:
    paths, characters = data["paths"], data["characters"]
    return HazardRules(
        explanations=dict(data["explanations"]),
        runs_code=PathPatterns(paths["runs-code"]),
        instructs_agents=PathPatterns(paths["instructs-agents"]),
        secret=PathPatterns(paths["secret"]),
        manifests={each["name"]: _manifest(each) for each in data["manifests"]},
        secrets=tuple(
            SecretPattern(tuple(anchor.encode() for anchor in each["anchors"]), re.compile(each["pattern"].encode()))
            for each in data["secrets"]
        ),
        hidden=HiddenCharacters(
            invisible=_ranges(characters["invisible"]),
            visible=_ranges(characters["visible"]),
            lookalikes=_ranges(characters["lookalikes"]),
        ),
        large_bytes=data["large_bytes"],
        large_changed_lines=data["large_changed_lines"],
    )


def _manifest(data: Mapping[str, Any]) -> Manifest:
    inert = tuple(tuple(key.split(".")) for key in data["inert"])
    return Manifest(name=data["name"], format=data["format"], inert=inert)


def _ranges(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple((first, last) for first, last in pairs)


def _forget(document: Any, keys: tuple[str, ...]) -> None:
    """Take one key out, and the tables above it that have nothing else."""
    if not isinstance(document, dict) or keys[0] not in document:
        return
    if len(keys) == 1:
        del document[keys[0]]
        return
    _forget(document[keys[0]], keys[1:])
    if document[keys[0]] == {}:
        del document[keys[0]]
