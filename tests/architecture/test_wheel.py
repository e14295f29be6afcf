"""What is installed is what is in the tree: the wheel carries every module and every resource."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet"]
    command = [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("tandem_desktop-*.whl")
    return found


def contents_of(folder: Path, prefix: str) -> dict[str, bytes]:
    return {
        f"{prefix}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_wheel_carries_the_package_and_the_resources_byte_for_byte(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        carried = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
    expected = contents_of(ROOT / "tandem_desktop", "tandem_desktop")
    expected |= contents_of(ROOT / "resources", "tandem_desktop/_resources")
    expected["tandem_desktop/_resources/CHANGELOG.md"] = (ROOT / "CHANGELOG.md").read_bytes()
    assert carried == expected


def test_installed_package_finds_its_resources_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = "from tandem_desktop.storage.paths import resource; print(resource('sample/plan.json'))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert Path(found.stdout.strip()) == tmp_path / "tandem_desktop" / "_resources" / "sample" / "plan.json"
