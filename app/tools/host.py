"""Runs the servers of tools, and calls their tools, on a thread with an event loop of its own. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal

from app.tools.errors import ToolFailed
from app.tools.servers import Server
from app.tools.tool import Tool, ToolResult

State = Literal["stopped", "starting", "running", "failed"]
# Seconds for a call, and for a server to be ready: package runners such as npx load the server first.
CALL_S, START_S = 60.0, 60.0


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The state of a server, why it failed, its tools (`left_out` more could not be used), and its standard error."""

    state: State = "stopped"
    error: ToolFailed | None = None
    tools: tuple[Tool, ...] = ()
    left_out: int = 0
    stderr: str = ""


class ToolHost:
    """The servers that run. Every method may be called from any thread and returns at once, except `close`.

    `changed` is called on any thread when a status or a list of tools has changed. `with_secrets` fills in the values
    of a server's `env` and `headers` before it starts (`ToolSettings.with_secrets`); it runs on a thread of its own.
    """

    def __init__(
        self,
        servers: Sequence[Server],
        changed: Callable[[], None],
        with_secrets: Callable[[Server], Server] = lambda server: server,
    ) -> None:
        raise NotImplementedError

    def set_servers(self, servers: Sequence[Server]) -> None:
        """Use these servers from now on; those that changed or are gone end."""
        raise NotImplementedError

    def tools(self, names: Collection[str]) -> Future[list[Tool]]:
        """Return the tools of the enabled and approved servers with these names, and start those that do not run.

        A server that fails is left out; its status says why. One that failed before is started again.
        """
        raise NotImplementedError

    def call(self, tool: Tool, arguments: Mapping[str, Any], seconds: float = CALL_S) -> Future[ToolResult]:
        """Call a tool; the future may have a `ToolFailed`. Cancelling it tells the server.

        A tool that its server has changed meanwhile is not called. The caller must have asked for consent.
        """
        raise NotImplementedError

    def status(self, name: str) -> ServerStatus:
        """Return the state of a server."""
        raise NotImplementedError

    def stop(self, name: str) -> None:
        """End a server, if it runs; `tools` starts it again."""
        raise NotImplementedError

    def close(self) -> None:
        """End every server with its processes, within seconds. They also end if this process is killed."""
        raise NotImplementedError
