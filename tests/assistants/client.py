"""The SDK's own client, and the server as assistants start it: a process with pipes."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from cli.program import PROGRAM, environment
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import CallToolResult, Tool

Asked = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Session:
    """What a client got: who the server is, its tools, the results of its calls, and the progress of each."""

    name: str
    instructions: str
    tools: dict[str, Tool]
    results: Sequence[CallToolResult]
    progress: Sequence[Sequence[str]]


def session(*calls: Asked, options: Sequence[str] = (), cwd: Path | None = None, legacy: bool = False) -> Session:
    """Connects, lists the tools, and calls these, one after the other. A server that prints anything else breaks it.

    `legacy`: with the handshake that clients have which do not know the newest protocol.
    """

    async def connected() -> Session:
        server = StdioServerParameters(command=str(PROGRAM), args=["mcp", *options], env=environment(), cwd=cwd)
        async with Client(stdio_client(server, sys.__stderr__), mode="legacy" if legacy else "auto") as client:
            listed = await client.list_tools()
            results, progress = [], []
            for name, arguments in calls:
                lines: list[str] = []

                async def tell(_done: float, _of: float | None, message: str | None, lines: list[str] = lines) -> None:
                    lines.append(message or "")

                results.append(await client.call_tool(name, arguments, progress_callback=tell))
                progress.append(lines)
            named = {tool.name: tool for tool in listed.tools}
            return Session(client.server_info.name, client.instructions or "", named, results, progress)

    return anyio.run(connected)


def text_of(result: CallToolResult) -> str:
    """The one text of a result."""
    (content,) = result.content
    assert content.type == "text"
    return content.text


def answer_of(result: CallToolResult) -> dict[str, Any]:
    """A result that is no error; its text is the same as what it has as data."""
    assert not result.is_error, text_of(result)
    answer: dict[str, Any] = json.loads(text_of(result))
    assert answer == result.structured_content
    return answer
