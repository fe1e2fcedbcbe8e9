"""The page with pictures says what was measured, and runs nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from app.cli.bench_report import page, write_report
from engine.errors import BadRequest


def report(auto: float = 2.0) -> dict[str, Any]:
    figures = dict.fromkeys(("slowest_speedup", "answer_speedup", "ttft_ratio", "accept_rate", "host_share"), 0.5)
    arms = {
        name: figures
        | {"decode_tps": 9.5, "speedup": speedup, "sources": {"main": 1.0}}
        | {"by_kind": {"chat": {"speedup": speedup}, "code": {"speedup": None}}}
        for name, speedup in (("plain", 1.0), ("auto", auto))
    }
    machine = {"system": "Darwin arm64", "cores": 8, "blas": None, "memory_gb": 64.0, "versions": {"mlx": "1.2"}}
    models = {"main": "big", "draft": "small </script><b>draft</b>"}
    return {"models": models, "machine": machine, "arms": arms, "command": "tandem bench"}


def test_the_page_shows_every_figure_and_nothing_of_a_name_is_markup() -> None:
    text = page(report())
    for figure in ("2.00x", "9.5", "50%", "Darwin arm64", "mlx 1.2", "memory in GB<td>64.0", "command<td>tandem bench"):
        assert figure in text
    assert "<b>draft" not in text
    assert "<script" not in text
    assert "It was interrupted" not in text
    assert "It was interrupted" in page(report() | {"interrupted": True})


def test_all_kinds_have_one_scale() -> None:
    slow = report(4.0)
    slow["arms"]["auto"]["by_kind"]["chat"]["speedup"] = 2.0
    _, whole, _, chat = (float(width) for width in re.findall(r'class="bar" style="width:([\d.]+)%"', page(slow)))
    assert (whole, chat) == (100.0, 50.0)


def test_a_page_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadRequest, match="report"):
        write_report(tmp_path / "file" / "page.html", report())
