"""The log buffer keeps the program's own records at its own level, and the latest of them only."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest

from app.system.log_buffer import MOST_LINES, LogBuffer

log = logging.getLogger("engine.something")


@pytest.fixture
def buffer() -> Iterator[LogBuffer]:
    """A buffer that keeps records, as in a running window."""
    buffer = LogBuffer()
    buffer.start()
    yield buffer
    buffer.stop()


def test_records_are_kept_from_info_on(buffer: LogBuffer) -> None:
    log.info("after")
    log.debug("too low")
    logging.getLogger("somebody.else").info("another package")
    [line] = buffer.text.splitlines()
    assert line.endswith("INFO     engine.something  after")


def test_only_the_latest_records_are_kept(buffer: LogBuffer) -> None:
    for number in range(MOST_LINES + 1):
        log.info("number %d", number)
    lines = buffer.text.splitlines()
    assert (len(lines), lines[0].split()[-1]) == (MOST_LINES, "1")


def test_other_handlers_keep_their_own_level() -> None:
    root, stream = logging.getLogger(), io.StringIO()
    terminal = logging.StreamHandler(stream)
    root.addHandler(terminal)
    buffer = LogBuffer()
    buffer.start()
    try:
        log.info("for the buffer only")
    finally:
        buffer.stop()
        root.removeHandler(terminal)
    log.info("after the end")
    assert buffer.text.endswith("for the buffer only")
    assert stream.getvalue() == ""
