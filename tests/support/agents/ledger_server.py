"""An MCP server with effects outside any workspace: `ledger_server.py FILE [PORT KIND]` notes each call in the file."""

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer


def main(ledger: Path, port: int = 0, kind: str = "stdio") -> None:
    server = MCPServer("ledger")

    @server.tool()
    def book(amount: int, text: str = "") -> str:
        """Book an amount."""
        with ledger.open("a") as file:
            file.write(f"{amount} {text}\n")
        return f"booked {amount}"

    @server.tool()
    def balance() -> str:
        """The sum of what is booked."""
        with ledger.open("a") as file:
            file.write("asked\n")
        return "the balance is 7"

    if kind == "stdio":
        server.run("stdio")
    else:
        server.run(kind, host="127.0.0.1", port=port)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *([int(sys.argv[2]), sys.argv[3]] if len(sys.argv) > 2 else []))
