"""Reading prompts is measured for us, for mlx-lm and for a chat from disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.bench import prefill
from engine.loading import load


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


def test_waits_are_counted_over_all_repetitions() -> None:
    readings = [prefill._Reading(2.0, [0.2, 0.3, 1.5]), prefill._Reading(1.0, [0.25, 0.75])]
    figures = prefill._figures(100, readings, [5, 7])
    assert figures == {
        "seconds": 1.5, "tps": 100 / 1.5, "peak": 6, "longest_wait": 1.5, "long_waits": 3, "waits": 5
    }  # fmt: skip


def test_between_its_chunks_mlx_lm_looks_up(tiny_main: Path) -> None:
    reading = prefill._mlx_lm(load(tiny_main), list(range(300, 340)))
    assert len(reading.waits) > 1
    assert sum(reading.waits) == pytest.approx(reading.seconds)


def test_a_reopened_chat_reads_only_the_end_of_its_prompt(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cached = []
    ended = prefill.run_to_end
    monkeypatch.setattr(
        prefill, "run_to_end", lambda *args: cached.append((last := ended(*args)).stats.cached_tokens) or last
    )
    prefill.measure(load(tiny_main), [50], repetitions=2)
    # Ours and reopened in turns; what is stored never shortens ours.
    assert cached == 3 * [0, 49]


def test_a_long_prompt_is_read_once_more_by_each_of_us_only(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = []
    ours, theirs = prefill._ours, prefill._mlx_lm
    monkeypatch.setattr(prefill, "_ours", lambda one, prompt: lengths.append(len(prompt)) or ours(one, prompt))
    monkeypatch.setattr(prefill, "_mlx_lm", lambda one, prompt: lengths.append(len(prompt)) or theirs(one, prompt))
    monkeypatch.setattr(prefill, "_WARM_UP", 20)
    prefill.measure(load(tiny_main), [60], repetitions=1)
    assert lengths == 3 * [20] + 3 * [60]


def test_interrupting_keeps_the_lengths_that_were_measured(tiny_main: Path) -> None:
    def interrupt(progress: str) -> None:
        if "50 tokens" in progress:
            raise KeyboardInterrupt

    report = prefill.measure(load(tiny_main), (30, 50), repetitions=1, progress=interrupt)
    assert report["interrupted"]
    assert list(report["prefill"]) == ["30"]
