"""Stores the base state of each path an agent saw."""

import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from tandem_desktop.domain.operations import FileState, NodeState
from tandem_desktop.storage import atomic
from tandem_desktop.storage.clock import next_tick

UNSEEN_BYTES = b"[What the agent saw here is not known: it was changed on disk before anybody looked.]\n"
UNSEEN = FileState(sha256=hashlib.sha256(UNSEEN_BYTES).hexdigest(), size=len(UNSEEN_BYTES), mode=0o644)
"""The base of a path that changed on disk before anybody looked: it equals nothing, so it never matches."""

_FORMAT = 1
_STATE: TypeAdapter[NodeState] = TypeAdapter(NodeState)


class Bases:
    """The record of captured bases, of the moment the turn began, and of folders whose covered content is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._states: dict[str, NodeState] = {}
        self._dirty = False
        self.covers: frozenset[str] = frozenset()
        self.turn_ns = 0
        if path.exists():
            self._read(json.loads(path.read_bytes()))
        else:
            self.begin()

    def __contains__(self, path: str) -> bool:
        return path in self._states

    def __getitem__(self, path: str) -> NodeState:
        return self._states[path]

    def paths(self) -> tuple[str, ...]:
        """Every path with a base, parents before what is in them."""
        return tuple(sorted(self._states, key=lambda path: path.split("/")))

    def put(self, path: str, state: NodeState) -> None:
        if self._states.get(path) != state:
            self._states[path] = state
            self._dirty = True

    def cover(self, folders: frozenset[str]) -> None:
        if folders != self.covers:
            self.covers = folders
            self._dirty = True

    def keep_only(self, paths: set[str]) -> None:
        """Forget paths that are no longer among the changes."""
        gone = [path for path in self._states if path not in paths]
        for path in gone:
            del self._states[path]
            self._dirty = True

    def begin(self) -> None:
        """Note the moment: whatever changes on disk from now on, the agent may not have seen."""
        self.turn_ns = next_tick()
        self._dirty = True

    def save(self) -> None:
        """Make it durable, if there is anything new."""
        if not self._dirty:
            return
        record = {
            "format": _FORMAT,
            "turn_ns": self.turn_ns,
            "covers": sorted(self.covers),
            "bases": {path: state.model_dump(mode="json") for path, state in self._states.items()},
        }
        atomic.replace(self._path, json.dumps(record).encode(), mode=0o600)
        self._dirty = False

    def _read(self, record: dict[str, Any]) -> None:
        self.turn_ns = record["turn_ns"]
        self.covers = frozenset(record["covers"])
        self._states = {path: _STATE.validate_python(state) for path, state in record["bases"].items()}
