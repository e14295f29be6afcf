from tandem_desktop.shadow.sandbox import agent_environment

PERSON = {
    "PATH": "/bin",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "MODEL_KEY": "key",
    "LD_LIBRARY_PATH": "/bundle",
    "QT_PLUGIN_PATH": "/bundle/qt",
    "SSH_AUTH_SOCK": "/run/agent",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
}


def test_only_what_is_allowed_or_named_comes_through() -> None:
    assert agent_environment(("MODEL_KEY", "MISSING"), {"MODE": "ask"}, PERSON) == {
        "PATH": "/bin",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "MODEL_KEY": "key",
        "MODE": "ask",
    }


def test_what_a_packaged_tandem_sets_for_itself_does_not_come_through_even_when_named() -> None:
    found = agent_environment(("LD_LIBRARY_PATH", "QT_PLUGIN_PATH"), {}, PERSON)
    assert not {"LD_LIBRARY_PATH", "QT_PLUGIN_PATH"} & set(found)
    assert agent_environment((), {"LD_LIBRARY_PATH": "/mine"}, PERSON)["LD_LIBRARY_PATH"] == "/mine"
