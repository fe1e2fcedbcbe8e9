"""Reading prompts is measured for us, for mlx-lm and for a chat from disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.main_model.loading import load
from tests.benchmarks import prefill


def test_every_length_is_read_in_every_way_whatever_the_context(tiny_main: Path) -> None:
    main = load(tiny_main)
    lengths = (40, main.info.context_length + 100)
    report = prefill.measure(main, lengths, repetitions=2)
    assert list(report["prefill"]) == [str(length) for length in lengths]
    for length, ways in zip(lengths, report["prefill"].values(), strict=True):
        assert list(ways) == ["mlx-lm", "ours", "reopened"]
        assert all(figures["tps"] == pytest.approx(length / figures["seconds"]) for figures in ways.values())
        assert all(0 < figures["longest_wait"] < 2 * figures["seconds"] for figures in ways.values())
        assert all(0 <= figures["long_waits"] <= figures["waits"] for figures in ways.values())
        assert ways["ours"]["peak"] <= 1.1 * ways["mlx-lm"]["peak"] + 2**20
    assert not report["interrupted"]


def test_a_reopened_chat_reads_only_the_end_of_its_prompt(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cached = []
    ended = prefill.run_to_end
    monkeypatch.setattr(
        prefill, "run_to_end", lambda *args: cached.append((last := ended(*args)).stats.cached_tokens) or last
    )
    prefill.measure(load(tiny_main), [50], repetitions=2)
    # Ours and reopened in turns; what is stored never shortens ours.
    assert cached == 3 * [0, 49]
