"""A process that works on a store until it is killed, and reports acknowledged operations on standard output.

    python -m tests.app.conversations.victim PATH [SEED]

Without a seed it only opens the store and waits.

It prints one JSON object a line: {"try": the next operation}, {"done": the same, with ids}, {"shown": visible text},
{"writing"} and {"written": the answer whose text goes to disk}.
"""

from __future__ import annotations

import random
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

from app.conversations.answer_writer import AnswerWriter
from app.conversations.database.records import AnswerSource, Attachment, Picture
from app.conversations.store import ConversationStore
from app.conversations.worker import StoreThread
from engine.events import Token
from engine.stats import RequestStats
from tests.app.conversations.surviving import WORDS, report_writes, say


class Victim:
    """Draws one operation after another, waits for its future, and reports it."""

    def __init__(self, thread: StoreThread, draw: random.Random) -> None:
        self.thread = thread
        self.draw = draw
        listed = thread.submit(lambda store: store.conversations.view()).result()
        self.chats = [chat.id for chat in listed]

    def run(self) -> None:
        while True:
            kind = self.draw.choice(
                ["chat", "turn", "picture", "stream", "stream", "edit", "trash", "purge", "branch", "rename"]
            )
            if kind != "chat" and not self.chats:
                continue
            getattr(self, kind)()

    def do(self, what: str, operation: Any, **fields: Any) -> Any:
        say(**{"try": what}, **fields)
        result = self.thread.submit(operation).result()
        say(done=what, result=result, **fields)
        return result

    def chat(self) -> None:
        if len(self.chats) < 12:
            self.chats.append(self.do("chat", lambda store: store.conversations.create(title="t")))

    def turn(self) -> int:
        chat, text = self.draw.choice(self.chats), f"question {self.draw.random()}"
        return int(self.do("turn", lambda store: store.messages.add_user_turn(chat, text), chat=chat, text=text))

    def picture(self) -> None:
        chat, content = self.draw.choice(self.chats), self.draw.randbytes(200_000)
        digest = sha256(content).hexdigest()
        shown = Attachment("shot.png", "image/png", "", Picture(digest, 1, 1))

        def attach(store: ConversationStore) -> int:
            store.pictures.add(content)
            return store.messages.add_user_turn(chat, digest, [shown])

        self.do("turn", attach, chat=chat, text=digest)

    def stream(self) -> None:
        turn = self.turn()
        answer = self.do("answer", lambda store: store.answers.start(turn, AnswerSource("m", "d", "draft")), turn=turn)
        writer = AnswerWriter(self.thread.submit, answer)
        shown = ""
        for number in range(self.draw.randint(1, 300)):
            text = self.draw.choice(WORDS)
            writer.append(text, [Token(number, text, "draft", 0, number, -0.5)])
            shown += text
            say(shown=shown, answer=answer)
            time.sleep(0.008)
        say(**{"try": "finish"}, answer=answer)
        writer.finish("stop", RequestStats(generated_tokens=number + 1)).result()
        say(done="finish", answer=answer, text=shown)

    def edit(self) -> None:
        chat, text = self.draw.choice(self.chats), f"edited {self.draw.random()}"
        path = self.thread.submit(lambda store: store.messages.path(chat)).result()
        if path:
            message = self.draw.choice(path).id
            self.do("edit", lambda store: store.messages.edit(message, text), chat=chat, text=text)

    def trash(self) -> None:
        chat = self.draw.choice(self.chats)
        self.do("trash", lambda store: store.conversations.trash(chat), chat=chat)
        if self.draw.random() < 0.5:
            self.do("restore", lambda store: store.conversations.restore(chat), chat=chat)

    def purge(self) -> None:
        chat = self.draw.choice(self.chats)
        if self.draw.random() < 0.4:
            self.chats.remove(chat)
            self.do("purge", lambda store: store.conversations.purge(chat), chat=chat)

    def branch(self) -> None:
        chat = self.draw.choice(self.chats)
        path = self.thread.submit(lambda store: store.messages.path(chat)).result()
        if path and len(self.chats) < 12:
            message = self.draw.choice(path).id
            self.chats.append(self.do("branch", lambda store: store.messages.branch(message), chat=chat))

    def rename(self) -> None:
        chat, title = self.draw.choice(self.chats), f"title {self.draw.random()}"
        self.do("rename", lambda store: store.conversations.rename(chat, title), chat=chat, title=title)


if __name__ == "__main__":
    report_writes()
    opened = StoreThread(Path(sys.argv[1]))
    say(opening=True)
    opened.opened.result()
    say(opened=True)
    if len(sys.argv) > 2:
        Victim(opened, random.Random(int(sys.argv[2]))).run()
    time.sleep(3600)
