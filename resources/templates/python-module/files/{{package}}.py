"""{{title}}."""


def {{package}}() -> str:
    """Say what this module is called."""
    return "{{name}}"
