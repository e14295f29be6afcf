"""serve: the local HTTP API."""

from tandem_desktop.cli.answers import Answer
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.lines import Span, Tone


def serve(call: Call) -> Answer:
    def ready(url: str, token: str) -> None:
        """Whoever started this reads the first line, and then knows that requests are answered."""
        call.known["url"] = url
        if call.console.as_json:
            call.console.answer_object({"url": url, "token": token})
        else:
            call.console.answer(
                [
                    ("Listening on  ", Span(url, Tone.STRONG), ", on this machine alone."),
                    ("Token         ", Span(token, Tone.STRONG)),
                    f'Try it: curl -H "Authorization: Bearer {token}" {url}/plans',
                    "Stop with Ctrl-C.",
                ]
            )
        call.console.flush()

    call.serve(call.workspace, call.arguments.port, ready)
    return Answer({"url": call.known["url"], "stopped": True}, ["Stopped."])
