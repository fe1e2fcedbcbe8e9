"""Bodies of requests are converted in several threads at once, as the server does it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]

# msgspec works out the fields of a class when it first needs them. Before 0.23, a second thread that needed them
# meanwhile ended the process, with one class in four.
_READ_AT_ONCE = """
import sys
from dataclasses import make_dataclass
from threading import Barrier, Thread
import msgspec
from app.api.requests.bodies import body_of

sys.setswitchinterval(1e-6)

def read(kind, barrier):
    barrier.wait()
    assert body_of({"part": {"name": "a", "size": 1}}, kind).part.size == 1

for number in range(60):
    part = make_dataclass(f"Part{number}", [("name", str), ("size", int), ("rest", list[str], ())])
    whole = msgspec.defstruct(f"Whole{number}", [("part", part), ("others", dict[str, part], {})])
    barrier = Barrier(3)
    threads = [Thread(target=read, args=(whole, barrier)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_values_of_a_new_class_are_read_in_several_threads_at_once() -> None:
    run = subprocess.run([sys.executable, "-c", _READ_AT_ONCE], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
