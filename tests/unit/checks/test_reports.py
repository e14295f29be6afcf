"""Reports of other tools are read within bounds, and refused with a clause that says why."""

import json

import pytest

from tandem_desktop.checks import reports
from tandem_desktop.checks.reports import CheckReport, ReportError, read_report

ROOT = "/home/someone/project"


def read(form: str, text: str | bytes, cwd: str = ".") -> CheckReport:
    return read_report(form, text.encode() if isinstance(text, str) else text, ROOT, cwd)


def said(report: CheckReport) -> list[tuple[str, int, str, str]]:
    return [(each.path, each.line, each.severity, each.code) for each in report.diagnostics]


def test_junit_names_what_passed_and_what_failed_and_leaves_out_what_was_skipped() -> None:
    found = read(
        "junit",
        """<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="s">
        <testcase classname="t.m" name="good"/>
        <testcase classname="t.m" name="bad"><failure message="no">x</failure></testcase>
        <testcase classname="t.m" name="broken"><error/></testcase><testcase name="left"><skipped/></testcase>
        <testsuite><testcase name="inner"/></testsuite></testsuite></testsuites>""",
    )
    assert list(found.passed) == ["t.m::good", "inner"]
    assert list(found.failed) == ["t.m::bad", "t.m::broken"]


def test_of_a_test_that_is_named_twice_the_failure_counts() -> None:
    found = read("junit", '<testsuite><testcase name="a"><error/></testcase><testcase name="a"/></testsuite>')
    assert (list(found.passed), list(found.failed)) == ([], ["a"])


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE x [<!ENTITY a "b">]><testsuite><testcase name="&a;"/></testsuite>',
        '<?xml version="1.0" encoding="utf-7"?><testsuite/>',
        '<testsuite><testcase name="a"/></testsuite>'.encode("utf-16"),
        "<testsuite><testcase",
        "<html/>",
        "",
    ],
)
def test_xml_that_is_unsafe_or_invalid_is_refused(text: str | bytes) -> None:
    with pytest.raises(ReportError):
        read("junit", text)


def test_a_report_with_too_many_elements_is_refused_before_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "_MOST_ELEMENTS", 5)
    with pytest.raises(ReportError, match="elements"):
        read("junit", "<testsuite>" + "<a/>" * 9 + "</testsuite>")


def test_a_report_with_too_many_bytes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_REPORT_BYTES", 5)
    with pytest.raises(ReportError, match="bytes"):
        read("tap", "ok 1 - a\n")


def test_tap_is_read_with_its_directives() -> None:
    found = read(
        "tap",
        "TAP version 13\n1..5\nok 1 - plain # time=3ms\nnot ok 2 - broken\n  ---\n  ok: yes\n  ...\n"
        "ok 3 - left # SKIP no time\nnot ok 4 - later # TODO\n    ok 1 - inner\nok 5\nokay, done\n",
    )
    assert list(found.failed) == ["broken"]
    assert list(found.passed) == ["plain", "later", "inner", "test 6"]


def test_tap_that_gives_up_is_no_result() -> None:
    with pytest.raises(ReportError, match="gave up: no database"):
        read("tap", "ok 1 - a\nBail out! no database\n")


def test_output_without_tap_counts_no_tests() -> None:
    assert not read("tap", "all is well\n").counts_tests


def test_sarif_is_read_and_another_version_refused() -> None:
    result = {
        "ruleId": "R1",
        "level": "error",
        "message": {"text": "bad"},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": f"file://{ROOT}/a%20b.c"}, "region": {"startLine": 4}}}
        ],
    }
    passing = {"kind": "pass", "message": {"text": "fine"}}
    document = {"version": "2.1.0", "runs": [{"results": [result, passing]}]}
    assert said(read("sarif", json.dumps(document))) == [("a b.c", 4, "error", "R1")]
    with pytest.raises(ReportError, match=r"SARIF 1\.0"):
        read("sarif", json.dumps({**document, "version": "1.0"}))


def test_the_json_of_ruff_pyright_and_eslint_is_read() -> None:
    ruff = [{"code": "F401", "filename": f"{ROOT}/a.py", "location": {"row": 3, "column": 1}, "message": "unused"}]
    assert said(read("ruff", json.dumps(ruff))) == [("a.py", 3, "error", "F401")]
    pyright = {
        "generalDiagnostics": [
            {
                "file": f"{ROOT}/a.py",
                "severity": "warning",
                "message": "x",
                "rule": "r",
                "range": {"start": {"line": 0}},
            }
        ]
    }
    assert said(read("pyright", "No configuration file found.\n" + json.dumps(pyright))) == [
        ("a.py", 1, "warning", "r")
    ]
    eslint = [{"filePath": f"{ROOT}/a.js", "messages": [{"ruleId": None, "severity": 2, "message": "m", "line": 2}]}]
    assert said(read("eslint", json.dumps(eslint))) == [("a.js", 2, "error", "")]


def test_mypy_is_read_as_json_and_as_text_without_its_notes() -> None:
    line = {
        "file": "a.py",
        "line": 2,
        "column": 0,
        "message": "m",
        "hint": None,
        "code": "arg-type",
        "severity": "error",
    }
    note = {**line, "severity": "note"}
    assert said(read("mypy", f"{json.dumps(line)}\n{json.dumps(note)}\n")) == [("a.py", 2, "error", "arg-type")]
    text = "a.py:3: error: no  [misc]\na.py:3:5: note: see\nFound 1 error in 1 file\n"
    assert said(read("mypy", text, cwd="sub")) == [("sub/a.py", 3, "error", "misc")]


def test_the_text_of_tsc_and_go_vet_is_read() -> None:
    assert said(read("tsc", "src/a.ts(3,5): error TS2322: no\nerror TS18003: none\n")) == [
        ("src/a.ts", 3, "error", "TS2322"),
        ("", 0, "error", "TS18003"),
    ]
    assert said(read("govet", "# pkg\n./x.go:7:2: bad verb\nvet: y.go:1:1: no\n")) == [
        ("x.go", 7, "error", "vet"),
        ("y.go", 1, "error", "vet"),
    ]


def test_cargo_and_its_tests_are_read() -> None:
    message = {"level": "warning", "message": "unused", "code": {"code": "dead_code"}}
    span = {"file_name": "src/lib.rs", "line_start": 9, "is_primary": True}
    lines = [
        {"reason": "compiler-message", "message": {**message, "spans": [span]}},
        {"reason": "compiler-message", "message": {"level": "warning", "message": "1 warning emitted", "spans": []}},
        {"reason": "build-finished"},
    ]
    assert said(read("cargo", "\n".join(map(json.dumps, lines)))) == [("src/lib.rs", 9, "warning", "dead_code")]
    found = read("libtest", "running 3 tests\ntest a::b ... ok\ntest c ... FAILED\ntest d ... ignored\n")
    assert (list(found.passed), list(found.failed)) == (["a::b"], ["c"])


def test_go_test_names_a_package_that_does_not_build() -> None:
    lines = [
        {"Action": "pass", "Package": "p", "Test": "TestA"},
        {"Action": "fail", "Package": "p", "Test": "TestB"},
        {"Action": "pass", "Package": "p"},
        {"Action": "fail", "Package": "q"},
    ]
    found = read("gotest", "\n".join(map(json.dumps, lines)))
    assert (list(found.passed), list(found.failed)) == (["p.TestA"], ["p.TestB", "q"])


@pytest.mark.parametrize("form", ["sarif", "ruff", "pyright", "eslint"])
@pytest.mark.parametrize("text", ["{", "[", "[1]", '{"a": 1}', "nothing at all", "[" * 100_000, "\xff"])
def test_what_is_no_such_report_is_refused(form: str, text: str) -> None:
    with pytest.raises(ReportError):
        read(form, text)


def test_more_messages_than_are_kept_are_cut_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_DIAGNOSTICS", 2)
    found = read("govet", "a.go:1: x\n" * 3)
    assert (len(found.diagnostics), found.is_cut) == (2, True)


def test_a_line_number_that_is_none_stands_for_the_whole_file() -> None:
    found = read("ruff", json.dumps([{"code": None, "filename": "a", "location": {"row": -4}, "message": "m"}]))
    assert said(found) == [("a", 0, "error", "syntax")]


def test_the_report_of_a_failure_names_its_own_file_and_those_of_its_traceback() -> None:
    failure = (
        f"{ROOT}/src/app.py:12: ValueError\n  File &quot;lib/more.py&quot;, line 3, in f\n/usr/lib/x.py:4: y 12:30:01"
    )
    found = read(
        "junit",
        f'<testsuite><testcase classname="tests.test_a.TestB" name="c"><failure>{failure}</failure></testcase>'
        '<testcase classname="x y" file="spec/d.js" name="d"><error/></testcase><testcase name="fine"/></testsuite>',
    )
    assert found.places == {
        "tests.test_a.TestB::c": (
            *("tests/test_a/TestB.py", "tests/test_a.py", "tests.py"),
            *("src/app.py", "lib/more.py"),
        ),
        "x y::d": ("spec/d.js",),
    }


def test_tap_and_libtest_name_the_files_of_a_failure_too() -> None:
    tap = f"not ok 1 - adds\n  ---\n  location: '{ROOT}/test/sum.test.js:3:1'\n  ...\nok 2 - other\n  at x.js:1\n"
    assert read("tap", tap).places == {"adds": ("test/sum.test.js",)}
    rust = "test a::b ... FAILED\n\n---- a::b stdout ----\nthread 'a::b' panicked at src/lib.rs:9:5:\nno\n"
    assert read("libtest", rust).places == {"a::b": ("src/lib.rs",)}


def test_a_long_word_in_a_failure_is_read_in_one_go() -> None:
    found = read("junit", f'<testsuite><testcase name="a"><failure>{"a/" * 500_000}</failure></testcase></testsuite>')
    assert found.places == {}


def test_jest_names_each_test_with_its_file_and_a_file_that_cannot_run_fails_as_a_whole() -> None:
    cases = [
        {"fullName": "adds", "title": "adds", "status": "failed", "failureMessages": [f"at ({ROOT}/src/sum.js:2:3)"]},
        {"title": "keeps", "status": "passed", "failureMessages": []},
        {"fullName": "later", "title": "later", "status": "pending"},
    ]
    files = [
        {"name": f"{ROOT}/test/sum.test.js", "status": "failed", "assertionResults": cases},
        {"name": f"{ROOT}/test/bad.test.js", "status": "failed", "assertionResults": [], "message": "src/x.ts:1 no"},
    ]
    found = read("jest", "a banner\n" + json.dumps({"testResults": files}))
    assert list(found.passed) == ["test/sum.test.js: keeps"]
    assert found.places == {
        "test/sum.test.js: adds": ("test/sum.test.js", "src/sum.js"),
        "test/bad.test.js": ("test/bad.test.js", "src/x.ts"),
    }
    assert list(found.failed) == list(found.places)


def test_tests_of_two_crates_that_are_named_alike_are_two() -> None:
    one = "     Running unittests src/lib.rs (target/debug/deps/one-0a1b2c)\n\nrunning 1 test\ntest t::a ... ok\n"
    two = "     Running tests/it.rs (target/debug/deps/two_it-9f8e)\n\nrunning 1 test\ntest t::a ... FAILED\n"
    found = read(
        "libtest", f"   Compiling one v0.1.0\n{one}{two}   Doc-tests one\ntest src/lib.rs - f (line 1) ... ok\n"
    )
    assert (list(found.passed), list(found.failed)) == (["one::t::a", "one::src/lib.rs - f (line 1)"], ["two_it::t::a"])
