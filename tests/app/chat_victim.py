"""The whole app on a scripted engine, used at random until it is killed.

    python -m tests.app.chat_victim CHATS_FILE SEED

It prints one JSON object a line: {"asked"} when a question was sent, {"shown"} when an answer's text was painted,
{"writing"} and {"written"} when an answer's text goes to disk.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer

from app.session.session import Session
from app.widgets.application import Application
from app.window.main_window import MainWindow
from tests.app.conversations.surviving import WORDS, report_writes, say
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script


class User:
    """Asks, stops, edits, asks again, continues and changes chats, at random."""

    def __init__(self, window: MainWindow, session: Session, draw: random.Random) -> None:
        self.window, self.session, self.draw = window, session, draw
        self.number = 0
        session.answers.arrived.connect(self.painted)
        self.timer = QTimer()
        self.timer.timeout.connect(self.act)
        self.timer.start(120)

    def painted(self, chat: object, turn: object) -> None:
        """Report what the transcript shows of the open chat."""
        if chat is self.session.chat:
            say(shown=turn.answer.text, answer=turn.answer_node.id, question=turn.question)

    def act(self) -> None:
        session, draw = self.session, self.draw
        if not session.answers.ready:
            if draw.random() < 0.04:
                session.answers.stop()
            if draw.random() < 0.04:
                session.chats.new_chat()
            return
        turns = session.chat.turns
        kind = draw.choice(["ask", "ask", "edit", "again", "go-on", "new"])
        self.number += 1
        question = f"question {self.number} of {os.getpid()}"
        if kind == "ask" or (not turns and kind != "new"):
            say(asked=question)
            session.answers.ask(question)
        elif kind == "new":
            session.chats.new_chat()
        elif kind == "edit":
            say(asked=question)
            session.answers.edit(turns[-1], question)
        elif kind == "again":
            session.answers.ask_again(turns[-1])
        elif turns[-1].answer.unfinished:
            session.answers.continue_answer(turns[-1])


def main() -> None:
    draw = random.Random(int(sys.argv[2]))
    scripts = [Script("".join(draw.choices(WORDS, k=draw.randint(20, 300)))) for _ in range(200)]
    application = Application(["tandem"], "en")
    engine = ScriptedEngine(scripts, pace_s=0.008)
    session = Session(lambda: engine, (Path("starter/main"), Path("starter/draft")), Path(sys.argv[1]))
    window = MainWindow(session, application)
    window.show()
    report_writes()
    session.models.load_starter()
    say(opened=True)
    user = User(window, session, draw)
    application.exec()
    del user


if __name__ == "__main__":
    main()
