"""The recipe that adds or updates licence headers."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from tandem_desktop.domain.errors import BadInputError, OutsideWorkspaceError
from tandem_desktop.domain.operations import FileState
from tandem_desktop.domain.paths import check_path, shown
from tandem_desktop.recipes.recipe import (
    Changed,
    Left,
    Recipe,
    RecipeOutcome,
    change_texts,
    counted,
    read_words,
    summary,
)
from tandem_desktop.recipes.sources import EVERYTHING, BrowsableTree, SourceSelection, SourceText
from tandem_desktop.storage.paths import resource


@dataclass(frozen=True, slots=True)
class CommentStyle:
    """A mark before every line, or marks around all of them."""

    line: str = ""
    opening: str = ""
    middle: str = ""
    closing: str = ""
    first: re.Pattern[str] | None = None
    """Lines at the top, besides a shebang, that only work when nothing stands before them."""

    def comment(self, text: str) -> str:
        """`text` as a comment, ending in a new line."""
        lines = text.split("\n")
        if self.line:
            marked = [f"{self.line} {line}".rstrip() for line in lines]
        else:
            marked = [self.opening, *(f"{self.middle}{line}".rstrip() for line in lines), self.closing]
        return "".join(f"{line}\n" for line in marked)


def style_of(path: str) -> CommentStyle | None:
    """How the file at `path` writes a comment; None if it has no comments or is unknown."""
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    return _BY_SUFFIX.get(name.rpartition(".")[2].lower()) if "." in name.lstrip(".") else None


def is_code(path: str) -> bool:
    """Whether the file is a program, rather than data or markup that can hold a comment."""
    return path.rpartition(".")[2].lower() not in _DATA


def lines_that_stay_first(text: str, style: CommentStyle) -> int:
    """How many lines at the top of `text` have to stay there."""
    count = 0
    for line in text.split("\n")[:4]:
        is_shebang = count == 0 and line.startswith("#!") and not line.startswith("#![")
        if not is_shebang and not (style.first is not None and style.first.match(line)):
            break
        count += 1
    return count


_CODING = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
_HASH = CommentStyle("#")
_HASH_CODING = CommentStyle("#", first=_CODING)
_SLASHES = CommentStyle("//")
_MARKUP = CommentStyle(
    opening="<!--",
    closing="-->",
    first=re.compile(r"\s*<(?:\?xml|!doctype|\?xml-stylesheet)\b[^<]*>\s*$", re.IGNORECASE),
)
_DASHES = CommentStyle("--")
_SEMICOLONS = CommentStyle(";;")
_PERCENT = CommentStyle("%")

_BY_SUFFIX: dict[str, CommentStyle] = {
    **dict.fromkeys(("py", "pyi", "pyx", "pxd", "rb", "rake", "gemspec"), _HASH_CODING),
    **dict.fromkeys(
        ("sh", "bash", "zsh", "fish", "ksh", "pl", "pm", "r", "jl", "ex", "exs", "cmake", "mk", "nim", "tcl", "awk"),
        _HASH,
    ),
    **dict.fromkeys(("ps1", "psm1", "nix", "cr", "coffee", "tf", "yaml", "yml", "toml", "cfg", "conf"), _HASH),
    **dict.fromkeys(
        ("c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "cs", "d", "dart", "fs", "go", "groovy", "gradle", "java"),
        _SLASHES,
    ),
    **dict.fromkeys(
        ("js", "jsx", "mjs", "cjs", "kt", "kts", "m", "mm", "proto", "rs", "scala", "sol", "swift", "ts", "tsx"),
        _SLASHES,
    ),
    **dict.fromkeys(("mts", "cts", "v", "sv", "zig", "scss", "less"), _SLASHES),
    "css": CommentStyle(opening="/*", middle=" * ", closing=" */", first=re.compile(r"@charset\b")),
    "php": CommentStyle("//", first=re.compile(r"<\?php\s*$")),
    **dict.fromkeys(("html", "htm", "xhtml", "xml", "svg", "xsl", "xslt", "vue", "svelte"), _MARKUP),
    **dict.fromkeys(("sql", "lua", "hs", "elm", "adb", "ads", "vhd", "vhdl"), _DASHES),
    **dict.fromkeys(("lisp", "cl", "el", "clj", "cljs", "cljc", "scm", "rkt", "ss"), _SEMICOLONS),
    **dict.fromkeys(("tex", "sty", "cls", "erl", "hrl", "mat"), _PERCENT),
    **dict.fromkeys(("bat", "cmd"), CommentStyle("REM", first=re.compile(r"@echo off\b", re.IGNORECASE))),
    **dict.fromkeys(("ml", "mli"), CommentStyle(opening="(*", middle=" ", closing="*)")),
    **dict.fromkeys(("f90", "f95", "f03"), CommentStyle("!")),
    "vim": CommentStyle('"'),
}

_BY_NAME: dict[str, CommentStyle] = {
    "Dockerfile": CommentStyle("#", first=re.compile(r"#\s*(?:syntax|escape|check)\s*=")),
    **dict.fromkeys(
        ("Makefile", "GNUmakefile", "makefile", "CMakeLists.txt", "meson.build", "Rakefile", "Gemfile"), _HASH
    ),
    **dict.fromkeys(("Jenkinsfile",), _SLASHES),
}

_DATA = frozenset({"yaml", "yml", "toml", "cfg", "conf", "html", "htm", "xhtml", "xml", "svg", "xsl", "xslt"})


_YEARS = r"(?P<first>\d{4})(?:\s*[-–]\s*(?P<last>\d{4}))?"
_YEAR = r"\d{4}(?:\s*[-–]\s*\d{4})?"
_MARK = "\x00"
_SPDX_ID = re.compile(r"[A-Za-z0-9.+-]+")


@dataclass(frozen=True, slots=True)
class LicenceText:
    """A header with a place for the year, where it has one."""

    template: str
    """`\\x00` stands for the year."""

    def comment(self, style: CommentStyle, years: str) -> str:
        return style.comment(self.template).replace(_MARK, years)

    def find(self, text: str, style: CommentStyle) -> re.Match[str] | None:
        """The header where it stands in `text`, whatever its year."""
        first, *others = style.comment(self.template).rstrip("\n").split(_MARK)
        spelled = "".join(
            (re.escape(first), *((_YEARS if n == 0 else _YEAR) + re.escape(other) for n, other in enumerate(others)))
        )
        return re.search(rf"^{spelled}[ \t]*$", text, re.MULTILINE)


def licence_text(tree: BrowsableTree, source: str, holder: str | None, usage: str) -> LicenceText:
    """The header named by a file of the workspace or by an SPDX licence id.

    Raises:
        BadInputError: it is neither.
    """
    if _is_file(tree, source):
        return LicenceText(_from_file(tree, check_path(source), holder))
    known = {line.lower(): line for line in resource("licences/spdx-ids.txt").read_text("utf-8").split()}
    identifier = known.get(source.lower()) if _SPDX_ID.fullmatch(source) else None
    if identifier is None:
        raise BadInputError(
            f"{shown(source)!r} is neither a file of the workspace nor an SPDX licence id.",
            next=f"Write it as: {usage}",
        )
    owner = f"SPDX-FileCopyrightText: {_MARK} {holder}\n" if holder else ""
    return LicenceText(f"{owner}SPDX-License-Identifier: {identifier}")


def _is_file(tree: BrowsableTree, source: str) -> bool:
    try:
        return isinstance(tree.state(check_path(source)), FileState)
    except OutsideWorkspaceError:
        return False


def _from_file(tree: BrowsableTree, path: str, holder: str | None) -> str:
    source = SourceText.of(tree.read(path))
    text = "" if source is None else source.text.strip("\n")
    if not text.strip() or _MARK in text:
        raise BadInputError(
            f"{shown(path)} holds no text.", path=path, next="Name a text file with the header's words."
        )
    if "{{holder}}" in text and not holder:
        raise BadInputError(
            f"{shown(path)} has a place for {{{{holder}}}}, and none was named.", path=path, next="Add --holder NAME."
        )
    return text.replace("{{holder}}", holder or "").replace("{{year}}", _MARK)


USAGE = (
    "/licence-header FILE-or-SPDX-id [--holder NAME] [--year YEAR] [--in GLOB]   "
    'for example: /licence-header MIT --holder "Jane Doe"'
)
OTHER = "has another licence or copyright line"
EMPTY = "empty"
_HEAD_LINES = 40
_FOREIGN = re.compile(r"SPDX-License-Identifier:|\bcopyright\b|\blicen[sc]ed\b|@licen[sc]e\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LicenceHeader:
    """Every source file begins with the header, after what has to stay first."""

    source: str
    holder: str | None
    year: int
    selection: SourceSelection = EVERYTHING

    @classmethod
    def parse(cls, text: str, year: int) -> "LicenceHeader":
        words = read_words(text, USAGE, wanted=("FILE-or-SPDX-id",), valued=("--in", "--holder", "--year"))
        given = words.last("--year")
        if given is not None and not re.fullmatch(r"[12]\d{3}", given):
            raise BadInputError(f"{given!r} is not a year.", next=f"Write it as: {USAGE}")
        holder = words.last("--holder")
        if holder is not None and (not holder.strip() or not holder.isprintable()):
            raise BadInputError("The name after --holder is empty or cannot be printed.", next=f"Write it as: {USAGE}")
        return cls(
            words.arguments[0], holder, int(given) if given else year, SourceSelection(words.options.get("--in", ()))
        )

    def run(self, tree: BrowsableTree) -> RecipeOutcome:
        header = licence_text(tree, self.source, self.holder, USAGE)
        left = Left()
        has_it: list[str] = []
        updated: list[str] = []

        def change(path: str, source: SourceText) -> Changed | None:
            style = style_of(path)
            if style is None or path == self.source or not (self.selection.patterns or is_code(path)):
                return None
            if not source.text.strip():
                left.add(EMPTY, path)
                return None
            head = "\n".join(source.text.split("\n")[:_HEAD_LINES])
            found = header.find(head, style)
            if found is None and _FOREIGN.search(head):
                left.add(OTHER, path)
                return None
            if found is None:
                return Changed(self._with_header(source.text, header, style), 1)
            text = self._up_to_date(source.text, found)
            (updated if text is not None else has_it).append(path)
            return None if text is None else Changed(text, 1)

        edits, _ = change_texts(tree, self.selection, left, change, "Licence header:")
        title = f"Licence header {shown(self.source, 60)}"
        new = len(edits) - len(updated)
        headline = f"{title}: added to {counted(new, 'file')}, year changed in {counted(len(updated), 'file')}."
        already = f"{counted(len(has_it), 'file')} had it already." if has_it else ""
        if not edits:
            headline = f"{title}: nothing to do."
        return RecipeOutcome(title, edits, summary(headline, left, already))

    def _with_header(self, text: str, header: LicenceText, style: CommentStyle) -> str:
        lines = text.split("\n")
        kept = lines_that_stay_first(text, style)
        before = "".join(f"{line}\n" for line in lines[:kept])
        after = "\n".join(lines[kept:])
        gap = "\n" if after.strip() and not after.startswith("\n") else ""
        return f"{before}{header.comment(style, str(self.year))}{gap}{after}"

    def _up_to_date(self, text: str, found: re.Match[str]) -> str | None:
        """The text with this year in the header; None when it says so already, or names no year."""
        groups = found.groupdict()
        first, last = groups.get("first"), groups.get("last")
        if first is None or int(last or first) >= self.year:
            return None
        start = found.start("first")
        end = found.end("last") if last else found.end("first")
        return f"{text[:start]}{first}-{self.year}{text[end:]}"


def recipe(clock: Callable[[], datetime]) -> Recipe:
    """The recipe, with a clock that knows this year."""
    return Recipe(
        name="licence-header",
        title="Licence header",
        description="Put a licence header at the top of source files, or bring its year up to date",
        hint="FILE-or-SPDX-id [--holder NAME] [--year YEAR] [--in GLOB]",
        example='/licence-header MIT --holder "Jane Doe"',
        parse=lambda text: LicenceHeader.parse(text, clock().year),
    )
