"""What is wrong with the words of a call."""

from tandem_desktop.domain.errors import BadInputError


class UsageError(BadInputError):
    """The words of the call do not fit together."""

    kind = "usage"
