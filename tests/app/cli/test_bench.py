"""`tandem bench`: what it compares, what it prints, and what it refuses."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.__main__ import main
from app.cli import bench
from engine import starter_pair
from engine.ahead.link import RunnerLink
from engine.ahead.messages import Begin, ToRunner
from engine.bench import arms, concurrency
from tests.app.cli.terminal import Terminal
from tests.tiny_eagle import write_eagle_head
from tests.tiny_heads import write_head
from tests.tiny_models import write_model


def printed_report(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The one object that was printed."""
    [line] = capsys.readouterr().out.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


@pytest.fixture(autouse=True)
def no_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calibrating takes seconds and decides none of the figures here."""
    monkeypatch.setattr("engine.upkeep.upkeep.Upkeep.calibrate", lambda _: None)


@pytest.fixture
def measure(tmp_path: Path) -> Callable[..., int]:
    """Runs `tandem bench` once over a question, or over two; returns the exit code."""

    def run(*arguments: str, two: bool = False, repetitions: int = 1, tokens: int = 6) -> int:
        rows = ['{"text": "What is Tandem?"}', '{"text": "Count from 1 to 9.", "kind": "list"}']
        (tmp_path / "prompts.jsonl").write_text("\n".join(rows[: 1 + two]))
        limits = ["--repetitions", str(repetitions), "--max-tokens", str(tokens)]
        return main(["bench", "--prompts", str(tmp_path / "prompts.jsonl"), *limits, *arguments])

    return run


def test_bench_compares_arms_and_prints_one_object(
    capsys: pytest.CaptureFixture[str], measure: Callable[..., int]
) -> None:
    assert measure("--json", "--ways", "draft; mlx-lm plain", "--against", "mlx-lm", two=True) == 0
    report = printed_report(capsys)
    assert set(report["arms"]) == {"plain", "draft", "mlx-lm plain"}
    assert report["arms"]["plain"]["speedup"] == 1.0
    assert set(report["arms"]["draft"]["by_kind"]) == {"chat", "list"}


@pytest.mark.full
def test_bench_measures_behind_contexts(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--ways", "auto", "--repetitions", "1", "--max-tokens", "3", "--json")
    assert main(["bench", "--context", "1k", *options]) == 0
    report = printed_report(capsys)
    assert set(report["arms"]["auto"]["by_kind"]) == {"0 tokens", "1000 tokens"}
    assert set(report["context_shares"]) <= {"1000 tokens"}


def test_bench_measures_a_head(capsys: pytest.CaptureFixture[str], measure: Callable[..., int], tmp_path: Path) -> None:
    head = write_head(tmp_path / "head", starter_pair()[0])
    assert measure("--json", "--draft", str(head), "--ways", "head; head, depth 4") == 0
    report = printed_report(capsys)
    assert set(report["arms"]) == {"plain", "head", "head, depth 4"}
    assert report["models"]["draft"] == "head"

    other = write_head(tmp_path / "other", write_model(tmp_path / "main"))
    assert measure("--json", "--draft", str(other)) == 1
    assert "made for another main model" in capsys.readouterr().err


@pytest.mark.full
def test_bench_measures_several_drafters_in_one_table(
    capsys: pytest.CaptureFixture[str], measure: Callable[..., int], tmp_path: Path
) -> None:
    main_folder = starter_pair()[0]
    dflash, eagle = write_head(tmp_path / "dflash", main_folder), write_eagle_head(tmp_path / "eagle", main_folder)
    names = "draft, depth 4; ngram, depth 4; dflash; eagle; auto with eagle"
    assert measure("--json", "--also", str(dflash), "--also", str(eagle), "--ways", names) == 0
    report = printed_report(capsys)
    assert set(report["arms"]) == {"plain", *names.split("; ")}
    assert report["models"]["draft"] == "starter/draft"


@pytest.mark.full
def test_bench_measures_drafting_ahead(
    capsys: pytest.CaptureFixture[str], measure: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    send = RunnerLink.send

    def sent(link: RunnerLink, message: ToRunner) -> bool:
        if isinstance(message, Begin):
            begun.append(message.recovery_tokens)
        return send(link, message)

    monkeypatch.setattr(RunnerLink, "send", sent)
    names = "draft, depth 4; draft ahead, depth 4"
    options = ("--draft-ahead", "here", "--draft-ahead-branches", "2")
    assert measure("--json", *options, "--ways", names, tokens=24) == 0
    report = printed_report(capsys)
    assert set(report["arms"]) == {"plain", *names.split("; ")}
    assert set(begun) == {2}


def test_bench_refuses_an_unknown_arm(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--ways", "warp"]) == 2
    assert "warp" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--repetitions", "0"],
        ["--max-tokens", "0"],
        ["--accept", "1.5"],
        ["--accept", "nan", "--synthetic", "20M"],
        ["--temperature", "-1"],
        ["--temperature", "5.1"],
        # An engine takes up to 8 at once.
        *(["--concurrent", counts] for counts in ("0", "two", "1,99")),
        ["--prompts", "tests/benchmarks/schemas.jsonl", "--against", "mlx-lm"],
        ["--draft-ahead", "here", "--synthetic", "20M"],
        ["--context", "0.1k"],
        ["--context", "2k", "--synthetic", "20M"],
    ],
)
def test_bench_refuses_what_it_cannot_measure_before_a_model_is_loaded(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(*_: object) -> None:
        raise AssertionError("a model is loaded")

    monkeypatch.setattr("engine.main_model.loading.load", load)
    assert main(["bench", *arguments]) == 2
    err = capsys.readouterr().err
    assert "must be" in err
    assert err.count("\n") == 1


def test_bench_refuses_prompts_that_are_none(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = ['{"text": 5}', '{"text": "a", "kind": ["x"]}', '{"text": " "}', '{"text": "a"}\n7', None]
    for row in rows:
        path = tmp_path / ("prompts" if row else "none")
        if row:
            path.write_text(row)
        assert main(["bench", "--prompts", str(path)]) == 2
        assert "prompts must be a file" in capsys.readouterr().err


@pytest.mark.full
def test_a_synthetic_pair_agrees_about_as_often_as_asked_for(
    capsys: pytest.CaptureFixture[str], measure: Callable[..., int]
) -> None:
    options = ("--json", "--synthetic", "10M", "--accept", "0.7", "--ways", "draft, depth 2")
    assert measure(*options, two=True, tokens=40) == 0
    assert printed_report(capsys)["arms"]["draft, depth 2"]["accept_rate"] == pytest.approx(0.6, abs=0.2)


def test_without_json_it_prints_the_machine_and_a_line_for_each_way(
    capsys: pytest.CaptureFixture[str], measure: Callable[..., int]
) -> None:
    assert measure("--ways", "draft") == 0
    models, machine, _, head, *rows = capsys.readouterr().out.splitlines()
    assert models == "starter/main with starter/draft"
    assert "cores" in machine
    assert head.split()[:3] == ["way", "tokens/s", "speed-up"]
    assert [line.split()[0] for line in rows[: rows.index("")]] == ["plain", "draft"]
    assert "1.00x" in rows[0]


def test_a_terminal_shows_what_is_going_on_and_then_an_error_alone_on_its_line() -> None:
    terminal = Terminal([sys.executable, "-m", "app", "bench", "--main", "no/such-model"])
    try:
        code, shown = terminal.end()
    finally:
        terminal.close()
    assert (code, shown.count("\n")) == (1, 1)
    _, loading, error = shown.split("\r\x1b[K")
    assert loading == "loading the models"
    assert error.startswith("tandem: no/such-model is not")


def test_answers_at_once_are_compared_with_mlx_lm_in_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--concurrent", "2", "--repetitions", "1", "--max-tokens", "2"]) == 0
    *_, speeds, of_two, _, _, ratios, ratios_of_two = capsys.readouterr().out.splitlines()
    assert " ".join(speeds.split()) == "answers at once tokens/s plain mlx-lm by source"
    assert " ".join(ratios.split()) == "answers at once of mlx-lm plain of mlx-lm of plain of plain at first"
    assert of_two.split()[0] == ratios_of_two.split()[0] == "2"
    assert ratios_of_two.count(" to ") == 3


def test_a_table_of_many_arms_and_kinds_is_at_most_100_columns_wide(capsys: pytest.CaptureFixture[str]) -> None:
    figures: dict[str, Any] = {
        "decode_tps": 1234.5, "speedup": 12.34, "slowest_speedup": 12.34, "answer_speedup": 12.34,
        "ttft_ratio": 12.34, "tokens_per_round": 12.34, "accept_rate": 1.0, "host_share": 1.0,
        "sources": {"main": 1.0, "draft": 1.0, "ngram": 1.0, "grammar": 1.0, "head": 1.0},
    }  # fmt: skip
    kinds = {
        kind: {"speedup": 12.34} for kind in ("chat", "code-edit", "copy", "list", "story", "translation", "maths")
    }
    names = ("plain", "mlx-lm draft, depth 16", "ngram")
    bench.print_report(
        {
            "machine": {"versions": {}, "system": "", "cores": 2, "device": "", "blas": ""},
            "models": {"main": "m", "draft": None},
            "arms": {name: figures | {"by_kind": kinds} for name in names},
            "context_shares": {"2000 tokens": 0.12, "8000 tokens": 0.34},
        }
    )
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert all(sum(kind in line.split() for line in lines) == 1 for kind in kinds)
    assert sum("tokens by source" in line for line in lines) == 1
    assert lines[-1].endswith("2000 tokens 12%, 8000 tokens 34%")


def test_bench_computes_on_the_device_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    devices: list[object] = []
    monkeypatch.setattr("mlx.core.set_default_device", devices.append)
    monkeypatch.setenv("TANDEM_DEVICE", "cpu")

    def load(*_: object) -> None:
        assert len(devices) == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "_load_models", load)
    assert main(["bench"]) == 130


def test_ctrl_c_is_exit_code_130_on_a_line_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "_measure", interrupt)
    assert main(["bench"]) == 130
    assert capsys.readouterr().err == "\n"


@pytest.mark.parametrize("answers_before", [pytest.param(0, marks=pytest.mark.full), 7])
def test_what_was_measured_before_ctrl_c_is_printed(
    answers_before: int,
    capsys: pytest.CaptureFixture[str],
    measure: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two arms, four answers are to warm up, two more are a whole prompt, and the next one is not."""
    run_to_end, asked = arms.run_to_end, []

    def interrupted(*arguments: Any, **settings: Any) -> Any:
        asked.append(arguments)
        if len(asked) > answers_before:
            raise KeyboardInterrupt
        return run_to_end(*arguments, **settings)

    monkeypatch.setattr(arms, "run_to_end", interrupted)
    # A fixed depth is not calibrated.
    options = {"two": True, "repetitions": 2, "tokens": 4}
    assert measure("--ways", "draft, depth 4", "--json", **options) == 130
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert report["interrupted"]
    answered = {name: figures["answers"] for name, figures in report["arms"].items()}
    assert answered == ({"plain": 1, "draft, depth 4": 1} if answers_before else {})
    assert ("measured so far" if answers_before else "nothing was measured yet") in printed.err
    asked.clear()
    assert measure("--ways", "draft, depth 4", **options) == 130
    assert ("1.00x" in capsys.readouterr().out) == bool(answers_before)


@pytest.mark.full
def test_answers_at_once_before_ctrl_c_are_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    batch_generate, asked = concurrency.batch_generate, []

    def interrupted(*arguments: Any, **settings: Any) -> Any:
        asked.append(arguments)
        # Twice for each number of answers to warm up, twice for the first number.
        if len(asked) > 6:
            raise KeyboardInterrupt
        return batch_generate(*arguments, **settings)

    monkeypatch.setattr(concurrency, "batch_generate", interrupted)
    assert main(["bench", "--concurrent", "1,2", "--repetitions", "1", "--max-tokens", "2", "--json"]) == 130
    report = printed_report(capsys)
    assert (report["interrupted"], list(report["concurrent"])) == (True, ["1"])
