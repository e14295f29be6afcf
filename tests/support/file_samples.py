"""Files that are shown as something else than lines, before and after, for tests and pictures."""

import json
from typing import Any

from tests.unit.diff.lock_samples import npm, npm_package

_KEPT = {f"kept-{letter}": npm_package(f"kept-{letter}", "4.1.0", letter) for letter in "abcd"}
LOCK_BEFORE = npm(
    **_KEPT,
    chalk=npm_package("chalk", "4.1.2", "e", dependencies={"ansi-styles": "^4.1.0"}, engines={"node": ">=10"}),
    express=npm_package("express", "4.18.2", "f", dependencies={"qs": "6.11.0", "send": "0.18.0"}),
    inflight=npm_package("inflight", "1.0.6", "g"),
    lodash=npm_package("lodash", "4.17.20", "h"),
    semver=npm_package("semver", "7.5.0", "i"),
)
LOCK_AFTER = npm(
    **_KEPT,
    chalk=npm_package("chalk", "5.3.0", "j", engines={"node": "^12.17.0 || ^14.13 || >=16.0.0"}),
    esbuild=npm_package("esbuild", "0.21.5", "k", hasInstallScript=True, license="MIT"),
    express=npm_package("express", "4.19.2", "l", dependencies={"qs": "6.11.2", "send": "0.18.0"}),
    lodash=npm_package("lodash", "4.17.20", "m"),
    semver=npm_package("semver", "7.6.0", "n") | {"resolved": "https://npm.example.net/semver/-/semver-7.6.0.tgz"},
).replace(b'"name": "site",\n  "lock', b'"name": "shop",\n  "lock')

_PEOPLE = ["id,name,city,joined,amount", *(f"{n},Person {n},Bern,2024-0{n}-01,{n}00.00" for n in range(1, 10))]
CSV_BEFORE = ("\n".join(_PEOPLE) + "\n").encode()
CSV_AFTER = (
    CSV_BEFORE.replace(b"2,Person 2,Bern", b"2,Person 2,Basel")
    .replace(b"7,Person 7,Bern,2024-07-01,700.00\n", b"")
    .replace(b"9,Person 9", b'8a,"Person, new",Genf,2024-08-15,850.00\n9,Person 9')
)


def a_picture(color: str, spot: str = "", size: int = 160) -> bytes:
    """A PNG with a circle, and a spot on it; transparent around."""
    from PySide6.QtCore import QBuffer, QIODevice
    from PySide6.QtGui import QColor, QImage, QPainter

    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.setBrush(QColor(color))
    painter.drawEllipse(10, 10, size - 20, size - 20)
    if spot:
        painter.fillRect(size // 2, size // 2, 24, 16, QColor(spot))
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # its stub wants bytes
    return bytes(buffer.data().data())


def a_drawing(color: str) -> bytes:
    line = '<path d="M20 100 L100 20" stroke="black" stroke-width="6"/>'
    shape = f'<circle cx="60" cy="60" r="50" fill="{color}"/>\n  {line}'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="120" height="120">\n  {shape}\n</svg>\n'.encode()


def a_notebook(*cells: dict[str, Any]) -> bytes:
    return (json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n").encode()


def a_cell(name: str, source: str, count: int | None = 1, output: str = "", **metadata: Any) -> dict[str, Any]:
    """A code cell that printed something."""
    outputs = [{"name": "stdout", "output_type": "stream", "text": [output]}] if output else []
    own = {"id": name, "metadata": metadata, "source": source.splitlines(keepends=True)}
    return {"cell_type": "code", "execution_count": count, "outputs": outputs, **own}


NOTEBOOK_BEFORE = a_notebook(
    a_cell("a", "import pandas as pd\nframe = pd.read_csv('people.csv')"),
    a_cell("b", "frame.amount.sum()", 2, "4500.0\n"),
    a_cell("c", "print('done')", 3, "done\n"),
)
NOTEBOOK_AFTER = a_notebook(
    a_cell("a", "import pandas as pd\nframe = pd.read_csv('data/people.csv')", 4),
    a_cell("b", "frame.amount.sum()", 5, "4650.0\n", tags=["total"]),
    a_cell("c2", "frame.city.value_counts()", None),
    a_cell("c", "print('done')", 6, "done\n"),
)

PICTURED = {
    "versions": ("package-lock.json", LOCK_BEFORE, LOCK_AFTER),
    "cells": ("report.ipynb", NOTEBOOK_BEFORE, NOTEBOOK_AFTER),
    "drawing": ("logo.svg", a_drawing("teal"), a_drawing("orange")),
    "table": ("data/people.csv", CSV_BEFORE, CSV_AFTER),
}
