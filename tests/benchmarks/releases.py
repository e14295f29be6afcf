"""Pairs of neighbouring releases of well-known packages, downloaded once into a folder outside the repository."""

import json
import os
import re
import tarfile
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

PYPI = """
flask werkzeug jinja2 click itsdangerous requests urllib3 httpx starlette fastapi pydantic attrs rich textual
pytest pluggy tox virtualenv packaging setuptools wheel pip black isort flake8 mypy sqlalchemy alembic celery
kombu redis aiohttp yarl multidict anyio trio tornado bottle marshmallow arrow pendulum tqdm loguru structlog
typer hypothesis networkx sympy docutils markdown
"""
NPM = """
express koa fastify axios lodash chalk commander yargs debug uuid react react-dom preact vue svelte redux
zustand immer rxjs zod yup ajv joi dayjs moment date-fns semver minimist glob rimraf mkdirp ws socket.io
mongoose knex pino winston dotenv eslint prettier mocha chai sinon nock webpack rollup esbuild acorn marked
highlight.js
"""
_STABLE = re.compile(r"\d+(?:\.\d+)+")
_LARGEST = 12 * 1024 * 1024


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
    made = 0
    for names in zip(PYPI.split(), NPM.split(), strict=True):
        for registry, name in zip(("pypi", "npm"), names, strict=True):
            if made >= count:
                return
            found = _release(registry, name)
            if found is not None:
                made += 1
                yield found


def _release(registry: str, name: str) -> Release | None:
    folder = cache() / registry / name
    done = folder / "pair.json"
    if not done.is_file():
        try:
            pair = (_newest_of_pypi if registry == "pypi" else _newest_of_npm)(name)
            for version, address in pair:
                _unpack(_read(address), folder / version)
        except (OSError, ValueError, tarfile.TarError) as failure:
            print(f"  {name} is left out: {failure}", flush=True)
            return None
        done.write_text(json.dumps([version for version, _ in pair]), encoding="utf-8")
    old, new = json.loads(done.read_text(encoding="utf-8"))
    return Release(f"{name} {old} → {new}", folder / old, folder / new)


def _newest_of_pypi(name: str) -> list[tuple[str, str]]:
    page = _read(f"https://pypi.org/simple/{name}/").decode()
    found: dict[str, str] = {}
    for address in re.findall(r'href="([^"#]+\.tar\.gz)', page):
        archive = unquote(address.rpartition("/")[2]).removesuffix(".tar.gz")
        version = archive.rpartition("-")[2]
        if _STABLE.fullmatch(version):
            found[version] = address
    return _last_two(found)


def _newest_of_npm(name: str) -> list[tuple[str, str]]:
    versions = json.loads(_read(f"https://registry.npmjs.org/{name}"))["versions"]
    return _last_two({each: told["dist"]["tarball"] for each, told in versions.items() if _STABLE.fullmatch(each)})


def _last_two(found: dict[str, str]) -> list[tuple[str, str]]:
    ordered = sorted(found.items(), key=lambda each: [int(number) for number in each[0].split(".")])
    if len(ordered) < 2:
        raise ValueError("there are no two releases of it")
    return ordered[-2:]


def _read(address: str) -> bytes:
    if not address.startswith("https://"):
        raise ValueError(f"{address} is no address of a registry")
    with urllib.request.urlopen(address, timeout=120) as answer:
        data: bytes = answer.read(_LARGEST + 1)
    if len(data) > _LARGEST and not address.endswith("/"):
        raise ValueError("it is too large")
    return data


def _unpack(data: bytes, to: Path) -> None:
    """The project itself, without the folder around it."""
    import io

    to.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for member in archive.getmembers():
            inside = member.name.partition("/")[2]
            if inside and member.isfile():
                member.name = inside
                archive.extract(member, to, filter="data")
