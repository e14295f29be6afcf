"""One session of the built-in agent."""

import asyncio
import re
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from tandem_desktop.builtin_agent.edits import AgentFiles, ClientPort, EditExecutor, Intent, in_batches, in_words
from tandem_desktop.builtin_agent.models import ModelChoice, PlanningServers, chosen_model
from tandem_desktop.domain.agent_protocol import AgentSaid, PlanningServer, StopReason
from tandem_desktop.domain.errors import (
    BadInputError,
    ModelError,
    NoModelError,
    NotInstalledError,
    SidecarError,
    TandemError,
)
from tandem_desktop.recipes.catalog import Catalog
from tandem_desktop.recipes.recipe import Edit, Recipe, RecipeOutcome, counted

# A plan that was sent back may name a recipe in the person's words; the lines after them are not the recipe's.
_COMMAND = re.compile(r"^(denied: )?/([a-z][a-z-]*)(?=\s|$)[ \t]*", re.MULTILINE)


class ModelSession(Protocol):
    """A model that remembers what was said."""

    async def answer(self, text: str) -> StopReason:
        """Answer, using tools on the way."""

    async def close(self) -> None:
        """End what it started."""


class Session:
    """Takes one prompt at a time; a prompt can be cancelled and leaves nothing running."""

    def __init__(
        self,
        *,
        work: AgentFiles,
        client: ClientPort,
        catalog: Catalog,
        conversation: ModelSession | None,
        no_model: SidecarError,
    ) -> None:
        self._work = work
        self._client = client
        self._catalog = catalog
        self._conversation = conversation
        self._no_model = no_model
        """How plain words are refused when only recipes are left."""
        self._edit_executor = EditExecutor(work, client)
        self._turn: asyncio.Task[StopReason] | None = None

    @property
    def is_busy(self) -> bool:
        return self._turn is not None

    async def prompt(self, parts: Sequence[str]) -> StopReason:
        """Do what the text asks for; every part may be a recipe, the last one that is counts."""
        self._turn = asyncio.create_task(self._answer(parts))
        try:
            return await self._turn
        except asyncio.CancelledError:
            if self._turn.cancelled():
                return StopReason.CANCELLED
            self._turn.cancel()
            raise
        finally:
            self._turn = None

    def cancel(self) -> None:
        """End the turn."""
        if self._turn is not None:
            self._turn.cancel()

    async def close(self) -> None:
        self.cancel()
        if self._conversation is not None:
            await self._conversation.close()
        self._work.close()

    async def _answer(self, parts: Sequence[str]) -> StopReason:
        try:
            return await self._do(parts)
        except (NoModelError, ModelError):
            raise
        except TandemError as error:
            await self._say(in_words(error))
            return StopReason.END_TURN

    async def _do(self, parts: Sequence[str]) -> StopReason:
        text = "\n\n".join(part for part in parts if part.strip())
        found = self._command(parts)
        if found is not None:
            recipe, words = found
            if recipe is None:
                await self._say(self._catalog.help())
            else:
                await self._cook(recipe, words)
            return StopReason.END_TURN
        if self._conversation is not None:
            return await self._conversation.answer(text)
        raise self._no_model

    def _command(self, parts: Sequence[str]) -> tuple[Recipe | None, str] | None:
        """The recipe that is named at the beginning of a line, and what follows it; None as recipe is help."""
        for part in reversed(parts):
            for found in reversed(list(_COMMAND.finditer(part))):
                recipe = self._catalog.get(found[2])
                if recipe is not None or found[2] == "help":
                    words = part[found.end() :]
                    return recipe, words.partition("\n")[0] if found[1] else words
        return None

    async def _cook(self, recipe: Recipe, words: str) -> None:
        work = recipe.parse(words)
        outcome = await self._work.at_work(work.run)
        made, refused = await self._make(recipe, words, outcome)
        if refused:
            await self._say(
                f"{counted(refused, 'change')} of {recipe.title.lower()} were refused and not made; "
                f"{counted(made, 'change')} were made.\n\n{outcome.summary}"
            )
        else:
            await self._say(outcome.summary)

    async def _make(self, recipe: Recipe, words: str, outcome: RecipeOutcome) -> tuple[int, int]:
        made = refused = 0
        for batch in in_batches(outcome.edits):
            intent = Intent(
                f"call_{uuid.uuid4().hex[:12]}",
                recipe.name,
                _title(outcome, batch),
                {"recipe": recipe.name, "words": words.strip()},
            )
            if await self._edit_executor.make(intent, batch):
                made += len(batch)
            else:
                refused += len(batch)
        return made, refused

    async def _say(self, text: str) -> None:
        await self._client.tell(AgentSaid(text=text))


def _title(outcome: RecipeOutcome, batch: Sequence[Edit]) -> str:
    return batch[0].description if len(batch) == 1 else f"{outcome.title} ({counted(len(batch), 'file')})"


NO_MODEL = "There is no model yet, so this agent only follows its built-in recipes: /help lists them."
_ADD_ONE = "Add a model in the window (Model… among the commands), or name one in TANDEM_MODEL (docs/agents.md)."


def open_session(
    root: Path,
    client: ClientPort,
    servers: tuple[PlanningServer, ...],
    catalog: Catalog,
    environment: Mapping[str, str],
) -> Session:
    """A session in `root`. A model that cannot be used is explained; the recipes work all the same.

    Raises:
        BadInputError: the folder cannot be opened.
    """
    work = AgentFiles(root)
    no_model: SidecarError = NoModelError(NO_MODEL, next=_ADD_ONE)
    conversation: ModelSession | None = None
    try:
        choice = chosen_model(environment)
        conversation = None if choice is None else _conversation(choice, work, client, servers)
    except BadInputError as error:
        no_model = ModelError(f"The model cannot be used. {error.message}", next=error.next)
    return Session(work=work, client=client, catalog=catalog, conversation=conversation, no_model=no_model)


def _conversation(
    choice: ModelChoice, work: AgentFiles, client: ClientPort, servers: tuple[PlanningServer, ...]
) -> ModelSession:
    try:
        from tandem_desktop.builtin_agent.conversation import ModelConversation
    except ImportError as error:
        raise NotInstalledError("The library that speaks with models", "agent") from error
    return ModelConversation(choice, work, client, PlanningServers(servers))
