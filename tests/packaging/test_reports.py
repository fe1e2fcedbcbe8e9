"""What people report becomes rows, points of estimates and confirmed chips; what is hostile or damaged adds nothing."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.settings.checkup import gather, report
from app.settings.declarations import SettingsValues
from engine.advice.published_gains import points_of
from engine.bench.pair_check import PairCheck
from engine.files.system_memory import SystemMemory
from engine.machine.facts import MachineFacts
from engine.row_kernels.choice import sources_digest

ROOT = Path(__file__).resolve().parents[2]
FILES = ("README.md", "resources/published_gains.json", "resources/confirmed_chips.json", "resources/catalog.json")
MAC = MachineFacts("Apple M4 Pro", "macOS 26.2", SystemMemory(48 * 2**30, 20 * 2**30), False, False, 0, "allowed")
MAIN, HEAD = "mlx-community/Qwen3-8B-4bit", "z-lab/Qwen3-8B-DFlash-b16"
PAIR = PairCheck(MAIN, HEAD, 36 * 10**9, 40.0, 90.0, 2.2, 0.7, 12, identical=True)
KERNELS = {"architecture": "applegpu_g17s", "kernels": sources_digest(), "well": True}


def said(pair: PairCheck = PAIR, facts: MachineFacts = MAC) -> dict[str, Any]:
    """What `tandem doctor --json` prints on a Mac."""
    checkup = gather(facts, SettingsValues(), pair)
    # As installed; this checkout has a version, too.
    checkup["versions"] |= {"Tandem": "0.1.0"}
    told: dict[str, Any] = json.loads(report(checkup))
    return told


def issue(number: int, author: str, *objects: dict[str, Any] | str) -> dict[str, Any]:
    """An issue as GitHub makes it of the form, and `gh` prints it."""
    texts = [text if isinstance(text, str) else json.dumps(text) for text in objects]
    body = "\r\n\r\n".join(f"### Report\r\n\r\n```json\r\n{text}\r\n```" for text in texts)
    return {"number": number, "author": {"login": author}, "body": body}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with the files that reports change."""
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    monkeypatch.setattr(import_module("reports"), "ROOT", tmp_path)
    (tmp_path / "resources").mkdir()
    for file in FILES:
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def turn(checkout: Path, *issues: dict[str, Any]) -> dict[str, str]:
    """Turn issues into the files, and return these."""
    (checkout / "issues.json").write_text(json.dumps(issues), encoding="utf-8")
    sys.modules["reports"].main(str(checkout / "issues.json"))
    return {file: (checkout / file).read_text(encoding="utf-8") for file in FILES}


def test_without_reports_nothing_changes(checkout: Path) -> None:
    assert turn(checkout) == {file: (ROOT / file).read_text(encoding="utf-8") for file in FILES}


def test_reports_become_rows_and_a_point_of_the_estimates(checkout: Path) -> None:
    slower = replace(PAIR, best_tps=80.0, times=2.0)
    files = turn(checkout, issue(7, "anna", said()), issue(9, "bert", said(slower)), issue(8, "anna", said()))
    row = f"| Apple M4 Pro, 48 GB | 26.2 | 0.1.0, 0.32.4, 0.32.2 | {MAIN} + {HEAD} | 40.0, 90.0 | 70% | yes |"
    assert row in files["README.md"].splitlines()
    assert files["README.md"].count("| Apple M4 Pro, 48 GB |") == 2
    assert "no report yet" not in files["README.md"]
    point = points_of(json.loads(files["resources/published_gains.json"]))[-1]
    assert (point.chip, point.kind, point.bits, point.mixture) == ("Apple M4 Pro", "dflash", 4, False)
    assert (point.least, point.most, point.source) == (2.0, 2.2, "Tandem reports #8, #9")
    # Once more, and without them: no row or point stays behind.
    assert turn(checkout, issue(9, "bert", said(slower)), issue(8, "anna", said())) == files
    assert turn(checkout)["resources/published_gains.json"] == (ROOT / FILES[1]).read_text(encoding="utf-8")


def test_what_is_unknown_or_measured_too_little_is_a_row_but_no_point(checkout: Path) -> None:
    other = said(replace(PAIR, draft="somebody/a-head"))
    little, ended = said(replace(PAIR, answers=3)), said(replace(PAIR, ended="busy"))
    files = turn(checkout, issue(1, "anna", other), issue(2, "bert", little), issue(3, "cleo", ended))
    assert files["README.md"].count("| Apple M4 Pro, 48 GB |") == 3
    assert files["resources/published_gains.json"] == (ROOT / FILES[1]).read_text(encoding="utf-8")


def changed(*path: str, to: object) -> dict[str, Any]:
    """A report with another value at a place."""
    told = said()
    inner = told
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = to
    return told


HOSTILE = {
    "table": changed("chip", to="Apple M4 | <img src=x> |"),
    "line": changed("chip", to="Apple M4\n"),
    "link": changed("models", "main", to="a/b](https://example.org)"),
    "html": changed("models", "draft", to="a/<script>"),
    "folder": changed("models", "main", to="/Users/anna/model"),
    "system": changed("system", to="macOS 26.2\n## Reports"),
    "version": changed("versions", "Tandem", to="0.1.0 @everyone"),
    "digits": changed("system", to="macOS ٢٦"),
    "huge": changed("speed", "best_tokens_per_second", to=1e300),
    "negative": changed("speed", "times", to=-2.2),
    "words": changed("speed", "times", to="2.2"),
    "boast": changed("speed", "times", to=15.0),
    "share": changed("speed", "accept_rate", to=7),
    "memory": changed("memory", "total", to=0),
    "missing": {name: value for name, value in said().items() if name != "speed"},
    "unmeasured": changed("speed", to=None),
    "power": changed("low_power_mode", to=True),
    "infinite": json.dumps(changed("speed", "times", to=2.5)).replace("2.5", "Infinity"),
    "deep": '{"chip": ' + "[" * 9_000 + "]" * 9_000 + "}",
    "long": changed("more", to="x" * 30_000),
    "no object": "[1, 2]",
    "damaged": json.dumps(said())[:-5],
    "kernel": KERNELS | {"architecture": 'applegpu_g17s", "*'},
    "kernel name": KERNELS | {"architecture": "*"},
    "kernel lost": KERNELS | {"well": False},
    "kernel more": KERNELS | {"more": 1},
    "old kernels": KERNELS | {"kernels": "0123456789abcdef"},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_object_adds_nothing(checkout: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = turn(checkout, *(issue(number, f"somebody-{number}", HOSTILE[name]) for number in (13, 14)))
    assert files == {file: (ROOT / file).read_text(encoding="utf-8") for file in FILES}
    assert ("#13 adds nothing: " in capsys.readouterr().out) == (name != "old kernels")


def test_a_chip_is_confirmed_by_two_people_with_the_kernels_as_they_are(checkout: Path) -> None:
    (checkout / FILES[2]).write_text('["applegpu_g17g"]', encoding="utf-8")
    first = turn(checkout, issue(1, "anna", said(), KERNELS), issue(2, "anna", KERNELS))
    assert json.loads(first[FILES[2]]) == ["applegpu_g17g"]
    both = turn(checkout, issue(1, "anna", said(), KERNELS), issue(2, "bert", KERNELS))
    assert json.loads(both[FILES[2]]) == ["applegpu_g17g", "applegpu_g17s"]


def test_the_form_has_its_objects_in_blocks_of_json_and_the_label_that_is_asked_for() -> None:
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / "report.yml").read_text(encoding="utf-8"))
    assert form["labels"] == ["report"]
    assert "--label report" in (ROOT / "packaging" / "reports.py").read_text(encoding="utf-8")
    fields = [part for part in form["body"] if part["type"] == "textarea"]
    assert [(part["id"], part["attributes"]["render"], part["validations"]["required"]) for part in fields] == [
        ("report", "json", True),
        ("kernels", "json", False),
    ]
    assert form["name"] in (ROOT / "README.md").read_text(encoding="utf-8")
