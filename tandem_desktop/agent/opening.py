"""Open a session: a folder to work in, hands to work with, and a model when one is chosen."""

from collections.abc import Mapping
from pathlib import Path

from tandem_desktop.agent.client_port import ClientPort
from tandem_desktop.agent.recipes.catalog import Catalog
from tandem_desktop.agent.session import Conversation, Session
from tandem_desktop.agent.work_tree import WorkTree
from tandem_desktop.domain.agents import PlanningServer

NO_MODEL = (
    "No model is set up, so I cannot answer in words; the recipes below do real work without one.\n"
    "To set up a model, choose one with `TANDEM_MODEL` (or in the settings): `anthropic:NAME`, `openai:NAME`, "
    "`ollama:NAME`, or `openai-compatible:NAME` with its address in `TANDEM_MODEL_URL`. Keys come from the keyring or "
    "the environment."
)


def open_session(
    root: Path,
    client: ClientPort,
    servers: tuple[PlanningServer, ...],
    catalog: Catalog,
    environment: Mapping[str, str],
) -> Session:
    """A session in `root`.

    Raises:
        BadInputError: the folder cannot be opened.
    """
    work = WorkTree(root)
    conversation: Conversation | None = None
    return Session(work=work, client=client, catalog=catalog, conversation=conversation, no_model=NO_MODEL)
