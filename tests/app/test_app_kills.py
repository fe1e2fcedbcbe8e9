"""The app is killed at any moment: the next start has what was on screen, except for what was not written yet."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from app.conversations.database.records import STREAMING
from app.conversations.opening import open_store
from tests.app.conversations.surviving import SHOWN_FOR_S, must_be_on_disk, wait_for

ROOT = Path(__file__).resolve().parents[2]


def run_and_kill(chats: Path, seed: int, after_s: float) -> tuple[list[dict[str, Any]], float]:
    """Kill the app `after_s` seconds after its second write. Return its reports of what it had shown, and the time."""
    log = chats.with_suffix(f".{seed}.log")
    with log.open("wb") as output:
        victim = subprocess.Popen(
            [sys.executable, "-m", "tests.app.chat_victim", str(chats), str(seed)],
            cwd=ROOT,
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
            stdout=output,
        )
        wait_for(log, b"written", victim, times=2)
        time.sleep(after_s)
        killed_at = time.monotonic()
        victim.send_signal(signal.SIGKILL)
        assert victim.wait() == -signal.SIGKILL
    lines = log.read_bytes().decode().split("\n")
    return [json.loads(line) for line in lines[:-1]], killed_at


def check(chats: Path, lines: list[dict[str, Any]], killed_at: float | None) -> int:
    """Compare what was shown with the store, and return the number of compared characters.

    With `killed_at`, include what had been shown or asked for longer than a second.
    """
    store, aside = open_store(chats)
    assert aside is None
    assert store.database.scalar("PRAGMA integrity_check") == "ok"
    assert store.database.scalar("SELECT count(*) FROM messages WHERE state = ?", (STREAMING,)) == 0
    kept = must_be_on_disk(lines, killed_at)
    for answer, text in kept.items():
        assert store.messages.get(answer).content.startswith(text), answer
    # A question is on disk before the engine gets it.
    questions = {line["question"] for line in lines if line.get("shown")}
    if killed_at is not None:
        questions |= {line["asked"] for line in lines if "asked" in line and killed_at - line["at"] > SHOWN_FOR_S}
    assert questions <= {
        row["content"] for row in store.database.rows("SELECT content FROM messages WHERE role = 'user'")
    }
    store.close()
    return sum(map(len, kept.values()))


def kill_often(folder: Path, seed: int, kills: int, longest_s: float, *, by_the_clock: bool = True) -> int:
    draw, chats, compared = random.Random(seed), folder / "chats.db", 0
    for number in range(kills):
        lines, killed_at = run_and_kill(chats, seed * 1000 + number, draw.uniform(0.0, longest_s))
        compared += check(chats, lines, killed_at if by_the_clock else None)
    return compared


@pytest.mark.full
@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.full)])
def test_a_kill_of_the_app_loses_nothing_that_was_shown_before_the_last_write(tmp_path: Path, kills: int) -> None:
    assert kill_often(tmp_path, seed=1, kills=kills, longest_s=1.0, by_the_clock=False) > 0


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(10, 14))
def test_40_kills_of_the_app(tmp_path: Path, seed: int) -> None:
    assert kill_often(tmp_path, seed, kills=10, longest_s=4.0) > 0
