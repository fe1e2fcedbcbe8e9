"""A process that is stopped in the middle of its answers, as a computer that sleeps, counts none of that time."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# Answers with the starter pair, and prints each one's figures beside the seconds that it took.
CHILD = """
import json, time
from engine import ChatRequest, Engine, SpeculationSettings, starter_pair
with Engine() as engine:
    engine.load(*starter_pair()).result()
    for number in range(60):
        asked = ChatRequest([{"role": "user", "content": f"Tell me {number} things about the moon."}], max_tokens=200,
                            speculation=SpeculationSettings(method=("off", "auto", "draft")[number % 3]))
        first = last = None
        for event in engine.submit(asked):
            last = time.perf_counter()
            if first is None and hasattr(event, "round"):
                first = last
                print("begins", flush=True)
        stats = event.stats
        seconds = (stats.generated_tokens - 1) / stats.decode_tps
        print(json.dumps([seconds, last - first, stats.draft_s + stats.verify_s + stats.host_s]), flush=True)
"""


@pytest.mark.campaign
def test_six_stops_are_in_no_figure(tmp_path: Path) -> None:
    draw, pause_s = random.Random(6), 4.0
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True, env=environment) as child:
        try:
            assert child.stdout is not None
            hit = number = 0
            while hit < 6:
                assert child.stdout.readline() == "begins\n"
                number += 1
                if number % 2:
                    time.sleep(draw.uniform(0.02, 0.15))
                    child.send_signal(signal.SIGSTOP)
                    time.sleep(pause_s)
                    child.send_signal(signal.SIGCONT)
                shown_s, took_s, rounds_s = json.loads(child.stdout.readline())
                # An answer may end before it is stopped.
                stopped = took_s > pause_s
                hit += stopped
                print(number, stopped, shown_s, took_s, rounds_s)
                assert shown_s == pytest.approx(took_s - stopped * pause_s, rel=0.1, abs=0.2)
                assert rounds_s < 1.1 * (took_s - stopped * pause_s) + 0.2
        finally:
            child.kill()
