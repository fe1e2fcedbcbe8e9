"""Runs the calls of tools that an answer asks for, each with the person's consent. No Qt in here."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import uuid4

from app.conversations.database.records import ToolUse
from app.session.calls import CallState, OpenQuestion, ToolRun
from app.session.chats import Chat
from app.session.tool_service import ToolService
from app.tools.tool import Permission, Tool, ToolFailed, ToolResult
from app.tools.web_tools import tool_of_call
from engine.call_forms.form import ToolCall

# The permission of a call that the user allowed once.
ONCE = "once"


def calls_of(calls: Sequence[ToolCall], tools: Sequence[Tool]) -> list[ToolRun]:
    """Return the calls that an answer holds, of these tools. One without arguments, not even "{}", does not run."""
    by_name = {tool.called: tool for tool in tools}
    return [ToolRun(_use(by_name[call.name], call.arguments), tool=by_name[call.name]) for call in calls]


def _use(tool: Tool, arguments: str) -> ToolUse:
    return ToolUse(tool.server, tool.name, tool.called, f"call_{uuid4().hex[:24]}", arguments)


@dataclass(frozen=True)
class ToolCalls:
    """The calls of one answer, which run concurrently.

    `changed` is called when a call changed, `ended` with each call that ended, and `all_ended` after the last one.
    """

    chat: Chat
    calls: Sequence[ToolRun]
    tools: ToolService
    changed: Callable[[], object]
    ended: Callable[[ToolRun], object]
    all_ended: Callable[[], object]
    _cancels: dict[ToolRun, Callable[[], object]] = field(default_factory=dict)

    def start(self, left: int, most: int) -> None:
        """Run or ask for the first `left` calls, and refuse the others, because an answer makes at most `most`."""
        for index, call in enumerate(list(self.calls)):
            assert call.tool is not None
            if index >= left:
                self._end(call, ToolFailed("too-many-calls", count=most))
            elif not call.use.arguments:
                self._end(call, ToolFailed("unclear-end"))
            elif problem := call.tool.problem_with(call.arguments):
                self._end(call, ToolFailed("bad-arguments", detail=problem))
            else:
                self._ask_or_run_for_site(call)

    def choose(self, call: ToolRun, choice: str) -> None:
        """Apply the person's choice to a call that asks: ONCE, or a `Permission`. DENY is for this call alone."""
        if call.state is not CallState.ASKS or call.tool is None:
            return
        if choice == Permission.DENY:
            self._deny(call)
            return
        if choice != ONCE:
            self.tools.permit(self.chat, call.tool, Permission(choice))
        self._run(call, choice)
        for other in self.calls:
            # The choice may hold for other calls that ask.
            if other.state is CallState.ASKS:
                self._ask_or_run(other)

    def cancel(self) -> None:
        """Stop the calls that have not ended."""
        for call in self.calls:
            if not call.ended:
                self._cancels.pop(call, lambda: None)()
                self._end(call, ToolFailed("stopped"))

    def _ask_or_run_for_site(self, call: ToolRun) -> None:
        """Do with a call what the permission says that is for its site; end it if it has none."""
        assert call.tool is not None
        try:
            call.tool = tool_of_call(call.tool, call.arguments)
        except ToolFailed as error:
            self._end(call, error)
        else:
            self._ask_or_run(call)

    def _ask_or_run(self, call: ToolRun) -> None:
        """Do with a call what its permission says: run it, refuse it, or ask the person."""
        assert call.tool is not None
        permission = self.tools.permission(self.chat, call.tool)
        if permission is Permission.DENY:
            self._deny(call)
        elif permission is Permission.ASK:
            call.state = CallState.ASKS
            self.changed()
        else:
            self._run(call, permission)

    def _deny(self, call: ToolRun) -> None:
        call.use = replace(call.use, permission=Permission.DENY.value)
        self._end(call, ToolFailed("denied"))

    def _run(self, call: ToolRun, permission: str) -> None:
        """Run a call that is allowed; `_end` follows with its outcome."""
        assert call.tool is not None
        call.use = replace(call.use, permission=str(permission))
        call.state = CallState.RUNS
        call.begun_at = time.monotonic()
        self.changed()
        # The card reads the progress once a second, however often a server reports it.
        reported = partial(setattr, call, "progress")
        end = partial(self._end, call)
        self._cancels[call] = self.tools.call(call.tool, call.arguments, reported, end, partial(self._ask, call))

    def _ask(self, call: ToolRun, question: OpenQuestion) -> None:
        """Show a question of the call's server."""
        call.ask(question)
        self.changed()

    def _end(self, call: ToolRun, outcome: ToolResult | ToolFailed) -> None:
        """End a call, unless it was stopped before."""
        if call.ended:
            return
        call.end(outcome)
        self.ended(call)
        self.changed()
        if all(other.ended for other in self.calls):
            self.all_ended()
