"""Which model the agent speaks with, and where its key comes from; a key is never shown, stored or logged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tandem_desktop.domain.errors import BadInputError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

KEYRING_SERVICE = "tandem-desktop"
CHOICE, ADDRESS, KEY = "TANDEM_MODEL", "TANDEM_MODEL_URL", "TANDEM_MODEL_KEY"
_PROVIDERS = ("anthropic", "openai", "openai-compatible", "ollama")
_KEY_NAMES = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
_OLLAMA = "http://127.0.0.1:11434/v1"
_FORMS = "anthropic:NAME, openai:NAME, ollama:NAME, or openai-compatible:NAME with TANDEM_MODEL_URL"

ReadKeyring = Callable[[str, str], str | None]


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model, where it is served, and the key, which does not show when this is printed."""

    provider: str
    name: str
    address: str | None = None
    key: str | None = field(default=None, repr=False)

    def redacted(self, text: str) -> str:
        """`text` without the key, should somebody have put it there."""
        return text.replace(self.key, "[key]") if self.key else text


def read_keyring(service: str, name: str) -> str | None:
    """The person's secret, or None where there is no keyring to ask."""
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(service, name)
    except KeyringError:
        return None


def chosen_model(environment: Mapping[str, str], keyring: ReadKeyring = read_keyring) -> ModelChoice | None:
    """The model the environment names; None when it names none.

    Raises:
        BadInputError: it names one that cannot be used.
    """
    text = environment.get(CHOICE, "").strip()
    if not text:
        return None
    provider, _, name = text.partition(":")
    if provider not in _PROVIDERS or not name.strip():
        raise BadInputError(f"{CHOICE} is {text!r}, which names no model.", next=f"Set it to {_FORMS}.")
    address = environment.get(ADDRESS, "").strip() or None
    if provider == "openai-compatible" and address is None:
        raise BadInputError(f"{CHOICE} needs the address of its server.", next=f"Set {ADDRESS} to it.")
    key = environment.get(KEY) or environment.get(_KEY_NAMES.get(provider, KEY))
    if not key and provider != "ollama":
        key = keyring(KEYRING_SERVICE, provider)
    if not key and provider in _KEY_NAMES:
        raise BadInputError(
            f"There is no key for {provider}.",
            next=f"Set {_KEY_NAMES[provider]}, or keep it with: keyring set {KEYRING_SERVICE} {provider}",
        )
    return ModelChoice(provider, name.strip(), address, key or None)


def build_model(choice: ModelChoice) -> "Model[Any]":
    """The model, ready to be asked. Only the library of its provider is loaded.

    Raises:
        BadInputError: that library is not installed.
    """
    try:
        return _build(choice)
    except ImportError as error:
        raise BadInputError(
            f"The library for {choice.provider} is not installed.",
            next="Install it with: pip install 'tandem-desktop[agent]'",
        ) from error


def _build(choice: ModelChoice) -> "Model[Any]":
    if choice.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(choice.name, provider=AnthropicProvider(api_key=choice.key, base_url=choice.address))
    if choice.provider == "ollama":
        from pydantic_ai.models.ollama import OllamaModel
        from pydantic_ai.providers.ollama import OllamaProvider

        provider = OllamaProvider(base_url=choice.address or _OLLAMA, api_key=choice.key or "none")
        return OllamaModel(choice.name, provider=provider)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    # Servers without keys want some text all the same.
    return OpenAIChatModel(choice.name, provider=OpenAIProvider(base_url=choice.address, api_key=choice.key or "none"))
