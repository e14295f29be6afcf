"""Open a session: a folder to work in, hands to work with, and a model when one is chosen."""

from collections.abc import Mapping
from pathlib import Path

from tandem_desktop.agent.client_port import ClientPort
from tandem_desktop.agent.models import ModelChoice, chosen_model
from tandem_desktop.agent.planning_servers import PlanningServers
from tandem_desktop.agent.recipes.catalog import Catalog
from tandem_desktop.agent.session import Conversation, Session
from tandem_desktop.agent.work_tree import WorkTree, in_words
from tandem_desktop.domain.agents import PlanningServer
from tandem_desktop.domain.errors import BadInputError

NO_MODEL = (
    "No model is set up, so I cannot answer in words; the recipes below do real work without one.\n"
    "To set up a model, choose one with `TANDEM_MODEL`: `anthropic:NAME`, `openai:NAME`, `ollama:NAME`, or "
    "`openai-compatible:NAME` with its address in `TANDEM_MODEL_URL`. Keys come from the keyring or the environment."
)


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
    work = WorkTree(root)
    no_model = NO_MODEL
    conversation: Conversation | None = None
    try:
        choice = chosen_model(environment)
        conversation = None if choice is None else _conversation(choice, work, client, servers)
    except BadInputError as error:
        no_model = f"The model cannot be used. {in_words(error)}"
    return Session(work=work, client=client, catalog=catalog, conversation=conversation, no_model=no_model)


def _conversation(
    choice: ModelChoice, work: WorkTree, client: ClientPort, servers: tuple[PlanningServer, ...]
) -> Conversation:
    try:
        from tandem_desktop.agent.conversation import ModelConversation
    except ImportError as error:
        raise BadInputError(
            "The library that speaks with models is not installed.",
            next="Install it with: pip install 'tandem-desktop[agent]'",
        ) from error
    return ModelConversation(choice, work, client, PlanningServers(servers))
