"""A host of tools without processes: its tools are set by the test, and so are the outcomes of calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import pytest

from app.session.session import Session
from app.tools.host import ServerStatus
from app.tools.questions import AskPerson, nobody_to_ask
from app.tools.servers import Server
from app.tools.tool import Tool, ToolProgress, ToolResult

ZONES = {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]}


def tool(name: str, server: str = "clock", schema: Mapping[str, Any] = ZONES, description: str = "") -> Tool:
    return Tool(server, name, name, name, description or f"Does {name}.", schema)


def call_text(name: str, **arguments: object) -> str:
    """Return a call as the form "json_tools" has it."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n</tool_call>"


class FakeHost:
    """Has `offered` tools. A call ends with the result for its name, or when the test ends its future.

    `reported` takes the progress of the last call, and `ask` a question for the person.
    """

    def __init__(self) -> None:
        self.offered: list[Tool] = []
        self.results: dict[str, ToolResult | Exception] = {}
        self.calls: list[tuple[str, Mapping[str, Any], Future[ToolResult]]] = []
        self.reported: Callable[[ToolProgress], object] = lambda _: None
        self.ask: AskPerson = nobody_to_ask
        self.closed = False
        self.has_prepared_web = False

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Take the place of every `ToolHost`."""
        patch.setattr("app.tools.host.ToolHost", self._made)

    def _made(self, _servers: Sequence[Server], _changed: Callable[[], None], _secrets: object) -> FakeHost:
        return self

    def set_servers(self, servers: Sequence[Server]) -> None:
        pass

    def prepare_web(self) -> None:
        self.has_prepared_web = True

    def tools(self, names: Collection[str]) -> Future[list[Tool]]:
        found: Future[list[Tool]] = Future()
        found.set_result([one for one in self.offered if one.server in names])
        return found

    def call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        reported: Callable[[ToolProgress], object],
        ask: AskPerson = nobody_to_ask,
    ) -> Future[ToolResult]:
        outcome: Future[ToolResult] = Future()
        self.reported = reported
        self.ask = ask
        self.calls.append((tool.name, arguments, outcome))
        result = self.results.get(tool.name)
        if isinstance(result, Exception):
            outcome.set_exception(result)
        elif result is not None:
            outcome.set_result(result)
        return outcome

    def status(self, name: str) -> ServerStatus:
        return ServerStatus("running", tools=tuple(one for one in self.offered if one.server == name))

    def stop(self, name: str) -> None:
        pass

    def close(self) -> None:
        self.closed = True


def set_up(session: Session, *names: str) -> None:
    """Set up servers with these names, agreed to, and switch the tools of the chat on screen on."""
    for name in names:
        session.tools.settings.put(Server(name=name, command="serve").as_approved())
    session.tools.set_on(session.chat, True)
