"""Pairs of neighbouring releases of well-known packages, downloaded once to a folder outside the repository."""

import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

PYPI = """
flask werkzeug jinja2 click itsdangerous requests urllib3 httpx starlette fastapi pydantic attrs rich textual
pytest pluggy tox virtualenv packaging setuptools wheel pip black babel flake8 tabulate pyparsing alembic celery
kombu redis aiohttp tomlkit multidict anyio trio tornado bottle marshmallow arrow platformdirs tqdm loguru structlog
typer mistune networkx sympy docutils markdown
"""
NPM = """
express koa fastify axios lodash chalk commander yargs debug uuid react react-dom preact vue svelte redux
zustand immer rxjs zod yup ajv joi dayjs moment date-fns semver minimist glob rimraf mkdirp ws socket.io
mongoose knex pino winston dotenv eslint prettier mocha chai sinon nock webpack rollup esbuild acorn marked
highlight.js
"""
_STABLE = re.compile(r"\d+(?:\.\d+)+")
_LARGEST = 12 * 1024 * 1024
_LIMIT_S = 180


@dataclass(frozen=True)
class Release:
    """Two neighbouring versions of a package, unpacked."""

    name: str
    old: Path
    new: Path


def cache() -> Path:
    """Where archives are kept: a folder of the person's cache."""
    base = os.environ.get("TANDEM_RELEASES") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "tandem-releases"


def releases(count: int) -> Iterator[Release]:
    """As many pairs as are wanted, of both registries in turn; what cannot be had is left out."""
    wanted = [each for names in zip(PYPI.split(), NPM.split(), strict=True) for each in zip(FETCH, names, strict=True)]
    made = 0
    with ThreadPoolExecutor(2) as pool:
        for at in range(0, len(wanted), 2):
            for found in pool.map(lambda each: _release(*each), wanted[at : at + 2]):
                if found is not None and made < count:
                    made += 1
                    yield found
            if made >= count:
                return


def _release(registry: str, name: str) -> Release | None:
    folder = cache() / registry / name
    done = folder / "pair.json"
    if not done.is_file():
        try:
            versions, fetch = FETCH[registry]
            pair = _last_two(versions(name))
            for version in pair:
                with tempfile.TemporaryDirectory(prefix="tandem-release-") as to:
                    fetch(name, version, to)
                    _unpack(next(Path(to).iterdir()), folder / version)
        except (OSError, ValueError, tarfile.TarError, subprocess.SubprocessError, StopIteration) as failure:
            print(f"  {name} is left out: {failure}", flush=True)
            return None
        done.write_text(json.dumps(pair), encoding="utf-8")
    old, new = json.loads(done.read_text(encoding="utf-8"))
    return Release(f"{name} {old} → {new}", folder / old, folder / new)


def _pypi_versions(name: str) -> list[str]:
    told = _run(sys.executable, "-m", "pip", "index", "versions", "--no-binary", ":all:", name)
    return re.split(r",\s*", told.partition("Available versions:")[2].split("\n")[0].strip())


def _from_pypi(name: str, version: str, to: str) -> None:
    _run(
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--no-binary",
        ":all:",
        "-d",
        to,
        f"{name}=={version}",
    )


def _npm_versions(name: str) -> list[str]:
    versions: list[str] = json.loads(_run("npm", "view", name, "versions", "--json"))
    return versions


def _from_npm(name: str, version: str, to: str) -> None:
    _run("npm", "pack", "--silent", "--pack-destination", to, f"{name}@{version}")


def _run(*command: str) -> str:
    """What it prints; a build that it started ends with it."""
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        told, _ = started.communicate(timeout=_LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        started.communicate()
        raise
    if started.returncode:
        raise ValueError(f"{' '.join(command[:4])} ended with {started.returncode}")
    return told.decode("utf-8", "replace")


FETCH = {"pypi": (_pypi_versions, _from_pypi), "npm": (_npm_versions, _from_npm)}


def _last_two(found: list[str]) -> list[str]:
    stable = sorted(
        {each for each in found if _STABLE.fullmatch(each)},
        key=lambda each: [int(number) for number in each.split(".")],
    )
    if len(stable) < 2:
        raise ValueError("there are no two releases of it")
    return stable[-2:]


def _unpack(packed: Path, to: Path) -> None:
    """The project itself, without the folder around it."""
    if packed.stat().st_size > _LARGEST:
        raise ValueError("it is too large")
    to.mkdir(parents=True, exist_ok=True)
    with tarfile.open(packed) as archive:
        for member in archive.getmembers():
            inside = member.name.partition("/")[2]
            if inside and member.isfile():
                member.name = inside
                archive.extract(member, to, filter="data")
