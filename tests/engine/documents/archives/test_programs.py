"""Programs that read documents get their bytes, and end when they take too long."""

from __future__ import annotations

import sys

from engine.documents.archives.programs import output_of

ECHO = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])"
SLEEP = "import time; print('begun', flush=True); time.sleep(60)"
BUSY = "import resource; print(resource.getrlimit(resource.RLIMIT_CPU)[0])"


def output(code: str, most_s: int = 20) -> bytes:
    return output_of([sys.executable, "-S", "-c", code], b"abc", most_s)


def test_a_program_gets_bytes_and_returns_others() -> None:
    assert output(ECHO) == b"cba"


def test_a_program_that_fails_or_is_missing_returns_nothing() -> None:
    assert output("print('half'); raise SystemExit(1)") == b""
    assert output_of(["no-such-program"], b"", 1) == b""


def test_a_program_has_a_limit_of_its_own() -> None:
    assert output(BUSY, 17).strip() == b"17"
    assert output(SLEEP, 1) == b""
