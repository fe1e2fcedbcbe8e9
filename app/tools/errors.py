"""What can go wrong with a server of tools, as a code with arguments; `app.wording.tools` has the sentences."""

from __future__ import annotations

from engine.errors import CodedError


class ToolFailed(CodedError):
    """A server or a call of its tool failed. Of the arguments, `detail` is what the system or a library said."""

    def __init__(self, code: str, **arguments: object) -> None:
        named = (f"{name} {value}" for name, value in arguments.items())
        super().__init__(f"{code} ({', '.join(named)})", **arguments)
        self.code = code
