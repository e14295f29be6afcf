"""Model choice, API keys and MCP servers of the built-in agent."""

import asyncio
import contextlib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tandem_desktop.builtin_agent.model_keys import KEYRING_SERVICE, key_name, read_key
from tandem_desktop.domain.agent_protocol import PlanningServer
from tandem_desktop.domain.errors import BadInputError, NotInstalledError, SidecarError
from tandem_desktop.storage.paths import resource

if TYPE_CHECKING:
    from mcp.client import Client
    from pydantic_ai.models import Model


CHOICE, ADDRESS, KEY = "TANDEM_MODEL", "TANDEM_MODEL_URL", "TANDEM_MODEL_KEY"
_PROVIDERS = ("anthropic", "openai", "openai-compatible", "ollama")
_KEY_NAMES = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
_ADDRESS_NAMES = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL"}
"""What the library of a provider reads by itself: it is said by name which server answers."""
ANTHROPIC_ADDRESS, OPENAI_ADDRESS = "https://api.anthropic.com", "https://api.openai.com/v1"
OLLAMA_ADDRESS = "http://127.0.0.1:11434/v1"
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
        """`text` with the key removed."""
        return text.replace(self.key, "[key]") if self.key else text


@dataclass(frozen=True, slots=True)
class ModelProvider:
    """A provider that the person can choose."""

    title: str
    kind: str
    """How the agent speaks with it: the word before the colon in `TANDEM_MODEL`."""
    address: str
    """Its usual address; empty where the person gives one."""
    needs_key: bool = True

    def kept_address(self, address: str) -> str:
        """What the settings keep: nothing for the address that its library uses by itself."""
        address = address.strip().rstrip("/")
        return "" if address == self.address and self.kind != "openai-compatible" else address


def model_providers() -> tuple[ModelProvider, ...]:
    """Every provider that is offered, with the ones for any other server last."""
    table = tomllib.loads(resource("model_providers.toml").read_text(encoding="utf-8"))
    return tuple(ModelProvider(**row) for row in table["provider"])


def provider_of(model: str, address: str) -> ModelProvider:
    """The provider of a model that the settings name; the first one where they name none."""
    kind, offered = model.partition(":")[0], model_providers()
    alike = [each for each in offered if each.kind == kind]
    return next((each for each in alike if each.address == address), alike[-1] if alike else offered[0])


def chosen_model(environment: Mapping[str, str], keyring: ReadKeyring = read_key) -> ModelChoice | None:
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
    address = (environment.get(ADDRESS) or environment.get(_ADDRESS_NAMES.get(provider, ADDRESS), "")).strip() or None
    if provider == "openai-compatible" and address is None:
        raise BadInputError(f"{CHOICE} needs the address of its server.", next=f"Set {ADDRESS} to it.")
    key = environment.get(KEY) or environment.get(_KEY_NAMES.get(provider, KEY))
    if not key and provider != "ollama":
        names = dict.fromkeys((key_name(provider, address), provider))
        key = next((found for name in names if (found := keyring(KEYRING_SERVICE, name))), None)
    if not key and provider in _KEY_NAMES:
        raise BadInputError(
            f"There is no key for {provider}.",
            next=f"Set {_KEY_NAMES[provider]}, or keep it with: keyring set {KEYRING_SERVICE} {provider}",
        )
    return ModelChoice(provider, name.strip(), address, key or None)


def build_model(choice: ModelChoice) -> "Model[Any]":
    """The model, ready to be asked. Only the library of its provider is loaded.

    Raises:
        NotInstalledError: that library is not installed.
    """
    try:
        return _build(choice)
    except ImportError as error:
        raise NotInstalledError(f"The library for {choice.provider}", "agent") from error


def _build(choice: ModelChoice) -> "Model[Any]":
    if choice.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(choice.name, provider=AnthropicProvider(api_key=choice.key, base_url=choice.address))
    if choice.provider == "ollama":
        from pydantic_ai.models.ollama import OllamaModel
        from pydantic_ai.providers.ollama import OllamaProvider

        provider = OllamaProvider(base_url=choice.address or OLLAMA_ADDRESS, api_key=choice.key or "none")
        return OllamaModel(choice.name, provider=provider)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    # Servers without keys want some text all the same.
    return OpenAIChatModel(choice.name, provider=OpenAIProvider(base_url=choice.address, api_key=choice.key or "none"))


START_S = 60.0


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One tool of one server."""

    server: "ServerConnection"
    name: str
    description: str
    parameters: dict[str, Any]


class ServerConnection:
    """One server process. It is started, used and ended by one task, as its library wants it."""

    def __init__(self, server: PlanningServer) -> None:
        self._server = server
        self._client: Client | None = None
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self._task = asyncio.create_task(self._live())

    async def tools(self) -> tuple[OfferedTool, ...]:
        """What the server offers.

        Raises:
            SidecarError: it could not be started.
        """
        await self._connected()
        assert self._client is not None
        listed = await self._client.list_tools()
        return tuple(
            OfferedTool(self, tool.name, tool.description or "", dict(tool.input_schema)) for tool in listed.tools
        )

    async def use(self, name: str, arguments: dict[str, Any]) -> str:
        """The text a tool answers with.

        Raises:
            SidecarError: the server is gone, or the tool failed.
        """
        await self._connected()
        assert self._client is not None
        try:
            result = await self._client.call_tool(name, arguments)
        except Exception as error:  # whatever the library raises, the model is told in words
            raise SidecarError(f"The tool {name} did not answer: {error}.", next="Go on without it.") from error
        text = "\n".join(part.text for part in result.content if part.type == "text")
        if result.is_error:
            raise SidecarError(text or f"The tool {name} failed.")
        return text

    async def close(self) -> None:
        self._stop.set()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await self._task

    async def _connected(self) -> None:
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), START_S)
        except Exception as error:
            raise SidecarError(
                f"The server of the tools {self._server.name} could not be started: {error or 'no answer'}.",
                next="Go on without these tools.",
            ) from error

    async def _live(self) -> None:
        try:
            from mcp import StdioServerParameters
            from mcp.client import Client

            command, *arguments = self._server.command
            parameters = StdioServerParameters(command=command, args=arguments, env=dict(self._server.env))
            async with Client(parameters) as client:
                self._client = client
                self._ready.set_result(None)
                await self._stop.wait()
        except Exception as error:
            if not self._ready.done():
                self._ready.set_exception(error)


class PlanningServers:
    """All servers of one session; each is started when the model is asked for the first time."""

    def __init__(self, servers: Sequence[PlanningServer]) -> None:
        self._servers = tuple(servers)
        self._connections: tuple[ServerConnection, ...] = ()

    async def tools(self) -> tuple[tuple[OfferedTool, ...], tuple[str, ...]]:
        """Every tool of every server, and a sentence for each server that did not come up."""
        if not self._connections:
            self._connections = tuple(ServerConnection(server) for server in self._servers)
        tools: list[OfferedTool] = []
        problems: list[str] = []
        for connection in self._connections:
            try:
                tools += await connection.tools()
            except SidecarError as error:
                problems.append(error.message)
        return tuple(tools), tuple(problems)

    async def close(self) -> None:
        for connection in self._connections:
            await connection.close()
