"""`tandem bench --api`: two servers, many clients, one table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.__main__ import main
from app.bench import api_bench


def test_a_server_that_does_not_start_is_a_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["bench", "--api", "--main", str(tmp_path), "--draft", "none"]) == 1
    assert "the server of tandem did not start" in capsys.readouterr().err


def test_the_table_has_a_line_for_each_number_of_clients() -> None:
    figures = {"tokens_per_s": 350.1, "mlx_lm_tokens_per_s": 72.8, "ratio": 4.8}
    table = api_bench.table({"concurrent": {"1": figures, "4": figures}})
    assert table.splitlines()[0] == "1 clients: 350.1 tokens/s, mlx-lm's server 72.8, ratio 4.8"
    assert len(table.splitlines()) == 2


@pytest.mark.campaign
def test_both_servers_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--api", "--repetitions", "1", "--max-tokens", "16", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert list(report["concurrent"]) == ["1", "4", "8"]
    assert all(figures["ratio"] > 0 for figures in report["concurrent"].values())
