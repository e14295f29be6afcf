"""A small MCP server on standard streams, with the standard library alone: one tool, `present_plan`.

`python plan_server.py FILE` appends what the tool is called with to FILE.
"""

import json
import sys
from pathlib import Path
from typing import Any

TOOL = {
    "name": "present_plan",
    "description": "Show the person a finished plan.",
    "inputSchema": {
        "type": "object",
        "properties": {"title": {"type": "string"}, "summary": {"type": "string"}, "steps": {"type": "array"}},
        "required": ["title"],
    },
}


def result_of(method: str, params: dict[str, Any], kept: Path) -> dict[str, Any] | None:
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "tandem", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(params["arguments"]) + "\n")
        return {"content": [{"type": "text", "text": "presented"}]}
    return {} if method == "ping" else None


def serve(kept: Path) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = result_of(message["method"], message.get("params") or {}, kept)
        failed = {"error": {"code": -32601, "message": "Method not found"}}
        answer = {"jsonrpc": "2.0", "id": message["id"], **(failed if result is None else {"result": result})}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
