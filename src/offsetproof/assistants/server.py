"""The server: the tools, each call a verb in a process of its own, over stdin and stdout.

It reads nothing and decides nothing by itself. Without `allows_code` no model and no class of a user is named to a
verb; no option that writes a file is ever given to one.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TextIO

import anyio
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as OfferedTool

from offsetproof.assistants.answering import answer_of, text_answer
from offsetproof.assistants.calls import Called, Calls, Tell
from offsetproof.assistants.tools import TOOLS, ListAsked, Tool, WrongArgumentsError, input_schema, read_arguments
from offsetproof.version import ABOUT, __version__

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_FAILED = frozenset({2, 69, 75, 120, 150, 152, 255})
"""Exit codes that are about the question or the machine, and not about a verdict."""

_INSTRUCTIONS = (
    "Begin with `symptom` where somebody describes an incident; `list` says what can be asked. Tell a verdict always "
    "with its release and its bounds, as `established` has them. A verdict is about the model; what was replayed on "
    "RocketMQ's own classes says so."
)


@dataclass(frozen=True)
class Assistants:
    """What the server may do: run a user's code, and how many seconds a call may take."""

    allows_code: bool
    seconds_max: float
    calls: Calls = field(default_factory=Calls)
    one_at_a_time: anyio.Lock = field(default_factory=anyio.Lock)

    async def answer(self, name: str, given: dict[str, Any], tell: Tell) -> CallToolResult:
        """What a tool answers; an error is the verb's own text."""
        tool = TOOLS.get(name)
        if tool is None:
            return _error(f"no tool named {name!r}; there are {', '.join(TOOLS)}")
        try:
            asked = read_arguments(tool, given, allows_code=self.allows_code)
        except WrongArgumentsError as error:
            return _error(str(error))
        seconds = min(asked.seconds or self.seconds_max, self.seconds_max)
        if tool.decides:
            async with self.one_at_a_time:
                called = await self.calls.run(asked.command(tool.verb), seconds, tell)
        else:
            called = await self.calls.run(asked.command(tool.verb), seconds, tell)
        return _result(tool, called, seconds, is_text=isinstance(asked, ListAsked), full=asked.is_full)


def _result(tool: Tool, called: Called, seconds: float, *, is_text: bool, full: bool) -> CallToolResult:
    notes = tuple(filter(None, called.complaint.split("\n")))
    if called.late:
        notes = (
            *notes,
            f"ended after {seconds:g} s, the time that this call has; what is below is what was known then",
        )
    if not called.out:
        return _error("\n".join(notes) or f"the verb ended with code {called.code} and said nothing")
    if is_text:
        answer = text_answer(called.out, called.code, notes)
    else:
        answer = answer_of(tool.verb, json.loads(called.out), called.code, notes, full=full)
    content = TextContent(type="text", text=json.dumps(answer, ensure_ascii=False))
    return CallToolResult(content=[content], structured_content=answer, is_error=called.code in _FAILED)


def _error(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def _tool_to_offer(name: str, tool: Tool) -> OfferedTool:
    return OfferedTool(
        name=name,
        description=tool.about,
        input_schema=input_schema(tool.asked),
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


def server_of(assistants: Assistants) -> Server[Any]:
    """The server, which is not connected to anything yet."""

    async def list_tools(
        _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=[_tool_to_offer(name, tool) for name, tool in TOOLS.items()])

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        count = 0

        async def tell(line: str) -> None:
            nonlocal count
            count += 1
            await context.session.report_progress(count, message=line)

        return await assistants.answer(params.name, params.arguments or {}, tell)

    return Server(
        "offsetproof",
        version=__version__,
        description=ABOUT,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve(assistants: Assistants, stdin: TextIO, stdout: TextIO, leave: Callable[[int], None]) -> None:
    """Serves until stdin ends. `leave` ends the process, and is called with a signal's number once no verb runs."""

    async def watch_signals() -> None:
        with anyio.open_signal_receiver(*map(signal.Signals, _STOPPING)) as signals:
            async for number in signals:
                assistants.calls.kill()
                leave(number)

    async def until_stdin_ends() -> None:
        server = server_of(assistants)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch_signals)
            async with stdio_server(anyio.wrap_file(stdin), anyio.wrap_file(stdout)) as (read, write):
                await server.run(read, write, server.create_initialization_options())
            tasks.cancel_scope.cancel()

    anyio.run(until_stdin_ends)
