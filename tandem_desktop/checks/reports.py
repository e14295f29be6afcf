"""Reads the reports of test runners, type checkers and linters. Every reader is bounded, and says why it refuses."""

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from tandem_desktop.checks.evidence import Diagnostic, Severity

if TYPE_CHECKING:
    from junitparser import TestCase

MOST_REPORT_BYTES = 32 * 1024 * 1024
MOST_CASES = 200_000
MOST_DIAGNOSTICS = 5_000
_MOST_ELEMENTS = 1_000_000
_LONGEST_NAME = 500
_LONGEST_MESSAGE = 2_000
_MOST_LINE = 10_000_000
_MOST_PLACED = 2_000
"""Failed tests of which it is kept which files their report names."""
_MOST_PLACES = 20
_MOST_SEARCHED = 20_000


class ReportError(Exception):
    """A report cannot be read; the text is a clause."""


@dataclass(slots=True)
class CheckReport:
    """What a report says. Of a test that is named twice the worse result counts."""

    passed: dict[str, None] = field(default_factory=dict)
    failed: dict[str, None] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    places: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For each failed test the files that the report names."""
    counts_tests: bool = False
    is_cut: bool = False
    """There was more than is kept."""

    def add_case(self, name: str, *, passed: bool, places: Iterable[str] = ()) -> None:
        if len(self.passed) + len(self.failed) >= MOST_CASES:
            raise ReportError(f"its report names more than {MOST_CASES:,} tests")
        name = _clean(name, _LONGEST_NAME)
        self.counts_tests = True
        if passed:
            if name not in self.failed:
                self.passed[name] = None
        else:
            self.passed.pop(name, None)
            self.failed[name] = None
            self.add_places(name, places)

    def add_places(self, name: str, places: Iterable[str]) -> None:
        """Files that the report of a failed test names."""
        name = _clean(name, _LONGEST_NAME)
        known = dict.fromkeys((*self.places.get(name, ()), *places))
        if known and len(self.places) < _MOST_PLACED:
            self.places[name] = tuple(known)[:_MOST_PLACES]

    def add(self, path: str, line: Any, severity: str, code: Any, message: Any) -> None:
        if len(self.diagnostics) >= MOST_DIAGNOSTICS:
            self.is_cut = True
            return
        number = line if isinstance(line, int) and not isinstance(line, bool) and 0 < line < _MOST_LINE else 0
        self.diagnostics.append(
            Diagnostic(
                path=path,
                line=number,
                severity=_severity(severity),
                code=_clean(code if isinstance(code, str) else "", _LONGEST_NAME),
                message=_clean(message if isinstance(message, str) else "", _LONGEST_MESSAGE),
            )
        )


def read_report(form: str, data: bytes, workspace: str, cwd: str = ".") -> CheckReport:
    """What `data` says, in the format `form`; paths relative to the workspace.

    Raises:
        ReportError: it is not that format, too large, or not safe to read.
    """
    if len(data) > MOST_REPORT_BYTES:
        raise ReportError(f"its report has more than {MOST_REPORT_BYTES:,} bytes")
    report = CheckReport()
    try:
        _READERS[form](data, report, _Paths(workspace, cwd))
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else "it is not in that format"
        raise ReportError(f"its report cannot be read as {form}: {reason}") from error
    return report


_NAMED = re.compile(r"""File "(?P<quoted>[^"\n]{1,300})", line \d|(?<![\w@+./-])(?P<bare>[\w@+./-]++):\d""")
"""A file with a line, as tracebacks and compilers name it; read in one go, however long a word is."""


class _Paths:
    """Makes the paths of a report relative to the workspace."""

    def __init__(self, workspace: str, cwd: str) -> None:
        self._workspace = workspace.rstrip("/")
        self._cwd = cwd

    def __call__(self, path: Any) -> str:
        if not isinstance(path, str):
            raise ReportError("its report names a file that is no text")
        if path.startswith("file:"):
            path = unquote(urlsplit(path).path)
        if path.startswith(f"{self._workspace}/"):
            return _clean(path[len(self._workspace) + 1 :], _LONGEST_MESSAGE)
        if path.startswith("/"):
            return _clean(path, _LONGEST_MESSAGE)
        return _clean(str(PurePosixPath(self._cwd, path)), _LONGEST_MESSAGE)

    def named_in(self, text: str) -> Iterator[str]:
        """The files of the workspace that the end of a text names with a line, as a traceback does."""
        for match in _NAMED.finditer(text[-_MOST_SEARCHED:]):
            path = self(match["quoted"] or match["bare"])
            if PurePosixPath(path).suffix and not path.startswith(("/", "..")):
                yield path


def _clean(text: str, most: int) -> str:
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _severity(text: str) -> Severity:
    text = text.lower()
    if text in ("error", "fatal", "failure-note", "error: internal compiler error"):
        return "error"
    return "warning" if text in ("warning", "warn") else "note"


def _lines(data: bytes) -> Iterator[str]:
    return (line.rstrip("\r\n") for line in io.TextIOWrapper(io.BytesIO(data), "utf-8", "replace", newline="\n"))


def _json(data: bytes) -> Any:
    return json.loads(data.decode("utf-8", "replace"))


def _json_after_noise(data: bytes, opening: bytes) -> Any:
    """The JSON document of an output that may begin with other lines, such as a banner of npx."""
    at = 0 if data.lstrip()[:1] == opening else data.find(b"\n" + opening) + 1
    if not at and data.lstrip()[:1] != opening:
        raise ReportError("it printed no report")
    found, _ = json.JSONDecoder().raw_decode(data[at:].decode("utf-8", "replace").lstrip())
    return found


def _json_lines(data: bytes) -> Iterator[dict[str, Any]]:
    for line in _lines(data):
        if line.startswith("{"):
            try:
                found = json.loads(line)
            except ValueError:
                continue
            if isinstance(found, dict):
                yield found


def _nothing(data: bytes, report: CheckReport, place: _Paths) -> None:
    """Only the exit code counts."""


_DECLARED = re.compile(rb"""\A\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']""")
_SAFE_ENCODINGS = (b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"latin-1")


_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*){0,20}")


def _junit(data: bytes, report: CheckReport, place: _Paths) -> None:
    from junitparser import Error, Failure, JUnitXml, JUnitXmlError, Skipped  # slow to load

    data = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if data[:1] not in (b"<", b"\xff", b"\xfe"):
        raise ReportError("it left no report")
    declared = _DECLARED.match(data)
    if b"\0" in data or (declared and declared[1].lower() not in _SAFE_ENCODINGS):
        raise ReportError("its report is XML in an encoding that is not read here")
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ReportError("its report is XML with a document type, which is not read here")
    if data.count(b"<") > _MOST_ELEMENTS:
        raise ReportError(f"its report has more than {_MOST_ELEMENTS:,} elements")
    try:
        suites = JUnitXml.fromstring(data)  # safe: there is no entity and no document type in it
    except (SyntaxError, JUnitXmlError) as error:
        raise ReportError(f"its report is not valid JUnit XML ({_clean(str(error), 120)})") from None
    report.counts_tests = True
    for suite in suites:
        for case in suite:
            has_failed = any(isinstance(each, Failure | Error) for each in case.result)
            if has_failed or not any(isinstance(each, Skipped) for each in case.result):
                name = f"{case.classname}::{case.name}" if case.classname else f"{case.name}"
                report.add_case(name, passed=not has_failed, places=_case_places(case, place) if has_failed else ())


def _case_places(case: "TestCase", place: _Paths) -> Iterator[str]:
    """The files that the report of a failed test names: its own, by name or as a module, and those of its traceback."""
    if file := case._elem.get("file"):  # not in the model of the library
        yield place(file)
    if case.classname and _MODULE.fullmatch(case.classname):
        parts = case.classname.split(".")
        yield from (place("/".join(parts[:length]) + ".py") for length in range(len(parts), 0, -1))
    for result in case.result:
        yield from place.named_in(result.text or "")


_TAP = re.compile(r"^(?P<indent>\s*)(?P<not>not )?ok(?=\s|$)(?:\s+\d+)?(?:\s*-)?\s*(?P<name>.*)$")
_DIRECTIVE = re.compile(r"(?<!\\)#\s*(skip|todo)\b", re.IGNORECASE)
_TIME = re.compile(r"\s+#\s*time=.*$")
_BAIL_OUT = re.compile(r"^\s*Bail out!\s*(.*)$")


def _tap(data: bytes, report: CheckReport, place: _Paths) -> None:
    """Output without one result line is no TAP; then only the exit code counts."""
    number, failed = 0, ""
    for line in _lines(data):
        if bail := _BAIL_OUT.match(line):
            raise ReportError(f"it gave up: {_clean(bail[1] or 'no reason given', 200)}")
        match = _TAP.match(line)
        if match is None or (not match["name"] and not re.match(r"^\s*(not )?ok \d+\s*$", line)):
            if failed and line[:1] == " ":
                report.add_places(failed, place.named_in(line))
            continue
        number += 1
        name, directive = match["name"], _DIRECTIVE.search(match["name"])
        if directive:
            if directive[1].lower() == "skip":
                continue
            name = name[: directive.start()]
        name = _TIME.sub("", name).strip() or f"test {number}"
        passed = match["not"] is None or directive is not None
        failed = "" if passed else name
        report.add_case(name, passed=passed)


def _jest(data: bytes, report: CheckReport, place: _Paths) -> None:
    """The JSON of jest, and of vitest, which writes the same. A file that cannot be run fails as a whole."""
    report.counts_tests = True
    for file in _json_after_noise(data, b"{")["testResults"]:
        path = place(file["name"])
        cases = file["assertionResults"]
        for each in cases:
            if each["status"] in ("passed", "failed"):
                named = (named for text in each.get("failureMessages") or () for named in place.named_in(text))
                name = each.get("fullName") or each["title"]
                report.add_case(f"{path}: {name}", passed=each["status"] == "passed", places=(path, *named))
        if file["status"] == "failed" and not any(each["status"] == "failed" for each in cases):
            report.add_case(path, passed=False, places=(path, *place.named_in(file.get("message") or "")))


def _sarif(data: bytes, report: CheckReport, place: _Paths) -> None:
    found = _json(data)
    if not str(found["version"]).startswith("2.1"):
        raise ReportError(f"its report is SARIF {_clean(str(found['version']), 20)}; 2.1 is read here")
    for run in found["runs"]:
        for result in run.get("results") or ():
            locations = result.get("locations") or [{}]
            physical = locations[0].get("physicalLocation") or {}
            uri = (physical.get("artifactLocation") or {}).get("uri", "")
            line = (physical.get("region") or {}).get("startLine")
            message = result.get("message", {}).get("text", "")
            if result.get("kind", "fail") == "fail":
                report.add(
                    place(uri) if uri else "", line, result.get("level", "warning"), result.get("ruleId"), message
                )


def _ruff(data: bytes, report: CheckReport, place: _Paths) -> None:
    for each in _json_after_noise(data, b"["):
        code, location = each.get("code"), each.get("location") or {}
        severity = each.get("severity") or "error"
        report.add(place(each["filename"]), location.get("row"), severity, code or "syntax", each["message"])


def _pyright(data: bytes, report: CheckReport, place: _Paths) -> None:
    for each in _json_after_noise(data, b"{")["generalDiagnostics"]:
        line = (each.get("range") or {}).get("start", {}).get("line")
        number = line + 1 if isinstance(line, int) else 0
        message = " ".join(each["message"].split())  # it is indented by blanks that do not break
        report.add(place(each["file"]), number, each["severity"], each.get("rule"), message)


_MYPY = re.compile(r"^(?P<path>[^:\n]+):(?P<line>\d+)(?::\d+)*: (?P<severity>error|warning|note): (?P<message>.*)$")
_MYPY_CODE = re.compile(r"\s+\[([a-z0-9-]+)\]$")


def _mypy(data: bytes, report: CheckReport, place: _Paths) -> None:
    """A line of JSON for each message; text as versions before 1.11 print it."""
    for line in _lines(data):
        if line.startswith("{"):
            each = json.loads(line)
            if each["severity"] != "note":
                report.add(place(each["file"]), each["line"], each["severity"], each.get("code"), each["message"])
        elif (match := _MYPY.match(line)) and match["severity"] != "note":
            code = _MYPY_CODE.search(match["message"])
            message = match["message"][: code.start()] if code else match["message"]
            report.add(place(match["path"]), int(match["line"][:9]), match["severity"], code and code[1], message)


def _eslint(data: bytes, report: CheckReport, place: _Paths) -> None:
    for file in _json_after_noise(data, b"["):
        for each in file["messages"]:
            severity = "error" if each.get("fatal") or each["severity"] == 2 else "warning"
            report.add(place(file["filePath"]), each.get("line"), severity, each.get("ruleId"), each["message"])


_TSC = re.compile(
    r"^(?P<path>[^(\n]+)\((?P<line>\d+),\d+\): (?P<severity>error|warning) (?P<code>TS\d+): (?P<message>.*)$"
)
_TSC_BARE = re.compile(r"^(?P<severity>error|warning) (?P<code>TS\d+): (?P<message>.*)$")


def _tsc(data: bytes, report: CheckReport, place: _Paths) -> None:
    for line in _lines(data):
        if match := _TSC.match(line):
            number = int(match["line"][:9])
            report.add(place(match["path"]), number, match["severity"], match["code"], match["message"])
        elif match := _TSC_BARE.match(line):
            report.add("", 0, match["severity"], match["code"], match["message"])


def _cargo(data: bytes, report: CheckReport, place: _Paths) -> None:
    for each in _json_lines(data):
        if each.get("reason") != "compiler-message":
            continue
        message = each["message"]
        spans = message.get("spans") or ()
        primary = next((span for span in spans if span.get("is_primary")), None)
        if primary is None and message["level"] not in ("error", "warning"):
            continue
        if primary is None and re.match(r"(aborting due to|\d+ warnings? emitted)", message["message"]):
            continue
        path = place(primary["file_name"]) if primary else ""
        code = (message.get("code") or {}).get("code")
        report.add(path, primary and primary.get("line_start"), message["level"], code, message["message"])


_LIBTEST = re.compile(r"^test (?P<name>.+?)(?: - should panic)? \.\.\. (?P<result>ok|FAILED|ignored)")


_LIBTEST_PROGRAM = re.compile(r"^\s+(?:Running .*[/\\](?P<name>[^/\\]+)-[0-9a-f]+\)|Doc-tests (?P<documented>\S+))$")
"""What cargo says before each program of tests; two crates may name their tests alike."""
_LIBTEST_OUTPUT = re.compile(r"^---- (?P<name>.+?) stdout ----$")


def _libtest(data: bytes, report: CheckReport, place: _Paths) -> None:
    failed = program = ""
    for line in _lines(data):
        if running := _LIBTEST_PROGRAM.match(line):
            program, failed = f"{running['name'] or running['documented']}::", ""
        if output := _LIBTEST_OUTPUT.match(line):
            failed = f"{program}{output['name']}"
        elif failed in report.failed and failed:
            report.add_places(failed, place.named_in(line))
        if (match := _LIBTEST.match(line)) and match["result"] != "ignored":
            report.add_case(f"{program}{match['name']}", passed=match["result"] == "ok")


def _gotest(data: bytes, report: CheckReport, place: _Paths) -> None:
    for each in _json_lines(data):
        action, test = each.get("Action"), each.get("Test")
        if action not in ("pass", "fail") or (not test and action == "pass"):
            continue
        report.add_case(f"{each.get('Package', '')}.{test}" if test else f"{each['Package']}", passed=action == "pass")


_GOVET = re.compile(r"^(?:vet: )?(?P<path>[^:\s][^:\n]*\.go):(?P<line>\d+)(?::\d+)?: (?P<message>.*)$")


def _govet(data: bytes, report: CheckReport, place: _Paths) -> None:
    for line in _lines(data):
        if match := _GOVET.match(line):
            report.add(place(match["path"]), int(match["line"][:9]), "error", "vet", match["message"])


_READERS: Mapping[str, Callable[[bytes, CheckReport, _Paths], None]] = {
    "exit": _nothing,
    "junit": _junit,
    "tap": _tap,
    "jest": _jest,
    "sarif": _sarif,
    "ruff": _ruff,
    "pyright": _pyright,
    "mypy": _mypy,
    "eslint": _eslint,
    "tsc": _tsc,
    "cargo": _cargo,
    "libtest": _libtest,
    "gotest": _gotest,
    "govet": _govet,
}
