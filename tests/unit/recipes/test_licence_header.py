from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BadInputError
from tests.support.recipes import lay_out, outcome_of, written

MIT = "SPDX-FileCopyrightText: 2026 Jane Doe\n{0}SPDX-License-Identifier: MIT\n"
COMMAND = '/licence-header MIT --holder "Jane Doe"'


def headed(tmp_path: Path, name: str, before: str | bytes, command: str = COMMAND) -> bytes:
    lay_out(tmp_path, {name: before})
    return written(outcome_of(tmp_path, command))[name]


@pytest.mark.parametrize(
    ("name", "first", "mark"),
    [
        ("a.py", "", "# "),
        ("b.py", "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n", "# "),
        ("c.sh", "#!/bin/sh\n", "# "),
        ("d.js", "#!/usr/bin/env node\n", "// "),
        ("e.rs", "", "// "),
        ("f.php", "<?php\n", "// "),
        ("g.sql", "", "-- "),
        ("h.bat", "@echo off\n", "REM "),
        ("Dockerfile", "# syntax=docker/dockerfile:1\n", "# "),
    ],
)
def test_the_header_stands_at_the_top_after_what_must_stay_first(
    tmp_path: Path, name: str, first: str, mark: str
) -> None:
    after = headed(tmp_path, name, f"{first}code\n").decode()
    assert after == first + mark + MIT.format(mark) + "\ncode\n"


def test_markup_and_style_sheets_are_headed_in_their_own_comments(tmp_path: Path) -> None:
    xml = headed(tmp_path, "a.xml", '<?xml version="1.0"?>\n<a/>\n', f"{COMMAND} --in *.xml").decode()
    assert xml == f'<?xml version="1.0"?>\n<!--\n{MIT.format("")}-->\n\n<a/>\n'
    css = headed(tmp_path, "a.css", '@charset "utf-8";\na {}\n').decode()
    assert css == f'@charset "utf-8";\n/*\n * {MIT.format(" * ")} */\n\na {{}}\n'


def test_data_files_get_a_header_only_when_they_are_named(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.yaml": "a: 1\n", "b.json": "{}", "README.md": "# x\n", "c.py": "x\n"})
    assert set(written(outcome_of(tmp_path, COMMAND))) == {"c.py"}
    assert set(written(outcome_of(tmp_path, f"{COMMAND} --in *.yaml"))) == {"a.yaml"}


def test_line_endings_and_the_byte_order_mark_stay(tmp_path: Path) -> None:
    after = headed(tmp_path, "a.py", b"\xef\xbb\xbfx = 1\r\n", "/licence-header MIT")
    assert after == b"\xef\xbb\xbf# SPDX-License-Identifier: MIT\r\n\r\nx = 1\r\n"


def test_a_second_time_there_is_nothing_to_do(tmp_path: Path) -> None:
    after = headed(tmp_path, "a.py", "#!/bin/python\nx = 1\n")
    lay_out(tmp_path, {"a.py": after})
    outcome = outcome_of(tmp_path, COMMAND)
    assert outcome.edits == ()
    assert "1 file had it already" in outcome.summary


@pytest.mark.parametrize(("years", "expected"), [("2019", "2019-2026"), ("2019-2024", "2019-2026")])
def test_an_older_year_is_brought_up_to_date(tmp_path: Path, years: str, expected: str) -> None:
    before = "# " + MIT.format("# ").replace("2026", years) + "\nx = 2019\n"
    assert headed(tmp_path, "a.py", before).decode() == before.replace(years, expected, 1)


@pytest.mark.parametrize(
    "line",
    [
        "# SPDX-License-Identifier: GPL-3.0-only",
        "# Copyright (c) 2020 A",
        "# Copyright(c) 2009-2013 B",
        "# MIT Licensed",
    ],
)
def test_a_file_with_another_licence_is_named_and_left(tmp_path: Path, line: str) -> None:
    lay_out(tmp_path, {"a.py": f"{line}\nx\n"})
    outcome = outcome_of(tmp_path, COMMAND)
    assert outcome.edits == ()
    assert "another licence or copyright line: a.py" in outcome.summary


def test_empty_files_are_left(tmp_path: Path) -> None:
    lay_out(tmp_path, {"__init__.py": "", "a.py": "x\n"})
    assert set(written(outcome_of(tmp_path, COMMAND))) == {"a.py"}


def test_a_file_of_the_workspace_gives_the_words(tmp_path: Path) -> None:
    lay_out(tmp_path, {"HEADER.txt": "Copyright {{year}} {{holder}}.\n\nAll of {{year}}.\n", "a.c": "int a;\n"})
    outcome = outcome_of(tmp_path, "/licence-header HEADER.txt --holder Me --year 2020")
    assert written(outcome) == {"a.c": b"// Copyright 2020 Me.\n//\n// All of 2020.\n\nint a;\n"}
    lay_out(tmp_path, written(outcome))
    assert b"Copyright 2020-2026 Me" in written(outcome_of(tmp_path, "/licence-header HEADER.txt --holder Me"))["a.c"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("NOT-A-LICENCE", "neither a file of the workspace nor an SPDX"),
        ("../HEADER", "neither a file"),
        ("MIT --year soon", "'soon' is not a year"),
        ("HEADER.txt", "has a place for {{holder}}"),
        ('MIT --holder ""', "--holder is empty"),
    ],
)
def test_a_header_nobody_knows_is_refused(tmp_path: Path, text: str, said: str) -> None:
    lay_out(tmp_path, {"HEADER.txt": "Copyright {{holder}}\n"})
    with pytest.raises(BadInputError, match=said):
        outcome_of(tmp_path, f"/licence-header {text}")
