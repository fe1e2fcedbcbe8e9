"""The whole app killed at any moment: what was on screen for a second is there at the next start."""

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

from app.conversations.opening import open_store
from app.conversations.records import STREAMING

# What a person has seen this long is on disk.
SHOWN_FOR_S = 1.0
ROOT = Path(__file__).resolve().parents[2]


def run_and_kill(chats: Path, seed: int, after_s: float) -> tuple[list[dict[str, Any]], float]:
    """What the app said it had shown until it was killed, `after_s` seconds after its window opened, and when."""
    log = chats.with_suffix(f".{seed}.log")
    with log.open("wb") as output:
        victim = subprocess.Popen(
            [sys.executable, "-m", "tests.app.chat_victim", str(chats), str(seed)],
            cwd=ROOT,
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
            stdout=output,
        )
        while victim.poll() is None and b"opened" not in log.read_bytes():
            time.sleep(0.02)
        time.sleep(after_s)
        killed_at = time.monotonic()
        victim.send_signal(signal.SIGKILL)
        assert victim.wait() == -signal.SIGKILL
    lines = log.read_bytes().decode().split("\n")
    return [json.loads(line) for line in lines[:-1]], killed_at


def check(chats: Path, lines: list[dict[str, Any]], killed_at: float) -> int:
    """Compare what was shown with the store; how many texts were compared."""
    old = [line for line in lines if killed_at - line["at"] > SHOWN_FOR_S]
    store, report = open_store(chats)
    assert report.damage is None
    assert store.database.scalar("PRAGMA integrity_check") == "ok"
    assert store.database.scalar("SELECT count(*) FROM messages WHERE state = ?", (STREAMING,)) == 0
    answers: dict[str, list[str]] = {}
    rows = store.database.rows(
        "SELECT q.content AS question, a.content AS answer FROM messages AS q LEFT JOIN messages AS a"
        " ON a.parent_id = q.id WHERE q.role = 'user'"
    )
    for row in rows:
        answers.setdefault(row["question"], []).append(row["answer"] or "")
    for line in old:
        if "asked" in line:
            assert line["asked"] in answers
        elif line.get("shown"):
            assert any(kept.startswith(line["shown"]) for kept in answers[line["question"]]), line
    store.close()
    return len(old)


def kill_often(folder: Path, seed: int, kills: int, longest_s: float) -> int:
    draw = random.Random(seed)
    return sum(
        check(
            folder / "chats.db", *run_and_kill(folder / "chats.db", seed * 1000 + number, draw.uniform(1.5, longest_s))
        )
        for number in range(kills)
    )


def test_a_kill_of_the_app_loses_nothing_that_was_on_screen_for_a_second(tmp_path: Path) -> None:
    assert kill_often(tmp_path, seed=1, kills=2, longest_s=2.5) > 0


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(10, 14))
def test_40_kills_of_the_app(tmp_path: Path, seed: int) -> None:
    assert kill_often(tmp_path, seed, kills=10, longest_s=4.0) > 0
