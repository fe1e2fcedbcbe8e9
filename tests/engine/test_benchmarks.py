"""The developers' benchmarks have help texts, and those of the engine can measure the starter."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from tests.benchmarks import memory, prefill

OPTIONS = {
    "api": "--max-tokens",
    "memory": "--answers",
    "prefill": "--lengths",
    "ranks": "--delays",
    "window": "--messages",
}


@pytest.mark.parametrize("name", OPTIONS)
def test_a_benchmark_says_what_it_takes(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", [name, "--help"])
    with pytest.raises(SystemExit, match="0"):
        importlib.import_module(f"tests.benchmarks.{name}").main()
    assert OPTIONS[name] in capsys.readouterr().out


@pytest.mark.full
@pytest.mark.parametrize(
    ("benchmark", "options", "words"),
    [
        (prefill, ("--lengths", "20,60", "--repetitions", "1"), ("mlx-lm's peak", "60 tokens", "over 250 ms")),
        (memory, ("--answers", "2", "--max-tokens", "2"), ("weights", "graph", "free buffers", "mlx-lm plain")),
    ],
    ids=["prefill", "memory"],
)
def test_what_was_measured_is_printed(
    benchmark: ModuleType,
    options: tuple[str, ...],
    words: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.argv", ["benchmark", *options])
    benchmark.main()
    printed = capsys.readouterr().out
    assert not [word for word in words if word not in printed]
