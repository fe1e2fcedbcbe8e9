"""The state of a server of tools, as others see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.tools.errors import ToolFailed
from app.tools.tool import Tool

State = Literal["stopped", "starting", "running", "failed"]


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The state of a server, why it failed, its tools (`left_out` more could not be used), and its standard error."""

    state: State = "stopped"
    error: ToolFailed | None = None
    tools: tuple[Tool, ...] = ()
    left_out: int = 0
    stderr: str = ""
