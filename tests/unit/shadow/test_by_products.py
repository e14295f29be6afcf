"""New files that git ignores stay in the shadow, are counted, and are no changes."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.plan import IgnoredFiles, IgnoredFolder
from tandem_desktop.shadow import by_products
from tandem_desktop.shadow.by_products import ByProducts, IncludeGlobs
from tandem_desktop.staging.hazards import acts_by_its_name
from tests.support.shadows import ShadowPlace

IGNORE = "node_modules/\n*.log\n!kept.log\n.env\nout/\nlocal/\n.vscode/\n.envrc\n"


def opened(place: ShadowPlace, ignore: str | None = IGNORE) -> None:
    """A shadow that folds, of a repository with these ignore rules; of a plain folder where there are none."""
    place.put("app.py", "x = 1\n")
    if ignore is not None:
        place.put(".gitignore", ignore)
        subprocess.run(["git", "init", "-q"], cwd=place.root, check=True)
    place.open()
    fold(place)


def fold(place: ShadowPlace) -> None:
    place.shadow.fold_by_products(acts_by_its_name)
    place.shadow.begin_turn()


def folders(place: ShadowPlace) -> dict[str, tuple[int, int]]:
    found = place.shadow.ignored()
    return {} if found is None else {each.path: (each.count, each.bytes) for each in found.folders}


def test_new_files_that_git_ignores_are_counted_and_are_no_changes(place):
    opened(place)
    place.agent("echo 'y' >> app.py; mkdir -p node_modules/a/b; for n in 1 2 3; do echo $n > node_modules/a/b/$n; done")
    place.agent("echo x > debug.log; echo x > kept.log; mkdir -p pkg/node_modules; echo xy > pkg/node_modules/z")
    assert set(place.changes()) == {"app.py", "kept.log"}
    assert folders(place) == {".": (1, 2), "node_modules": (3, 6), "pkg/node_modules": (1, 3)}
    assert place.shadow.ignored() == IgnoredFiles(
        count=5,
        bytes=11,
        folders=(
            IgnoredFolder(path=".", glob="*", count=1, bytes=2),
            IgnoredFolder(path="node_modules", glob="node_modules", count=3, bytes=6),
            IgnoredFolder(path="pkg/node_modules", glob="pkg/node_modules", count=1, bytes=3),
        ),
    )


def test_bytes_of_folded_files_are_not_stored(place):
    opened(place)
    place.agent("mkdir node_modules; echo unmistakable > node_modules/a")
    assert place.changes() == {}
    stored = [path.read_bytes() for path in (place.state / "objects").rglob("*") if path.is_file()]
    assert not any(b"unmistakable" in each for each in stored)


def test_folded_files_are_there_for_the_next_turn_and_after_a_restart(place):
    opened(place)
    place.agent("mkdir node_modules; echo 1 > node_modules/a")
    assert place.changes() == {}
    place.shadow.refresh()
    place.shadow.begin_turn()
    assert place.agent("cat node_modules/a") == "1\n"
    place.reopen()
    fold(place)
    place.shadow.refresh()
    assert place.agent("cat node_modules/a") == "1\n"
    assert (place.changes(), folders(place)) == ({}, {"node_modules": (1, 2)})
    assert not (place.root / "node_modules").exists()


def test_ignored_file_that_was_there_before_stays_a_change_when_it_is_changed_or_deleted(place):
    place.put(".env", "KEY=1\n")
    place.put("node_modules/a", "a\n")
    place.put("node_modules/b", "b\n")
    opened(place)
    place.agent("echo KEY=2 > .env; mkdir -p node_modules; echo 2 > node_modules/a; echo new > node_modules/c")
    if place.kind == "overlay":  # ignored files are not in a copy, so nothing can be deleted there
        place.agent("rm node_modules/b")
    expected = {".env", "node_modules/a"} | ({"node_modules/b"} if place.kind == "overlay" else set())
    assert {path for path in place.changes() if not (place.root / path).is_dir()} == expected
    assert folders(place) == {"node_modules": (1, 4)}


def test_tracked_file_that_is_missing_on_disk_stays_a_change_though_it_is_ignored(place):
    place.put("made.log", "tracked\n")
    place.put(".gitignore", "*.log\n")
    for words in (["init", "-q"], ["add", "-f", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=place.root, check=True)
    (place.root / "made.log").unlink()
    opened(place, None)
    place.agent("echo again > made.log; echo x > other.log")
    assert set(place.changes()) == {"made.log"}


def test_rules_are_those_of_the_real_workspace_and_not_of_an_ignore_file_the_agent_wrote(place):
    opened(place)
    place.agent(
        "echo '*' > .gitignore; mkdir secret; echo '*' > secret/.gitignore; echo x > secret/code.py; echo x > b.py"
    )
    assert {".gitignore", "secret/.gitignore", "secret/code.py", "b.py"} <= set(place.changes())
    assert folders(place) == {}


def test_nested_exclude_and_global_ignore_files_are_heeded(place, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    (tmp_path / "config" / "git").mkdir(parents=True)
    (tmp_path / "config" / "git" / "ignore").write_text("*.global\n")
    place.put("sub/.gitignore", "nested/\n")
    subprocess.run(["git", "init", "-q"], cwd=place.root, check=True)
    (place.root / ".git" / "info" / "exclude").write_text("excluded\n")
    opened(place, "")
    place.agent("mkdir -p sub/nested nested; touch sub/nested/a nested/a a.global excluded plain")
    assert {path for path in place.changes() if path != "nested"} == {"nested/a", "plain"}
    assert folders(place) == {".": (2, 0), "sub/nested": (1, 0)}


@pytest.mark.parametrize("path", [".vscode/tasks.json", ".envrc", "local/AGENTS.md", "local/deep/.husky/pre-commit"])
def test_path_that_runs_code_or_instructs_agents_is_never_folded(place, path):
    opened(place)
    place.agent(f"mkdir -p local $(dirname {path}); echo x > local/data; echo x > {path}")
    assert path in place.changes()
    assert folders(place) == {"local": (1, 2)}


def test_nothing_in_a_usual_folder_is_looked_at(place):
    opened(place)
    place.agent("mkdir -p node_modules/a; echo '{}' > node_modules/a/package.json; echo x > node_modules/a/AGENTS.md")
    assert place.changes() == {}
    assert folders(place) == {"node_modules": (2, 5)}


def test_file_where_an_ignored_folder_was_is_asked_about_anew(place):
    opened(place)
    place.agent("mkdir out; echo x > out/a")
    assert place.changes() == {}
    place.agent("rm -r out; echo x > out")
    assert set(place.changes()) == {"out"}


def test_new_folder_made_for_ignored_files_alone_is_no_change(place):
    opened(place)
    place.agent("mkdir -p deep/er full; echo x > deep/er/a.log; echo x > full/a.log; echo x > full/b; mkdir empty")
    assert set(place.changes()) == {"full", "full/b", "empty"}


def test_without_git_the_usual_folders_are_folded_and_others_are_not(place):
    place.put("rust/Cargo.toml", "[package]\n")
    opened(place, None)
    place.agent("mkdir -p node_modules pkg/__pycache__ rust/target target dist out")
    place.agent(
        "for f in node_modules pkg/__pycache__ rust/target target dist out; do echo x > $f/a; done; echo x > a.log"
    )
    assert {path for path in place.changes() if path.endswith(("/a", ".log"))} == {
        "target/a",
        "dist/a",
        "out/a",
        "a.log",
    }
    assert set(folders(place)) == {"node_modules", "pkg/__pycache__", "rust/target"}
    assert place.shadow.folding_warning == ""


def test_caches_are_folded_in_a_repository_that_ignores_nothing_too(place):
    (place.root / "pkg" / "__pycache__").mkdir(parents=True)
    opened(place, "")
    place.agent("mkdir .pytest_cache __pycache__ dist; echo '*' > .pytest_cache/.gitignore")
    place.agent("for f in __pycache__ pkg/__pycache__ dist; do echo x > $f/a; done")
    assert set(place.changes()) == {"dist", "dist/a"}
    assert {".pytest_cache", "__pycache__"} <= set(folders(place))


def test_included_files_are_changes_with_their_bytes(place):
    opened(place)
    place.agent(
        "mkdir -p node_modules/a node_modules/b; echo 1 > node_modules/a/x; echo 2 > node_modules/b/y; echo 3 > z.log"
    )
    assert place.changes() == {}
    place.shadow.include(["node_modules/a/"])
    assert "node_modules/a/x" in place.changes()
    assert "node_modules/b/y" not in place.changes()
    assert place.objects.read(place.changes()["node_modules/a/x"].after.sha256) == b"1\n"
    assert folders(place) == {".": (1, 2), "node_modules/b": (1, 2)}
    place.reopen()
    fold(place)
    assert place.shadow.included == ("node_modules/a",)
    assert "node_modules/a/x" in place.changes()
    place.shadow.include(["**"])
    assert {"node_modules/a/x", "node_modules/b/y", "z.log"} <= set(place.changes())
    place.shadow.include(())
    assert place.changes() == {}


def test_where_the_person_made_the_same_since_the_disk_counts_at_the_next_turn(place):
    opened(place)
    place.agent("mkdir -p node_modules/a; echo shadow > node_modules/a/x; echo own > node_modules/a/own")
    assert place.changes() == {}
    place.put("node_modules/a/x", "real\n")
    place.put("node_modules/b", "b\n")
    place.shadow.refresh()
    place.shadow.begin_turn()
    assert [path for path, change in place.changes().items() if change.after.type != "dir"] == []
    assert place.agent("cat node_modules/a/x node_modules/a/own") == "real\nown\n"
    place.shadow.settle(place.changes())
    assert (place.root / "node_modules" / "b").read_text() == "b\n"


def test_glob_of_each_folder_takes_in_just_what_is_counted_there(place):
    opened(place)
    place.agent("mkdir -p sub/node_modules/deep; touch a.log sub/b.log sub/node_modules/c sub/node_modules/deep/d")
    assert place.changes() == {}
    for each in place.shadow.ignored().folders:
        place.shadow.include([each.glob])
        taken = [path for path, change in place.changes().items() if change.after.type == "file"]
        assert len(taken) == each.count
    assert len(place.shadow.ignored().folders) == 2


def test_many_folders_are_counted_in_those_above_them(place):
    opened(place)
    place.agent(
        "for n in $(seq 150); do"
        " mkdir -p p$n/node_modules q/p$n/node_modules; touch p$n/node_modules/a q/p$n/node_modules/a; done"
    )
    assert place.changes() == {}
    assert folders(place) == {".": (300, 0)}


def test_ignore_files_that_keep_git_waiting_fold_nothing_and_say_so(place, monkeypatch):
    monkeypatch.setattr(by_products, "_PATIENCE_S", 0.5)
    opened(place)
    (place.root / ".gitignore").unlink()
    os.mkfifo(place.root / ".gitignore")
    place.agent("mkdir node_modules; echo 1 > node_modules/a")
    began = time.monotonic()
    assert "node_modules/a" in place.changes()
    assert place.shadow.ignored() is None
    assert "every new file is in the plan" in place.shadow.folding_warning
    assert time.monotonic() - began < 30
    (place.root / ".gitignore").unlink()
    place.put(".gitignore", IGNORE)
    place.shadow.begin_turn()
    assert (place.changes(), place.shadow.folding_warning) == ({}, "")


@pytest.mark.parametrize(
    "ignore", ["\n".join(f"pattern-{n}-*" for n in range(100_000)), "\0\xff\xfe" * 5000, "a*" * 3000]
)
def test_strange_ignore_file_does_not_keep_other_files_from_being_read(place, ignore):
    opened(place, None)
    place.put("deep/.gitignore", ignore)
    subprocess.run(["git", "init", "-q"], cwd=place.root, check=True)
    place.reopen()
    fold(place)
    place.agent("echo x > deep/" + "a" * 60 + "; echo x > new.py")
    assert "new.py" in place.changes()


def test_repository_that_git_refuses_folds_the_usual_folders_and_says_why(place):
    opened(place)
    (place.root / ".git" / "HEAD").write_text("nonsense\n")
    (place.root / ".git" / "config").write_text("[core\n")
    place.agent("mkdir node_modules; echo 1 > node_modules/a; echo x > a.log")
    assert set(place.changes()) == {"a.log"}
    assert "Git could not say what it ignores here" in place.shadow.folding_warning


def test_path_below_what_is_a_link_on_disk_does_not_keep_git_from_answering_for_others(place):
    place.put("real/a", "a\n")
    place.put("z/b", "b\n")
    (place.root / "link").symlink_to("real")
    opened(place)
    place.agent("rm link; mkdir link; echo x > link/a.log; echo x > z/c.log")
    place.agent("echo x > a.py")
    assert "link/a.log" in place.changes()
    assert "z/c.log" not in place.changes()


def test_no_program_that_the_repository_names_is_started(place, tmp_path):
    opened(place)
    marker = tmp_path / "started"
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    hook.chmod(0o755)
    subprocess.run(["git", "config", "core.fsmonitor", str(hook)], cwd=place.root, check=True)
    place.agent("mkdir node_modules; echo 1 > node_modules/a")
    assert place.changes() == {}
    assert not marker.exists()


NAMES = st.sampled_from(["a", "b.log", "out", "kept.log", "c", "ü\n"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


RULES = [IGNORE, "*\n!*/\n!*.log\n", "/a\na/out\n", "**/c\n", "a/*\n!a/*/\n", "/*\n!/a\n!out/\nout/**\n"]


@given(st.lists(PATHS, max_size=12), st.sampled_from(RULES))
def test_what_is_folded_is_what_git_ignores(paths, ignore):
    paths = [path for path in paths if not any(other.startswith(f"{path}/") for other in paths)]
    with by_products.tempfile.TemporaryDirectory() as name:
        root = Path(name)
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        (root / ".gitignore").write_text(ignore)
        folding = ByProducts(root, root, lambda _: False)
        folding.begin_look()
        for path in paths:
            parts = path.split("/")
            for length in range(1, len(parts) + 1):
                part = "/".join(parts[:length])
                if folding.fold([(part, length < len(parts))], lambda _: True, lambda _: iter(())):
                    break
        folding.end_look()
        for path in paths:
            asked = subprocess.run(["git", "check-ignore", "-q", "--no-index", path], cwd=root, check=False)
            assert folding.covers(path) == (asked.returncode == 0), path


@given(PATHS)
def test_glob_that_is_the_path_itself_includes_it_and_leads_into_each_folder_above(path):
    globs = IncludeGlobs([path])
    assert globs.match(path)
    assert globs.match(f"{path}/below")
    parts = path.split("/")
    assert all(globs.lead_into("/".join(parts[:length])) for length in range(1, len(parts)))


def test_globs_mean_what_the_documents_say():
    assert IncludeGlobs(["dist/*.js"]).match("dist/a.js")
    assert not IncludeGlobs(["dist/*.js", "dist/*", "*"]).match("dist/a/b.js")
    assert IncludeGlobs(["dist/*/**"]).match("dist/a/b.js")
    assert IncludeGlobs(["**"]).match("dist/a/b.js")
    assert IncludeGlobs(["**/dist"]).match("a/b/dist/c")
    assert IncludeGlobs(["**/dist"]).match("dist/c")
    assert not IncludeGlobs(["dist"]).match("a/dist/c")
    assert IncludeGlobs(["dist/"]).lead_into("dist") is False
    assert IncludeGlobs(["", "/"]).globs == ()
