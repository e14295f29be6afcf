"""Agents a person adds are profiles like the bundled ones, kept as files that may hold nothing a profile may not."""

import json
from pathlib import Path

import pytest

from tandem_desktop.acp_client.own_agents import (
    add_profile,
    own_agents_folder,
    own_profiles,
    profile_of_command,
    read_registry,
    remove_profile,
    unreadable_profiles,
)
from tandem_desktop.acp_client.profiles import BUILT_IN, home_name, load_profiles, profile_named
from tandem_desktop.domain.errors import BadInputError


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))


def a_file(name: str, text: str) -> Path:
    own_agents_folder().mkdir(parents=True, exist_ok=True)
    path = own_agents_folder() / name
    path.write_text(text)
    return path


def test_agent_that_was_added_is_known_by_name_and_by_title_among_the_others() -> None:
    profile = profile_of_command("mine", ["my-agent", "--acp"], title="My agent", env=["MY_KEY"], credentials=[".m/a"])
    path = add_profile(profile, ())
    assert profile_named("mine") == profile
    assert load_profiles()[0].name == BUILT_IN
    assert "mine" in [each.name for each in load_profiles()]
    assert home_name(profile) == "mine"
    assert path == own_agents_folder() / "mine.toml"


def test_agent_that_is_forgotten_is_not_known_any_more_and_its_name_is_free() -> None:
    add_profile(profile_of_command("mine", ["a"]), ())
    remove_profile("mine")
    with pytest.raises(BadInputError, match="No agent is called mine"):
        profile_named("mine")
    add_profile(profile_of_command("mine", ["b"]), ())


def test_name_that_is_taken_is_refused_and_the_agent_that_has_it_stays() -> None:
    add_profile(profile_of_command("mine", ["a"]), ())
    with pytest.raises(BadInputError, match="already"):
        add_profile(profile_of_command("mine", ["b"]), ())
    with pytest.raises(BadInputError, match="comes with Tandem"):
        add_profile(profile_of_command("codex", ["b"]), ["codex"])
    assert profile_named("mine").command == ("a",)


@pytest.mark.parametrize(
    "name", ["", "A", "a b", "../a", "a/b", "-a", "a-", "custom", "custom-1234", "ä", "a" * 41, "a\n"]
)
def test_name_that_could_not_be_a_folder_of_its_own_is_refused(name: str) -> None:
    with pytest.raises(BadInputError, match="is no name"):
        add_profile(profile_of_command(name, ["a"]), ())
    with pytest.raises(BadInputError):
        remove_profile(name)


@pytest.mark.parametrize("file", ["/etc/shadow", "../secret", "a/../../b", ""])
def test_log_in_outside_of_the_home_is_refused(file: str) -> None:
    with pytest.raises(BadInputError, match="below your home"):
        add_profile(profile_of_command("mine", ["a"], credentials=[file]), ())


@pytest.mark.parametrize("variable", ["HOME", "PATH", "LD_PRELOAD", "A B", "1A", "A=B"])
def test_variable_that_the_sandbox_decides_is_refused(variable: str) -> None:
    with pytest.raises(BadInputError, match="is no variable"):
        add_profile(profile_of_command("mine", ["a"], env=[variable]), ())


def test_file_that_cannot_be_used_is_named_where_it_is_asked_for_and_keeps_no_other_agent_away() -> None:
    add_profile(profile_of_command("good", ["a"]), ())
    bad = a_file("bad.toml", 'name = "other"\ntitle = "Other"\ncommand = ["a"]\n')
    a_file("torn.toml", "name = [")
    a_file("odd.toml", 'name = "odd"\ntitle = "Odd"\ncommand = ["a"]\nruns_as_root = true\n')
    assert [each.name for each in own_profiles()] == ["good"]
    assert len(unreadable_profiles()) == 3
    with pytest.raises(BadInputError, match="its file is not") as refused:
        profile_named("bad")
    assert refused.value.path == str(bad)
    with pytest.raises(BadInputError, match="runs_as_root"):
        profile_named("odd")


def test_file_of_a_person_never_takes_the_place_of_a_bundled_agent() -> None:
    a_file("codex.toml", 'name = "codex"\ntitle = "Codex"\ncommand = ["evil"]\n')
    assert profile_named("codex").command != ("evil",)


def test_registry_gives_packages_as_commands_and_names_what_it_cannot() -> None:
    entries = [
        {
            "id": "alpha",
            "name": "Alpha",
            "distribution": {"npx": {"package": "@a/alpha@1", "args": ["--acp"], "env": {"MODE": "on", "A_KEY": ""}}},
        },
        {"id": "beta", "distribution": {"uvx": {"package": "beta==1"}}},
        {"id": "gamma", "distribution": {"binary": {"linux-x86_64": {"archive": "https://example.org/g"}}}},
        {"id": "../delta", "distribution": {"uvx": {"package": "d"}}},
        {"id": "eps", "distribution": {"uvx": {"package": "e\x1b[2K"}}},
        {"distribution": {}},
        "zeta",
    ]
    found = read_registry(json.dumps({"version": "1", "agents": entries}).encode(), "registry.json")
    alpha, beta, *others = found
    assert alpha.profile is not None
    assert alpha.profile.command == ("npx", "--yes", "@a/alpha@1", "--acp")
    assert (alpha.profile.env, alpha.profile.set_env) == (("A_KEY",), {"MODE": "on"})
    assert beta.profile is not None
    assert beta.profile.command == ("uvx", "beta==1")
    assert all(each.profile is None and each.reason for each in others)
    add_profile(alpha.profile, ())
    assert profile_named("alpha") == alpha.profile


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"agents": 1}', '{"agents": [], "agents": []}', "\xff"])
def test_file_that_is_no_registry_is_refused_in_words(text: str) -> None:
    with pytest.raises(BadInputError, match=r"registry\.json"):
        read_registry(text.encode("latin-1"), "registry.json")
