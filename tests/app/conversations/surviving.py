"""What a kill must leave on disk, by what the victim said before it died.

How long a text waits for its write is tested on the writer. A kill on a busy machine finds everything late, the write
as well as the kill, so there the order of things decides: what was shown before a write began is there once it is done.
"""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING, Any

from app.conversations.answer_writer import AnswerWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from app.conversations.store import ConversationStore

# What a person has seen this long is on disk, on a machine that has nothing else to do.
SHOWN_FOR_S = 1.0


def report_writes(say: Callable[..., None]) -> None:
    """For the victim: say when a streamed answer's text begins to be written, and when it is on disk."""
    flush = AnswerWriter._flush

    def reported(writer: AnswerWriter, store: ConversationStore) -> None:
        # One that has ended has nothing to write; the same answer, continued, has another one.
        writes = bool(writer._texts)
        if writes:
            say(writing=writer.message_id)
        flush(writer, store)
        if writes:
            say(written=writer.message_id)

    AnswerWriter._flush = reported  # type: ignore[method-assign]


def wait_for(log: Path, words: bytes, victim: subprocess.Popen[bytes], times: int = 1) -> None:
    """Until the victim has said `words` that often, or is gone."""
    while victim.poll() is None and log.read_bytes().count(words) < times:
        time.sleep(0.01)


def must_be_on_disk(lines: Sequence[dict[str, Any]], killed_at: float | None = None) -> dict[int, str]:
    """The beginning of each answer's text that has to be there; {"shown", "answer"} says what a person saw of it.

    With `killed_at` on the monotonic clock, what was shown for longer than a second before is part of it.
    """
    shown: dict[int, str] = {}
    before_write: dict[int, str] = {}
    kept: dict[int, str] = {}
    for line in lines:
        if "shown" in line:
            answer = line["answer"]
            shown[answer] = line["shown"]
            if killed_at is not None and killed_at - line["at"] > SHOWN_FOR_S:
                kept[answer] = line["shown"]
        elif "writing" in line:
            before_write[line["writing"]] = shown.get(line["writing"], "")
        elif "written" in line:
            answer = line["written"]
            kept[answer] = max(kept.get(answer, ""), before_write[answer], key=len)
    return kept
