"""A printed chat has what the transcript shows, also the calls of tools."""

from __future__ import annotations

from app.chat.printing import chat_document
from app.conversations.records import ToolUse
from app.session.answer import Answer, State
from app.session.calls import Call, CallState
from app.session.chats import Chat, MessageNode, Step, Turn
from app.widgets.application import Application


def test_calls_are_printed_between_the_answers_with_results_or_reasons(qapp: Application) -> None:
    del qapp
    ran = Call(ToolUse("clock", "now", "now", "1", '{"zone": "Asia/Seoul"}'), CallState.ENDED, "12:00 *sharp*")
    denied = Call(ToolUse("Tandem", "read", "read", "2", "{}"), CallState.ENDED, "Do not repeat it.", ("denied", {}))
    calling = Answer(State.DONE, "Let me **look**.", calls=[ran, denied])
    turn = Turn("What time?", Answer(State.DONE, "It is noon."), steps=[Step(calling, MessageNode())])
    document = chat_document(Chat(title="Time", turns=[turn]))
    assert document.toPlainText().split("\n") == [
        *("Time", "What time?", "Let me look."),
        *("clock · now", '{"zone": "Asia/Seoul"}', "12:00 *sharp*"),
        *("Tandem · read", "{}", "This call was not allowed."),
        "It is noon.",
    ]
