"""A call of a server's tool that runs: how long it may be silent, and the questions of its server for the person."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection
from typing import Any

import anyio

from app.tools.questions import AskPerson, QuestionReply, ServerQuestion

# The questions of one call: as many as a person answers, and one that wants more does not end.
MOST_QUESTIONS = 10


class RunningCall:
    """A call that runs, and the questions of its server for the person.

    `silence` ends the call if nothing is heard of it for `silence_s` seconds. A person may think as long as they like.
    """

    def __init__(self, ask: AskPerson, silence_s: float) -> None:
        self.silence = anyio.CancelScope(deadline=anyio.current_time() + silence_s)
        self._ask_person = ask
        self._silence_s = silence_s
        self._open_questions: set[asyncio.Future[QuestionReply]] = set()
        # A person answers one question after the other.
        self._turn = asyncio.Lock()
        self._asked = 0
        self._ended = False
        # The pages on which the person has not finished yet.
        self._unfinished: set[str] = set()
        # Set once there are none.
        self._finished = asyncio.Event()

    def hear(self) -> None:
        """Count the silence from now on, unless the person has a question to answer."""
        self.silence.deadline = math.inf if self._open_questions else anyio.current_time() + self._silence_s

    async def reply_to(self, question: ServerQuestion) -> QuestionReply:
        """Ask the person, and wait for the reply, which is to cancel if the call ends before.

        So are all questions after the first `MOST_QUESTIONS`: a server could ask for ever.
        """
        self._asked += 1
        if self._asked > MOST_QUESTIONS:
            return QuestionReply("cancel")
        async with self._turn:
            return QuestionReply("cancel") if self._ended else await self._reply_to(question)

    def expect(self, pages: Collection[str]) -> None:
        """Set the ids of the pages that the person will be on; a server may report when they have finished on each."""
        self._unfinished = set(pages)
        self._finished.clear()

    def finish(self, page: str) -> None:
        """Record that the person has finished on a page, as the server reports; ignores pages of other calls."""
        if page in self._unfinished:
            self._unfinished.remove(page)
            if not self._unfinished:
                self._finished.set()

    async def _reply_to(self, question: ServerQuestion) -> QuestionReply:
        """Ask the person, and wait for the reply, or for the server if the question waits for its pages."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[QuestionReply] = loop.create_future()

        def set_reply(reply: QuestionReply) -> None:
            if not future.done():
                future.set_result(reply)

        self._open_questions.add(future)
        self.hear()
        take_away = self._ask_person(question, lambda reply: loop.call_soon_threadsafe(set_reply, reply))
        ends: list[asyncio.Future[Any]] = [future]
        if question.waits_for_page:
            ends.append(asyncio.create_task(self._finished.wait()))
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if future.done():
                return future.result()
            if take_away is not None:
                take_away()
            return QuestionReply("accept")
        finally:
            for end in ends:
                end.cancel()
            self._open_questions.discard(future)
            self.hear()

    def end(self) -> None:
        """Cancel the questions that nobody answers any more."""
        self._ended = True
        for future in list(self._open_questions):
            if not future.done():
                future.set_result(QuestionReply("cancel"))
