"""Draw steps that apply to a tree as it stands, of every kind a plan can have."""

import base64
import shlex
from collections.abc import Callable
from typing import Any

from tandem_desktop.cli.selftest_diff import a_mode_diff, a_new_file_diff, a_removal_diff, a_rename_diff, an_edit_diff
from tandem_desktop.cli.selftest_expectation import Expectation
from tandem_desktop.cli.selftest_material import ONLY_ONCE, Material

Step = dict[str, Any]

_FILE_MODES = ("0600", "0640", "0644", "0700", "0750", "0755", "0444")
_FOLDER_MODES = ("0700", "0750", "0755")
_SMALL = 100_000
"""Above this, a step leaves the making of a diff to others."""


class StepMaker:
    """Adds steps to one plan and lets each happen on a model of the tree, so that the next one applies as well.

    What a command makes or changes is not on the model; no later step goes near it.
    """

    def __init__(self, material: Material, model: Expectation) -> None:
        self._material = material
        self._random = material.random
        self._model = model
        self._pinned: set[str] = set()
        self.steps: list[Step] = []

    def add(self, kind: str) -> None:
        """One or more steps of `kind`, if the tree has anything for it."""
        before = len(self.steps)
        KINDS[kind](self)
        if len(self.steps) > before:
            self._material.kinds.add(kind)

    def act_on(self, path: str) -> None:
        """One step for one given file."""
        choice = self._random.randrange(4)
        if self._model.nodes[path][2].startswith(ONLY_ONCE):
            self._take("edit", path=path, old_string=ONLY_ONCE.decode(), new_string="edited\n")
        elif choice == 0:
            self._take("move", path=path, to=self._new_path())
        elif choice == 1:
            self._take("delete", path=path)
        elif choice == 2:
            self._take("chmod", path=path, mode="0600" if self._model.nodes[path][1] != 0o600 else "0644")
        else:
            self._take("write", path=path, content=self._material.text() + "no longer large\n")

    def write_new(self) -> None:
        mode = {"mode": self._random.choice(_FILE_MODES)} if self._random.random() < 0.3 else {}
        path = self._new_path()
        if self._random.random() < 0.4:
            self._take("write", path=path, content=self._material.text(), **mode)
        else:
            self._take("write", path=path, content_base64=_base64(self._material.content()), **mode)

    def write_over(self) -> None:
        if path := self._any("file"):
            fresh = self._material.content("binary")
            self._take("write", path=path, content_base64=_base64(fresh + b"another"))

    def write_mode(self) -> None:
        if path := self._any("file"):
            mode = next(mode for mode in _FILE_MODES if int(mode, 8) != self._model.nodes[path][1])
            self._take("write", path=path, content_base64=_base64(self._model.nodes[path][2]), mode=mode)

    def edit(self) -> None:
        if found := self._a_unique_line():
            path, line = found
            self._take("edit", path=path, old_string=line, new_string=self._random.choice(("", "— new —", "a\nb\r\n")))

    def replace_all(self) -> None:
        path = self._any("file", lambda data: data.count(b"quick") > 1 and _is_text(data))
        if path:
            self._take("edit", path=path, old_string="quick", new_string="unhurried", replace_all=True)

    def patch_one(self) -> None:
        if found := self._a_unique_line():
            path, line = found
            before = self._model.nodes[path][2].decode()
            self._take("patch", diff=an_edit_diff(path, before, before.replace(line, "+ patched\nand more", 1)))

    def patch_many(self) -> None:
        diffs = [a_new_file_diff(self._new_path(), self._material.text(), self._random.choice(("100644", "100755")))]
        files = self._all("file", lambda data: _is_text(data) and len(data) < _SMALL)
        self._random.shuffle(files)
        for path, make in zip(files, (self._removal, self._rename, self._mode), strict=False):
            diffs.append(make(path))
        self._take("patch", diff="".join(diffs))

    def delete_file(self) -> None:
        if path := self._any("file"):
            self._take("delete", path=path)

    def delete_link(self) -> None:
        if path := self._any("link"):
            self._take("delete", path=path)

    def delete_directory(self) -> None:
        if path := self._any("dir"):
            self._take("delete", path=path)

    def move_file(self) -> None:
        if path := self._any("file"):
            self._take("move", path=path, to=self._new_path())

    def move_link(self) -> None:
        if path := self._any("link"):
            self._take("move", path=path, to=self._new_path())

    def move_directory(self) -> None:
        if path := self._any("dir"):
            self._take("move", path=path, to=self._material.name())

    def chmod_file(self) -> None:
        if path := self._any("file"):
            self._chmod(path, _FILE_MODES)

    def chmod_directory(self) -> None:
        if path := self._any("dir"):
            self._chmod(path, _FOLDER_MODES)

    def symlink(self) -> None:
        self._take("symlink", path=self._new_path(), target=self._random.choice(("..", *self._all("file"), "./a//b")))

    def dangling_symlink(self) -> None:
        self._take("symlink", path=self._new_path(), target=f"nowhere/{self._material.name()}")

    def mkdir(self) -> None:
        self._take("mkdir", path=self._new_path())

    def read(self) -> None:
        if path := self._any("file"):
            self._take("read", path=path)

    def one_path_often(self) -> None:
        path, other = self._new_path(), self._new_path()
        self._take("write", path=path, content="one\ntwo\n")
        self._take("edit", path=path, old_string="two", new_string="three")
        self._take("chmod", path=path, mode="0755")
        self._take("move", path=path, to=other)
        self._take("symlink", path=path, target="somewhere")
        self._take("delete", path=other)
        self._take("write", path=other, content="again")

    def another_type(self) -> None:
        """A file where a directory or a link was, and a directory where a file was."""
        for kind in ("dir", "link"):
            if path := self._any(kind):
                self._take("delete", path=path)
                self._take("write", path=path, content="a file now\n")
        if path := self._any("file"):
            self._take("delete", path=path)
            self._take("write", path=f"{path}/{self._material.name()}", content="below\n")

    def command(self) -> None:
        new = self._new_path()
        below = f"{new}-made/by"
        spelled, made = _shell(new), _shell(below)
        old = self._any("file", only_untouched=True)
        commands = [
            (f"mkdir -p {made} && printf 'made\\n' > {made}/a && ln -s a {made}/b && chmod 750 {made}", [below]),
            (f"mkdir -p {_shell(new)} && printf '%s' \"$WORDS\" > {spelled}/words && cat {spelled}/words", [new]),
        ]
        if old:
            commands += [
                (f"printf 'more\\n' >> {_shell(old)} && echo appended", [old]),
                (f"rm -f {_shell(old)}", [old]),
                (f"chmod 700 {_shell(old)} && wc -c < {_shell(old)}", [old]),
            ]
        text, paths = self._random.choice(commands)
        self._pin(*paths)
        self._take("bash", command=text, env={"WORDS": "naïve words, $HOME"})

    def quiet_command(self) -> None:
        folder = self._any("dir")
        self._take("bash", command="echo only words; echo more >&2", **({"cwd": folder} if folder else {}))

    def _take(self, tool: str, **args: Any) -> None:
        step = {"description": f"{tool} something", "tool": tool, "args": args}
        self.steps.append(step)
        self._model.take(step)

    def _chmod(self, path: str, modes: tuple[str, ...]) -> None:
        others = [mode for mode in modes if int(mode, 8) != self._model.nodes[path][1]]
        self._take("chmod", path=path, mode=self._random.choice(others))

    def _removal(self, path: str) -> str:
        return a_removal_diff(path, self._model.nodes[path][2].decode())

    def _rename(self, path: str) -> str:
        before = self._model.nodes[path][2].decode()
        return a_rename_diff(path, self._new_path(), before, f"first\n{before}")

    def _mode(self, path: str) -> str:
        # Git tells only two modes apart.
        modes = ("100755", "100644") if self._model.nodes[path][1] & 0o100 else ("100644", "100755")
        return a_mode_diff(path, *modes)

    def _new_path(self) -> str:
        """A free path, at the top or in a folder there is, or in one that has to be made."""
        name = self._material.name()
        folder = self._random.choice(("", "", self._material.name("plain"), *self._all("dir")))
        return f"{folder}/{name}" if folder else name

    def _a_unique_line(self) -> tuple[str, str] | None:
        path = self._any("file", lambda data: _is_text(data) and data.count(b"\n") > 2)
        if path is None:
            return None
        text = self._model.nodes[path][2][:_SMALL].decode(errors="ignore")
        unique = [line for line in text.splitlines() if self._model.nodes[path][2].count(line.encode()) == 1]
        return (path, self._random.choice(unique)) if unique else None

    def _any(
        self, kind: str, fits: Callable[[bytes], bool] = lambda data: True, *, only_untouched: bool = False
    ) -> str | None:
        found = self._all(kind, fits)
        if only_untouched:
            found = [path for path in found if path not in self._model.touched]
        return self._random.choice(found) if found else None

    def _all(self, kind: str, fits: Callable[[bytes], bool] = lambda data: True) -> list[str]:
        return [
            path
            for path, (found, _, data) in sorted(self._model.nodes.items())
            if found == kind and path not in self._pinned and fits(data)
        ]

    def _pin(self, *paths: str) -> None:
        """No later step names `paths` or a folder above them."""
        for path in paths:
            names = path.split("/")
            self._pinned.update("/".join(names[:length]) for length in range(1, len(names) + 1))


KINDS: dict[str, Callable[[StepMaker], None]] = {
    name.replace("_", " "): getattr(StepMaker, name)
    for name in (
        *("write_new", "write_over", "write_mode", "edit", "replace_all", "patch_one", "patch_many", "mkdir", "read"),
        *("delete_file", "delete_link", "delete_directory", "move_file", "move_link", "move_directory"),
        *("chmod_file", "chmod_directory", "symlink", "dangling_symlink", "one_path_often", "another_type"),
        *("command", "quiet_command"),
    )
}
"""Every kind of step that can be drawn, by name."""


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return len(data) < _SMALL


def _shell(path: str) -> str:
    return shlex.quote(f"./{path}")
