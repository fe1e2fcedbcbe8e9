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


def test_a_record_is_kept_from_the_chosen_level_on(buffer: LogBuffer) -> None:
    log.info("before")
    buffer.set_level("info")
    log.info("after")
    log.debug("too low")
    logging.getLogger("somebody.else").info("another package")
    [line] = buffer.text.splitlines()
    assert line.endswith("INFO     engine.something  after")


def test_only_the_latest_records_are_kept(buffer: LogBuffer) -> None:
    buffer.set_level("info")
    for number in range(MOST_LINES + 1):
        log.info("number %d", number)
    lines = buffer.text.splitlines()
    assert (len(lines), lines[0].split()[-1]) == (MOST_LINES, "1")


def test_a_level_chosen_before_the_start_holds_and_other_handlers_keep_their_own() -> None:
    root, stream = logging.getLogger(), io.StringIO()
    terminal = logging.StreamHandler(stream)
    root.addHandler(terminal)
    buffer = LogBuffer()
    buffer.set_level("debug")
    buffer.start()
    try:
        log.debug("for the buffer only")
    finally:
        buffer.stop()
        root.removeHandler(terminal)
    log.debug("after the end")
    assert buffer.text.endswith("for the buffer only")
    assert stream.getvalue() == ""
