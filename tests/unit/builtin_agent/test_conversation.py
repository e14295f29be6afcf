"""What the profile of the built-in agent says of its tools is true of the tools a model is handed."""

from typing import cast

import pytest

from tandem_desktop.acp_client.profiles import profile_named
from tandem_desktop.builtin_agent.conversation import own_tools
from tandem_desktop.builtin_agent.tools import Tools


@pytest.mark.req("S1-25")
def test_the_profile_names_exactly_the_tools_that_the_built_in_agent_has() -> None:
    handed = [tool.name for tool in own_tools(cast(Tools, None))]  # only named here, never called
    assert sorted(profile_named("built-in").own_tools) == sorted(handed)
