"""`tandem doctor` prints what the machine says and what a pair does, as a page and as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.__main__ import main
from app.settings.checkup import gather, report
from app.settings.declarations import SettingsValues
from app.settings.store import SettingsStore
from app.system.paths import settings_folder
from app.wording import checkup
from app.wording.rounding import PROBLEMS
from engine import LearnedPair, starter_pair
from engine.advice.fit import memory_for_models
from engine.bench import pair_check
from engine.files.steps import Steps
from engine.files.system_memory import SystemMemory
from engine.machine import facts
from engine.machine.facts import MachineFacts
from engine.main_model.loaded_model import LoadedModel
from engine.speculation.choosing.race_journal import RaceJournal
from engine.status import LoadedPair
from engine.tuning import KernelProblem, KeyRange, Rounding
from engine.upkeep import rounding_probe
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.engine.lossless.rounding_machines import shorten_probe

MAC = MachineFacts("Apple M4 Pro", "macOS 26.1", SystemMemory(48 * 10**9, 30 * 10**9), True, False, 40000, "denied")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "read_facts", lambda: MAC)
    monkeypatch.setattr(pair_check, "_TOKENS", 8)
    monkeypatch.setattr(pair_check.check_pair, "__defaults__", (0.0,))
    shorten_probe(monkeypatch)


def test_the_page_has_a_line_for_each_fact_and_both_speeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "# Results of the check"
    said = dict(line.removeprefix("- ").split(": ", 1) for line in lines[2:])
    assert said["Chip"] == "Apple M4 Pro"
    assert said["Memory"] == "48.0 GB, of which 30.0 GB is free."
    assert said["Memory for models"].endswith("iogpu.wired_limit_mb is set to 40000.")
    assert "Low Power Mode is on" in said["Power"]
    assert "Privacy & Security > Local Network" in said["Local network"]
    assert said["Models"] == "starter/main + starter/draft"
    assert said["Plain decoding"].endswith("tokens/s")
    assert "× as fast" in said["With speculation"]


@pytest.mark.parametrize(
    ("found", "bundled", "line", "advice"),
    [
        ("needs_newer_macos", False, "- System: ", "macOS 26.1 · Update to macOS 26.2 or newer"),
        ("lacks_accelerator_kernels", False, "- Chip: ", "SYSTEM_VERSION_COMPAT=0 .venv/bin/pip install"),
        ("lacks_accelerator_kernels", True, "- Chip: ", "Tandem for macOS 26.2"),
    ],
)
def test_the_page_says_which_macos_or_mlx_this_mac_needs(
    found: str,
    bundled: bool,
    line: str,
    advice: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(checkup, "in_bundle", lambda: bundled)
    monkeypatch.setattr(facts, "read_facts", lambda: replace(MAC, **{found: True}))
    assert main(["doctor", "--no-speed"]) == 0
    assert advice in next(one for one in capsys.readouterr().out.splitlines() if one.startswith(line))


@pytest.mark.parametrize(
    ("blas", "line"),
    [
        (
            "OpenBLAS 0.3.23 Zen, 1 threads (scipy-openblas32)",
            "- Matrix products: OpenBLAS 0.3.23 Zen, 1 threads (scipy-openblas32)",
        ),
        ("reference (slow): install OpenBLAS", "sudo apt-get install libopenblas0-pthread"),
        # A Mac multiplies on its GPU.
        (None, None),
    ],
)
def test_the_page_says_which_blas_the_figures_are_of(
    blas: str | None, line: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(facts, "read_facts", lambda: replace(MAC, blas=blas))
    assert main(["doctor", "--no-speed"]) == 0
    said = [one for one in capsys.readouterr().out.splitlines() if "Matrix products" in one]
    assert len(said) == (0 if line is None else 1)
    assert all(line in one for one in said if line is not None)
    assert main(["doctor", "--no-speed", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["blas"] == blas


def probe_different_rounding(_main: LoadedModel, _free: int, _races: RaceJournal) -> Steps[Rounding]:
    """Find that no two widths round alike."""
    yield
    return Rounding((KeyRange(1117, 1),))


@pytest.mark.parametrize(
    ("settings", "rounding", "speed"),
    [
        ({"same_text": True}, "so answers are written without draft tokens.", "No draft tokens were used."),
        ({}, "is off, so the text may differ by rounding.", "tokens were accepted."),
        ({"method": "off"}, "on this computer.", "off in the settings."),
    ],
)
@pytest.mark.full
def test_the_speeds_are_those_of_the_settings_and_agree_with_the_line_on_rounding(
    settings: dict[str, Any],
    rounding: str,
    speed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(rounding_probe, "probe_rounding", probe_different_rounding)
    SettingsStore(settings_folder() / "settings.json").change(**settings)
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    said = dict(line.removeprefix("- ").split(": ", 1) for line in out.splitlines()[2:])
    assert said["Rounding"].endswith(rounding)
    assert said["With speculation"].endswith(speed)
    assert "this mac" not in out.lower()


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEngine]:
    """The engine that is started: no pair is loaded, and no two widths round alike."""
    engine = ScriptedEngine()
    engine.known = [LearnedPair(("main", "draft"), loaded=True, rounding=Rounding((KeyRange(1117, 1),)))]
    monkeypatch.setattr("engine.Engine", lambda _: nullcontext(engine))
    yield engine
    engine.close()


def test_it_asks_as_the_settings_say(scripted: ScriptedEngine, capsys: pytest.CaptureFixture[str]) -> None:
    SettingsStore(settings_folder() / "settings.json").change(same_text=True)
    assert main(["doctor"]) == 0
    asked = [request.speculation for request in scripted.requests]
    assert {(one.method, one.same_text) for one in asked if one.method != "off"} == {("auto", True)}
    rounding = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("- Rounding: "))
    assert rounding.endswith("so answers are written without draft tokens.")


def test_the_json_has_the_same_and_no_paths(scripted: ScriptedEngine, capsys: pytest.CaptureFixture[str]) -> None:
    starter = replace(model_info(starter_pair()[0]), name="starter/main")
    scripted.loads = [LoadedPair(starter, None, crowded=True)]
    assert main(["doctor", "--json", "--draft", "none"]) == 0
    out, err = capsys.readouterr()
    assert "other apps may get slower" in err
    found = json.loads(out)
    assert found["models"] == {"main": "starter/main", "draft": None}
    assert found["speed"]["plain_tokens_per_second"] > 0
    assert found["speed"]["identical"] is True
    assert found["low_power_mode"] is True
    assert str(Path.home()) not in out


def test_the_page_and_the_report_say_which_kernels_were_given_up() -> None:
    problems = (KernelProblem("products", "unfinished"), KernelProblem("attention", "refused"))
    rounding = Rounding((KeyRange(1117, 4),), problems=problems)
    found = gather(MAC, SettingsValues(), pair_check.PairCheck("starter/main", "", rounding=rounding))
    assert all(sentence in checkup.page(found) for sentence in PROBLEMS.data.values())
    reported = json.loads(report(found))["rounding"]["problems"]
    assert reported == [{"kernel": problem.kernel, "why": problem.why} for problem in problems]


def test_a_pair_that_cannot_be_loaded_is_named_and_the_rest_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--main", str(tmp_path / "missing")]) == 1
    out = capsys.readouterr().out
    assert "- Chip: Apple M4 Pro" in out
    assert "missing" in out
    # A sentence may name a folder, so it is none of the report's.
    assert main(["doctor", "--json", "--main", str(tmp_path / "missing")]) == 1
    out, err = capsys.readouterr()
    assert str(tmp_path) not in out
    assert "missing" in err


@pytest.mark.full
def test_without_speed_nothing_is_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    SettingsStore(settings_folder() / "settings.json").change(main_model="/no/such/model")
    assert main(["doctor", "--no-speed"]) == 0
    out = capsys.readouterr().out
    assert "- Plain decoding: Not measured." in out
    # The window says the same before an engine runs.
    assert f"- Memory for models: {memory_for_models(MAC.memory.total) / 1e9:.1f} GB" in out
    SettingsStore(settings_folder() / "settings.json").change(memory_limit_gb=7.5)
    assert main(["doctor", "--no-speed"]) == 0
    assert "- Memory for models: 7.5 GB" in capsys.readouterr().out
    code = "import sys; from app.__main__ import main; main(['doctor', '--no-speed']); print('mlx.core' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.endswith("False\n")
