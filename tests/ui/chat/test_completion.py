from pathlib import Path

from tandem_desktop.ui.chat.completion import FileIndex, best_matches, command_being_typed, file_being_typed, mention

PATHS = ("app/routes/auth.py", "app/settings.py", "tests/test_auth.py", "docs/author.md", "README.md")


def test_what_git_ignores_is_not_offered(tmp_path: Path) -> None:
    for name in ("src/app.py", "src/app.pyc", "build/out.js", "src/keep.pyc", ".git/HEAD"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text("*.pyc\nbuild/\n")
    (tmp_path / "src/.gitignore").write_text("!keep.pyc\n")
    index = FileIndex(tmp_path)
    try:
        assert set(index.paths()) == {".gitignore", "src/.gitignore", "src/app.py", "src/keep.pyc"}
    finally:
        index.close()


def test_files_are_found_off_the_callers_thread_and_again_after_forget(tmp_path: Path) -> None:
    (tmp_path / "auth.py").write_text("x")
    index = FileIndex(tmp_path)
    try:
        assert index.find("au").result(timeout=30) == ("auth.py",)
        (tmp_path / "author.md").write_text("x")
        assert index.find("au").result(timeout=30) == ("auth.py",)
        index.forget()
        assert index.find("au").result(timeout=30) == ("auth.py", "author.md")
    finally:
        index.close()


def test_a_workspace_that_is_gone_has_no_files(tmp_path: Path) -> None:
    index = FileIndex(tmp_path / "nowhere")
    try:
        assert index.paths() == ()
    finally:
        index.close()


def test_a_name_that_begins_with_the_letters_comes_before_one_that_holds_them() -> None:
    assert best_matches("auth", PATHS)[:3] == ("app/routes/auth.py", "docs/author.md", "tests/test_auth.py")


def test_scattered_letters_find_a_path_and_missing_ones_do_not() -> None:
    assert best_matches("arau", PATHS) == ("app/routes/auth.py",)
    assert best_matches("zzz", PATHS) == ()


def test_no_letters_offer_the_nearest_files_first() -> None:
    assert best_matches("", PATHS)[0] == "README.md"


def test_a_file_of_the_workspace_is_mentioned_by_its_path_in_it(tmp_path: Path) -> None:
    assert mention(str(tmp_path / "app/auth.py"), tmp_path) == "@app/auth.py"
    assert mention(str(tmp_path / "my notes.txt"), tmp_path) == '@"my notes.txt"'


def test_a_file_elsewhere_is_mentioned_in_full_and_an_image_is_called_one(tmp_path: Path) -> None:
    assert mention("/elsewhere/log.txt", tmp_path) == "@/elsewhere/log.txt"
    assert mention(str(tmp_path / "shot.PNG"), tmp_path) == "@shot.PNG (image)"


def test_an_address_with_an_at_sign_is_no_mention_and_a_path_is_no_command() -> None:
    assert file_being_typed("write to me@home") is None
    assert file_being_typed("look at @app/a") == "app/a"
    assert command_being_typed("/pl") == "pl"
    assert command_being_typed("see /etc") is None


def test_folders_are_found_beside_files(tmp_path: Path) -> None:
    for name in ("app/core/auth.py", "docs/index.md"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("x")
    index = FileIndex(tmp_path)
    assert index.find("core").result() == ("app/core/", "app/core/auth.py")
    assert index.find("").result()[:2] == ("app/", "docs/")
    index.close()
