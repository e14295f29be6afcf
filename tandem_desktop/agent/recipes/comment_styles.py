"""How each kind of file writes a comment, and which of its first lines must stay first."""

import re
from dataclasses import dataclass


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
    """How the file at `path` writes a comment; None when it cannot, or nobody knows."""
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
