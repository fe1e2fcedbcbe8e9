"""What a kill must leave on disk, according to what the victim reported before.

The writer's own tests measure how long text waits for its write. On a busy machine writes and kills are late, so here
the order decides: text that was shown before a write began is on disk once the write is done.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any

from app.conversations.answer_writer import AnswerWriter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.conversations.store import ConversationStore

# Text that was shown for this many seconds is on disk, on an idle machine.
SHOWN_FOR_S = 1.0
WORDS = ["초안 ", "draft ", "草稿 ", "推測 ", "token ", "モデル ", "라운드 ", "accept "]
_saying = threading.Lock()


def say(**line: object) -> None:
    """Print a victim's report as a line of JSON, with the time of the monotonic clock."""
    with _saying:
        os.write(1, (json.dumps({**line, "at": time.monotonic()}) + "\n").encode())


def report_writes() -> None:
    """Make a victim say when the write of a streamed answer's text begins and ends."""
    flush = AnswerWriter._flush

    def reported(writer: AnswerWriter, store: ConversationStore) -> None:
        # The writer of an ended answer has nothing to write; the continued answer has another writer.
        writes = bool(writer._texts)
        if writes:
            say(writing=writer.message_id)
        flush(writer, store)
        if writes:
            say(written=writer.message_id)

    AnswerWriter._flush = reported  # type: ignore[method-assign]


def wait_for(log: Path, words: bytes, victim: subprocess.Popen[bytes], times: int = 1) -> None:
    """Wait until the victim has said `words` that often, or has ended."""
    while victim.poll() is None and log.read_bytes().count(words) < times:
        time.sleep(0.01)


def must_be_on_disk(lines: Sequence[dict[str, Any]], killed_at: float | None = None) -> dict[int, str]:
    """Return the beginning of each answer's text that must be on disk, from reports with "shown" and "answer".

    With `killed_at` on the monotonic clock, that includes text shown for longer than a second before.
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
