"""The page with pictures: it says what was measured, can be read again, and runs nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from app.cli.bench_report import page, read_report, write_report
from engine.errors import BadRequest


def report(auto: float = 2.0, *, draft: str = "small </script><b>draft</b>") -> dict[str, Any]:
    arms = {
        name: {"speedup": speedup, "by_kind": {"chat": {"speedup": speedup}, "code": {"speedup": None}}}
        for name, speedup in (("plain", 1.0), ("auto", auto))
    }
    machine = {"system": "Darwin arm64", "cores": 8, "blas": None, "versions": {"mlx": "1.2"}}
    learned = {"acceptance": {"draft": {"1": 0.9, "2": 0.75}}, "costs": {"draft": {"0": 10.0, "1": 12.5}}}
    return {"models": {"main": "big", "draft": draft}, "machine": machine, "arms": arms, **learned}


def test_a_report_is_read_again_as_it_was(tmp_path: Path) -> None:
    write_report(tmp_path / "one.html", report())
    assert read_report(tmp_path / "one.html") == report()


def test_the_page_shows_every_figure_and_nothing_of_a_name_is_markup() -> None:
    text = page(report())
    for figure in ("2.00x", "90%", "75%", "12.50", "Darwin arm64", "mlx 1.2"):
        assert figure in text
    assert "<b>draft" not in text
    assert text.count("<script") == text.count("</script>") == 1


def test_auto_is_beside_the_best_arm_of_each_kind() -> None:
    share = {"ratio": 0.96, "interval": (0.91, 1.02)}
    found = {"best": "draft", "chosen": 1.0, "here": share, "elsewhere": None}
    text = page(report() | {"beside_best": {"auto": {"chat": found}, "auto with other": {}}})
    assert "<th>chat<td>0.96x (0.91 to 1.02)<td>-<td>draft</tr>" in text
    assert "auto with other" not in text.split("<script")[0]


def test_an_earlier_report_is_shown_beside_it(tmp_path: Path) -> None:
    write_report(tmp_path / "old.html", report(1.5))
    text = page(report(2.0), read_report(tmp_path / "old.html"))
    assert text.count('class="before"') > page(report()).count('class="before"') == 0
    assert "compared with" in text
    assert "2.00x / 1.50x" in text


def test_an_arm_that_only_the_earlier_report_has_is_shown_with_its_figure(tmp_path: Path) -> None:
    earlier = report()
    earlier["arms"]["draft, depth 4"] = {"speedup": 1.7, "by_kind": {}}
    write_report(tmp_path / "old.html", earlier)
    text = page(report(), read_report(tmp_path / "old.html"))
    assert "draft, depth 4" in text
    assert "- / 1.70x" in text


def test_all_kinds_have_one_scale() -> None:
    slow = report(4.0)
    slow["arms"]["auto"]["by_kind"]["chat"]["speedup"] = 2.0
    bars = [float(width) for width in re.findall(r'class="bar" style="width:([\d.]+)%"', page(slow))]
    whole, chat = bars[1], bars[3]
    assert chat == pytest.approx(whole / 2, abs=1)


def test_what_one_of_two_reports_does_not_say_of_its_machine_is_shown_as_missing() -> None:
    newer = report() | {"command": "tandem bench --repetitions 1", "measured": "2026-11-22", "interrupted": True}
    text = page(newer, report())
    assert "<th>command<td>tandem bench --repetitions 1<td>-" in text
    assert "It was interrupted" in text
    assert "It was interrupted" not in page(report())
    assert "<th>measured on<td>-<td>2026-11-22" in page(report(), newer)


@pytest.mark.parametrize("content", ["", "[1]", '{"arms": 3}', "<html>nothing</html>"])
def test_what_is_no_report_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "other.html").write_text(content)
    with pytest.raises(BadRequest, match="compare"):
        read_report(tmp_path / "other.html")


def test_a_page_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadRequest, match="report"):
        write_report(tmp_path / "file" / "page.html", report())
