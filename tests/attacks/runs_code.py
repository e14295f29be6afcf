"""Files that make code run, or instruct agents, slipped in as if they were ordinary ones."""

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.review.attention import attention
from tandem_desktop.review.operation_view import OperationView, view_operation
from tandem_desktop.staging.hazards import Hazard
from tandem_desktop.storage.objects import ObjectStore
from tests.attacks.attack import Attack, Outcome
from tests.support.builders import a_chmod, a_delete, a_move, a_symlink, a_write

EVIL = b"evil\n"
NAMES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

SPELLINGS: dict[str, Callable[[str], str]] = {
    "capitals": str.upper,
    "swapped case": str.swapcase,
    "deep in a folder": lambda name: f"src/deep/down/{name}",
    "a trailing dot": lambda name: f"{name}.",
    "trailing blanks": lambda name: f"{name} ",
    "a stream": lambda name: f"{name}::$DATA",
    "backslashes": lambda name: f"sub\\{name}".replace("/", "\\"),
}
SPELT = ("package.json", "composer.json", ".github/workflows/x.yml", "docs/conf.py", "Makefile", ".envrc")
GUARDS = ("package.json", "composer.json", ".envrc", ".npmrc", ".yarnrc.yml", ".claude/settings.json")
FOLDERS = (
    ".github",
    ".vscode",
    ".idea",
    ".husky",
    ".cargo",
    ".claude",
    ".cursor",
    "debian",
    ".circleci",
    ".git",
    "alembic",
    "hooks",
    ".mvn",
)
PACKAGE = b'{"version": "1", "scripts": {"test": "jest"}}'
HIDDEN_KEYS: dict[str, tuple[str, bytes | None, bytes]] = {
    "a key twice": ("package.json", PACKAGE, b'{"scripts": {"postinstall": "x"}, "scripts": {"test": "jest"}}'),
    "an escaped key": ("package.json", PACKAGE, b'{"scri\\u0070ts": {"test": "jest", "postinstall": "x"}}'),
    "a comment in strict JSON": ("package.json", PACKAGE, b'{"version": "2" /* */, "scripts": {"test": "jest"}}'),
    "a byte order mark": ("package.json", PACKAGE, b'\xef\xbb\xbf{"version": "2", "scripts": {"test": "jest"}}'),
    "UTF-16": ("package.json", PACKAGE, PACKAGE.decode().encode("utf-16")),
    "too long to be read": ("package.json", PACKAGE, PACKAGE.replace(b"1", b"2" * (1 << 20))),
    "nested too deep": ("package.json", PACKAGE, b"[" * 100_000),
    "a list in place of an object": ("package.json", PACKAGE, b'["scripts"]'),
    "a new dependency": ("package.json", PACKAGE, b'{"scripts": {"test": "jest"}, "dependencies": {"evil": "1"}}'),
    "a plug-in beside options": (".prettierrc.json", b"{}", b'{"semi": true, "plugins": ["./x.js"]}'),
    "a plug-in in an override": (".prettierrc", b"{}", b"overrides: [{files: '*', options: {plugins: [./x.js]}}]\n"),
    "a shared configuration": (".prettierrc", b"semi: true\n", b'"@evil/config"\n'),
    "a parser beside rules": (".eslintrc.json", b"{}", b'{"rules": {}, "parser": "./x.js"}'),
    "a template in YAML": (".rubocop.yml", b"", b"Style/X:\n  Max: <%= `id` %>\n"),
    "an anchor in YAML": (".rubocop.yml", b"", b"Style/X: &x {require: ./x}\n<<: *x\n"),
    "two YAML documents": (".rubocop.yml", b"", b"Style/X: 1\n---\nrequire: ./x\n"),
    "an inline merge in YAML": (".rubocop.yml", b"", b"<<: {require: ./x}\n"),
    "a plug-in in capitals": ("mypy.ini", b"[mypy]\n", b"[mypy]\nPLUGINS = x\n"),
    "a shared list of browsers": ("package.json", b"{}", b'{"browserslist": ["extends browserslist-config-x"]}'),
    "a command in a version": ("setup.py", b"setup(version='1')\n", b"setup(version='1 & x')\n"),
    "a required file": (".rubocop.yml", b"", b"Style/X: 1\nrequire:\n  - ./x\n"),
    "a version that is imported": ("setup.cfg", b"[metadata]\nversion = 1\n", b"[metadata]\nversion = attr: x.y\n"),
    "a local plug-in": (".flake8", b"", b"[flake8]\nmax-line-length = 9\n[flake8:local-plugins]\nextension = x\n"),
    "a plug-in of mypy": ("pyproject.toml", b"", b'[tool.mypy]\nstrict = true\nplugins = ["x"]\n'),
    "a build backend": ("pyproject.toml", b"", b'[project]\nversion = "2"\n[build-system]\nbackend-path = ["."]\n'),
    "a plug-in of coverage": (".coveragerc", b"", b"[report]\nx = 1\n[run]\nplugins = x\n"),
    "a plug-in of the language server": ("tsconfig.json", b"{}", b'{"compilerOptions": {"plugins": [{"name": "x"}]}}'),
    "paths behind a comment": ("tsconfig.json", b"{}", b'{// x\n"compilerOptions": {"paths": {"*": ["x"]}}}'),
    "an encoding that rewrites": ("setup.py", b"setup(version='1')\n", b"# coding: rot13\nsetup(version='1')\n"),
    "a version that is called": ("setup.py", b"setup(version='1')\n", b"setup(version=x())\n"),
    "a line before the version": ("docs/conf.py", b"release = '1'\n", b"import x\nrelease = '2'\n"),
    "a version with a command": ("docs/conf.py", b"release = '1'\n", b"release = '$(x) `x`'\n"),
    "a hook beside the navigation": ("mkdocs.yml", b"nav: []\n", b"nav: [a.md]\nhooks: [x.py]\n"),
    "a dependency of a chart": ("Chart.yaml", b"version: 1\n", b"version: 2\ndependencies: [{name: x}]\n"),
}


def view(folder: Path, operation: StagedOperation, *contents: bytes) -> OperationView:
    """The operation as the window, the command line and the API get it."""
    objects = ObjectStore(folder)
    objects.put_all(contents)
    return view_operation(operation, objects, commands_captured=True)


def _judge(found: OperationView, *wanted: Hazard) -> Outcome:
    """Flagged if the person has to acknowledge it with the flag, and is told why."""
    groups = [group for group in attention([found]) if set(wanted) <= set(group.flags)]
    return Outcome.FLAGGED if groups and all(found.why(flag) for flag in wanted) else Outcome.BROKEN


def _writing(path: str, wanted: Hazard = Hazard.RUNS_CODE) -> Callable[[Path], Outcome]:
    return lambda folder: _judge(view(folder, a_write(path, EVIL), EVIL), wanted)


def _names() -> Iterator[Attack]:
    for path in (*NAMES["tools"], *NAMES["unheard_of"]):
        yield Attack(f"write {path}", f"a new {path} passes for an ordinary file", _writing(path))
    for path in NAMES["instructions"]:
        run = _writing(path, Hazard.INSTRUCTS_AGENTS)
        yield Attack(f"instruct by {path}", f"a new {path} steers agents unseen", run)
    for how, spell in SPELLINGS.items():
        for path in SPELT:
            yield Attack(f"{path} in {how}", f"{path} is not known in {how}", _writing(spell(path)))


def _changes() -> Iterator[Attack]:
    for path in SPELT:
        yield Attack(
            f"move onto {path}",
            f"an ordinary file is moved onto {path}",
            lambda folder, path=path: _judge(  # type: ignore[misc]
                view(folder, a_move("notes.txt", path, EVIL), EVIL), Hazard.RUNS_CODE
            ),
        )
        yield Attack(
            f"move {path} away",
            f"{path} is taken away by a move",
            lambda folder, path=path: _judge(  # type: ignore[misc]
                view(folder, a_move(path, "notes.txt", EVIL), EVIL), Hazard.RUNS_CODE
            ),
        )
        yield Attack(
            f"link at {path}",
            f"{path} becomes a link to an ordinary file",
            lambda folder, path=path: _judge(  # type: ignore[misc]
                view(folder, a_symlink(path, "notes.txt")), Hazard.RUNS_CODE, Hazard.LINK
            ),
        )
    for path in GUARDS:
        yield Attack(
            f"delete {path}",
            f"{path} is deleted, and what it holds back with it",
            lambda folder, path=path: _judge(  # type: ignore[misc]
                view(folder, a_delete(path, EVIL), EVIL), Hazard.RUNS_CODE
            ),
        )
    for name in FOLDERS:
        yield Attack(
            f"folder {name} swapped",
            f"a link to another folder takes the place of {name}",
            lambda folder, name=name: _judge(  # type: ignore[misc]
                view(folder, a_symlink(name, "innocent")), Hazard.RUNS_CODE
            ),
        )
    for path in ("run.sh", "src/app.py", "notes.txt"):
        yield Attack(
            f"chmod {path}",
            f"{path} becomes executable by a change of mode",
            lambda folder, path=path: _judge(  # type: ignore[misc]
                view(folder, a_chmod(path, 0o755, content=EVIL), EVIL), Hazard.EXECUTABLE
            ),
        )


def _hidden_keys() -> Iterator[Attack]:
    for what, (path, before, after) in HIDDEN_KEYS.items():
        yield Attack(
            f"{path}: {what}",
            f"{what} in {path} passes for a change without effect",
            lambda folder, path=path, before=before, after=after: _judge(  # type: ignore[misc]
                view(folder, a_write(path, after, before=before), before, after), Hazard.RUNS_CODE
            ),
        )


def _crowds() -> Iterator[Attack]:
    for count in (1, 12, 60):
        for path in (".envrc", "AGENTS.md", "server.key"):
            yield Attack(
                f"{path} behind {count} large files",
                f"{path} is lost among {count} files with low hazards",
                lambda folder, path=path, count=count: _in_a_crowd(folder, path, count),  # type: ignore[misc]
            )


def _in_a_crowd(folder: Path, path: str, count: int) -> Outcome:
    blob = b"\0" * 64
    crowd = [view(folder, a_write(f"img/{n}.bin", blob, id=f"s{n}"), blob) for n in range(count)]
    grave = view(folder, a_write(path, EVIL, id="grave"), EVIL)
    groups = attention([*crowd, grave])
    is_first = groups[0].views == (grave,)
    is_whole = {each.operation.id for group in groups for each in group.views} == {
        *(f"s{n}" for n in range(count)),
        "grave",
    }
    return Outcome.FLAGGED if is_first and is_whole and len(groups) == 2 else Outcome.BROKEN


def _moved_manifests() -> Iterator[Attack]:
    package = b'{"scripts": {"postinstall": "x"}}'
    yield Attack(
        "package.json by a move",
        "a manifest is moved into place with its scripts",
        lambda folder: _judge(view(folder, a_move("template.txt", "package.json", package), package), Hazard.RUNS_CODE),
    )


ATTACKS = [*_names(), *_changes(), *_hidden_keys(), *_crowds(), *_moved_manifests()]
