"""Classes whose values msgspec reads are known to it before two threads read them at once."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# Three threads read values of classes that nothing has read before. Without `prepared`, one class in four crashes.
_READ_AT_ONCE = """
import sys
from dataclasses import make_dataclass
from threading import Barrier, Thread
import msgspec
from engine.files.typed_data import prepared

sys.setswitchinterval(1e-6)

def read(kind, barrier):
    barrier.wait()
    assert msgspec.convert({"part": {"name": "a", "size": 1}}, prepared(kind)).part.size == 1

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


def _classes_read(path: Path) -> Iterator[ast.expr]:
    """Yield what a module names as the type of a value for msgspec to read."""
    text = path.read_text(encoding="utf-8")
    for call in ast.walk(ast.parse(text)) if "msgspec." in text else ():
        if not isinstance(call, ast.Call):
            continue
        name = ast.unparse(call.func)
        if name == "msgspec.convert":
            yield call.args[1]
        elif name == "msgspec.json.decode":
            yield from (keyword.value for keyword in call.keywords if keyword.arg == "type")


def test_every_class_that_msgspec_reads_is_prepared() -> None:
    unprepared = {
        f"{path.relative_to(ROOT)}: {ast.unparse(kind)}"
        for package in ("app", "engine")
        for path in (ROOT / package).rglob("*.py")
        for kind in _classes_read(path)
        # Built-in types have no fields to work out.
        if not ast.unparse(kind).startswith(("prepared(", "dict[", "list["))
    }
    assert unprepared == set()
