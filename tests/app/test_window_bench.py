"""The window's benchmark measures what it says; how long things take is none of a test's business."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.window_bench import _frames, table

if TYPE_CHECKING:
    from app.application import Application


def test_frames_are_counted_while_text_streams_into_a_long_chat(qapp: Application) -> None:
    report = _frames(qapp, messages=20, rate=2000.0, seconds=0.2)
    assert report["tokens"] == 400
    assert report["count"] > 0
    assert 0 < report["median_ms"] <= report["p99_ms"] <= report["worst_ms"]
    words = table({"frames": report, "engine": {"alone_tps": 100.0, "shown_tps": 98.0, "ratio": 0.98}})
    assert "20 messages" in words
    assert "ratio 0.980" in words
