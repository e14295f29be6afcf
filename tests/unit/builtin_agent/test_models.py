import pytest

from tandem_desktop.builtin_agent.models import ModelChoice, build_model, chosen_model
from tandem_desktop.domain.errors import BadInputError


def no_keyring(service: str, name: str) -> str | None:
    return None


def test_without_a_choice_there_is_no_model_whatever_keys_lie_about() -> None:
    assert chosen_model({"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, no_keyring) is None


@pytest.mark.parametrize(
    ("environment", "choice"),
    [
        (
            {"TANDEM_MODEL": "anthropic:claude-x", "ANTHROPIC_API_KEY": "k"},
            ModelChoice("anthropic", "claude-x", None, "k"),
        ),
        ({"TANDEM_MODEL": "openai:gpt-x", "OPENAI_API_KEY": "k"}, ModelChoice("openai", "gpt-x", None, "k")),
        (
            {"TANDEM_MODEL": "openai:gpt-x", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://h/v1"},
            ModelChoice("openai", "gpt-x", "http://h/v1", "k"),
        ),
        ({"TANDEM_MODEL": "ollama:qwen3:8b"}, ModelChoice("ollama", "qwen3:8b")),
        (
            {"TANDEM_MODEL": "openai-compatible:m", "TANDEM_MODEL_URL": "http://h/v1"},
            ModelChoice("openai-compatible", "m", "http://h/v1"),
        ),
    ],
)
def test_each_provider_is_chosen_by_its_name_and_can_be_built(environment: dict[str, str], choice: ModelChoice) -> None:
    assert chosen_model(environment, no_keyring) == choice
    assert build_model(choice).model_name == choice.name


def test_a_key_is_taken_from_the_keyring_when_the_environment_has_none() -> None:
    asked = []

    def keyring(service: str, name: str) -> str:
        asked.append((service, name))
        return "from-keyring"

    found = chosen_model({"TANDEM_MODEL": "openai:gpt"}, keyring)
    assert found is not None
    assert found.key == "from-keyring"
    assert asked == [("tandem-desktop", "openai")]


def test_a_key_does_not_show_when_the_choice_is_printed_or_an_error_repeats_it() -> None:
    choice = ModelChoice("openai", "gpt", None, "sk-secret")
    assert "sk-secret" not in repr(choice) + str(choice)
    assert choice.redacted("Incorrect key sk-secret given") == "Incorrect key [key] given"


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"TANDEM_MODEL": "claude"}, "names no model"),
        ({"TANDEM_MODEL": "openai:"}, "names no model"),
        ({"TANDEM_MODEL": "grok:x"}, "names no model"),
        ({"TANDEM_MODEL": "openai:x"}, "no key for openai"),
        ({"TANDEM_MODEL": "openai-compatible:x"}, "needs the address"),
    ],
)
def test_a_choice_that_cannot_work_is_refused_with_what_to_set(environment: dict[str, str], said: str) -> None:
    with pytest.raises(BadInputError, match=said) as refused:
        chosen_model(environment, no_keyring)
    assert refused.value.next
