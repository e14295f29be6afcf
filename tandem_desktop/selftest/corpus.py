"""Generates workspaces and plans for the self-test."""

import base64
import difflib
import random
import re
import shlex
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tandem_desktop.selftest.expectation import Expectation, Node, Tree

FIVE_MEGABYTES = 5 * 1024 * 1024
ONLY_ONCE = b"the only first line\n"
"""How a large text begins, for an edit to find."""

_WORDS = ("river", "stone", "cloud", "amber", "north", "paper", "quick", "lemon", "orbit", "violet")


class Material:
    """Draws names and contents from one seed; remembers of which kinds they were."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 (cases that can be repeated)
        self.kinds: set[str] = set()
        self._count = 0

    def name(self, kind: str | None = None) -> str:
        """A name no other drawn name can be confused with on any disk; for a deep path, with its folders."""
        kind = kind or self.random.choice((*NAMES, "plain", "plain"))
        self.kinds.add(kind)
        self._count += 1
        return NAMES[kind](self.random.choice(_WORDS), self._count)

    def content(self, kind: str | None = None) -> bytes:
        kind = kind or self.random.choice(tuple(CONTENTS))
        self.kinds.add(kind)
        return CONTENTS[kind](self.random)

    def text(self) -> str:
        """Content that can stand in a plan as it is."""
        return self.content(self.random.choice(("text", "crlf", "no final newline", "empty"))).decode()

    def five_megabytes(self) -> bytes:
        """A large file, every other one text."""
        self.kinds.add("5 MB")
        if self.random.random() < 0.5:
            return self.random.randbytes(64 * 1024) * (FIVE_MEGABYTES // (64 * 1024))
        block = "".join(f"{n:06} {self.random.choice(_WORDS)} lies here\n" for n in range(2_000))
        text = block * (FIVE_MEGABYTES // len(block) + 1)
        return (ONLY_ONCE + text.encode())[:FIVE_MEGABYTES]


def _deep(word: str, number: int) -> str:
    return "/".join((f"deep{number}", *(f"d{depth}" for depth in range(2, 23)), f"{word}{number}.txt"))


NAMES: dict[str, Callable[[str, int], str]] = {
    "plain": lambda word, number: f"{word}{number}.txt",
    "NFC name": lambda word, number: unicodedata.normalize("NFC", f"é-ü-{word}{number}"),
    "NFD name": lambda word, number: unicodedata.normalize("NFD", f"å-ñ-{word}{number}"),
    "emoji name": lambda word, number: f"🦊 {word}{number} 🎉.md",
    "spaces in name": lambda word, number: f"a {word}  with spaces {number}.txt",
    "leading dash": lambda word, number: f"-{word}{number}",
    "deep path": _deep,
}
"""How to spell a name, by what is special about it."""


def _lines(draw: random.Random, end: str, most: int = 40) -> str:
    return "".join(
        f"{number}: the {draw.choice(_WORDS)} is {draw.getrandbits(32):08x}, said the quick one{end}"
        for number in range(draw.randint(3, most))
    )


def _binary(draw: random.Random) -> bytes:
    return b"\x00\xff" + draw.randbytes(draw.randint(1, 5_000))


CONTENTS: dict[str, Callable[[random.Random], bytes]] = {
    "text": lambda draw: _lines(draw, "\n").encode(),
    "crlf": lambda draw: _lines(draw, "\r\n").encode(),
    "no final newline": lambda draw: _lines(draw, "\n").encode() + "ends here, naïvely".encode(),
    "utf-16": lambda draw: _lines(draw, "\n").encode("utf-16"),
    "latin-1": lambda draw: _lines(draw, " at the café\n").encode("latin-1"),
    "binary": _binary,
    "empty": lambda draw: b"",
    "one long line": lambda draw: ("".join(draw.choices(_WORDS, k=4_000))).encode(),
}
"""How to fill a file, by what is special about it."""


_NO_NEWLINE = "\n\\ No newline at end of file\n"


def an_edit_diff(path: str, before: str, after: str) -> str:
    """One file with another content."""
    return f"diff --git a/{path} b/{path}\n{_body(f'a/{path}', f'b/{path}', before, after)}"


def a_new_file_diff(path: str, content: str, mode: str) -> str:
    """One file that was not there."""
    return f"diff --git a/{path} b/{path}\nnew file mode {mode}\n{_body('/dev/null', f'b/{path}', '', content)}"


def a_removal_diff(path: str, content: str) -> str:
    """One file that goes."""
    head = f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n"
    return f"{head}{_body(f'a/{path}', '/dev/null', content, '')}"


def a_rename_diff(path: str, to: str, before: str, after: str) -> str:
    """One file with another name and another content."""
    head = f"diff --git a/{path} b/{to}\nsimilarity index 90%\nrename from {path}\nrename to {to}\n"
    return f"{head}{_body(f'a/{path}', f'b/{to}', before, after)}"


def a_mode_diff(path: str, old: str, new: str) -> str:
    """One file with other permissions."""
    return f"diff --git a/{path} b/{path}\nold mode {old}\nnew mode {new}\n"


def _body(old_name: str, new_name: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(_diff_lines(before), _diff_lines(after), _spelled(old_name), _spelled(new_name))
    return "".join(line if line.endswith("\n") else f"{line}{_NO_NEWLINE}" for line in lines)


def _diff_lines(text: str) -> list[str]:
    """Only a line feed ends a line of a diff."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _spelled(name: str) -> str:
    """Git ends a name that has spaces in it with a tab."""
    return f"{name}\t" if " " in name else name


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


_LARGE = "large.dat"
_LARGE_EVERY, _LARGE_AT = 50, 7
"""A few large files are enough, and take their time."""
_COMMAND_KINDS = ("command", "quiet command")
_CORPUS_FILE_MODES = (0o644, 0o644, 0o600, 0o640, 0o664, 0o755, 0o444)
_CORPUS_FOLDER_MODES = (0o755, 0o755, 0o700, 0o750)


@dataclass(frozen=True, slots=True)
class Case:
    """One plan and the workspace it is for."""

    seed: int
    tree: Tree
    plan: dict[str, Any]
    kinds: frozenset[str]
    """What is special about it, such as `crlf` or `delete directory`."""


def a_case(seed: int) -> Case:
    """The case of this seed. Each kind of step has its turn; the rest is drawn."""
    material = Material(seed)
    tree = _a_tree(material, seed)
    maker = StepMaker(material, Expectation(tree))
    if seed % _LARGE_EVERY == _LARGE_AT:
        maker.act_on(_LARGE)
    drawn = material.random.choices([kind for kind in KINDS if kind not in _COMMAND_KINDS], k=4)
    for kind in material.random.sample([_whose_turn(seed), *drawn[: seed % 5]], k=1 + seed % 5):
        maker.add(kind)
    if all(step["tool"] == "read" for step in maker.steps):
        maker.add("write new")
    plan = {"title": f"Self-test {seed}", "summary": "Generated.", "steps": maker.steps}
    return Case(seed, tree, plan, frozenset(material.kinds))


def runs_a_command(seed: int) -> bool:
    """Whether the plan of this seed runs a command; told without making it."""
    return _whose_turn(seed) in _COMMAND_KINDS


def _whose_turn(seed: int) -> str:
    return list(KINDS)[seed % len(KINDS)]


def _a_tree(material: Material, seed: int) -> Tree:
    model = Expectation({})
    draw = material.random
    names, contents = list(NAMES), list(CONTENTS)
    folders = [""]
    for position in range(3):
        folder = _below(draw.choice(folders), material.name("plain" if position else names[seed % len(names)]))
        model.put(folder, ("dir", draw.choice(_CORPUS_FOLDER_MODES), b""))
        folders.append(folder)
    for position in range(draw.randint(6, 12)):
        path = _below(draw.choice(folders), material.name())
        model.put(
            path,
            ("file", draw.choice(_CORPUS_FILE_MODES), material.content(contents[(seed + position) % len(contents)])),
        )
    for kind, path, node in _specials(material, model):
        model.put(_below(draw.choice(folders), path) if kind != "ignored file" else path, node)
        material.kinds.add(kind)
    if seed % _LARGE_EVERY == _LARGE_AT:
        model.put(_LARGE, ("file", 0o644, material.five_megabytes()))
    if any(mode & 0o100 for kind, mode, _ in model.nodes.values() if kind == "file"):
        material.kinds.add("exec bit")
    return model.nodes


def _specials(material: Material, model: Expectation) -> list[tuple[str, str, Node]]:
    """What a tree may have besides files and the folders above them."""
    draw = material.random
    name = material.name
    specials: list[tuple[str, str, Node]] = [
        ("empty directory", name(), ("dir", 0o755, b"")),
        ("link to a file", name(), ("link", 0, draw.choice(sorted(model.nodes)).encode())),
        ("link to a directory", name(), ("link", 0, b".")),
        ("dangling link", name(), ("link", 0, "nowhere/at all — naïve".encode())),
        ("ignored file", f"ignored/{name('plain')}", ("file", 0o644, material.content("binary"))),
        ("ignored file", f"{name('plain')}.log", ("file", 0o644, material.content("text"))),
    ]
    chosen = draw.sample(specials, k=4)
    if any(kind == "ignored file" for kind, _, _ in chosen):
        model.put(".gitignore", ("file", 0o644, b"*.log\nignored/\n"))
    return chosen


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
