"""The words of a call of a tool: how it stands, and why it has no result."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.session.calls import BAD_ARGUMENTS, DENIED, STOPPED, TOO_MANY, Call, CallState
from app.wording.figures import seconds
from app.wording.tools import tool_sentence

translate = QCoreApplication.translate


def call_state(call: Call) -> str:
    """Return how a call stands in a word or two, or its seconds."""
    if call.state is CallState.ASKS:
        return translate("CallCard", "Waiting for you")
    if call.state is CallState.INTERRUPTED:
        return translate("CallCard", "Interrupted")
    if not call.ended:
        return ""
    if call.failed:
        code = call.error[0] if call.error else ""
        words = {DENIED: translate("CallCard", "Denied"), STOPPED: translate("CallCard", "Stopped")}
        return words.get(code, translate("CallCard", "Failed"))
    return seconds(call.use.seconds) if call.use.seconds else ""


def call_sentence(call: Call) -> str:
    """Say why a call has no result; "" if it has one."""
    if call.state is CallState.INTERRUPTED:
        return translate("CallCard", "Tandem quit while the tool was running.")
    if call.error is None:
        return ""
    code, arguments = call.error
    sentences = {
        DENIED: translate("CallCard", "This call was not allowed."),
        STOPPED: translate("CallCard", "You stopped this call."),
        TOO_MANY: translate("CallCard", "Not called: one answer uses tools at most {count} times."),
        BAD_ARGUMENTS: translate("CallCard", "Not called: what the model passed to the tool does not fit it."),
    }
    if code not in sentences:
        return tool_sentence(code, arguments)
    try:
        return sentences[code].format(**arguments)
    except KeyError:
        return sentences[DENIED]
