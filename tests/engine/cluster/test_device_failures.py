"""A failure of rank 0's device ends the requests under way; the ranks stay in step and answer the next request."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engine import Engine, Failed
from engine.cluster.cluster import Cluster
from engine.computers.hosts import parse_machines
from engine.errors import DeviceFailed
from tests.engine.cluster import failing_rank
from tests.engine.cluster.families import write_family
from tests.engine.serving_requests import ask, finished
from tests.patience import PATIENCE_S
from tests.tiny_models import write_disturbed_copy


@pytest.mark.full
@pytest.mark.expects_log
@pytest.mark.parametrize(("split", "family"), [("tensor", "qwen2"), ("pipeline", "qwen3_next")])
def test_a_failure_at_any_moment_of_a_pass_ends_its_request_and_not_the_cluster(
    split: str, family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main, fails, draw = write_family(family, tmp_path / "main", 2), tmp_path / "fails", random.Random(5)
    draft = write_disturbed_copy(main, tmp_path / "draft", amount=0.02)
    monkeypatch.setattr("engine.cluster.launch.own_command", failing_rank.own_command)
    monkeypatch.setenv(failing_rank.FAILS, str(fails))
    with Engine() as engine:
        engine.load(main, draft).result(timeout=PATIENCE_S)
        expected = finished(ask(engine, method="off", max_tokens=12)).ids
    failed = 0
    with Cluster(parse_machines("127.0.0.1,127.0.0.1"), split=split) as cluster:
        cluster.engine.load(main, draft).result(timeout=PATIENCE_S)
        for evaluation in range(1, 13):
            fails.write_text(str(evaluation))
            last = ask(cluster.engine, method=draw.choice(("off", "draft", "auto")), max_tokens=12)[-1]
            if isinstance(last, Failed):
                failed += 1
                assert isinstance(last.error, DeviceFailed)
            assert finished(ask(cluster.engine, method="draft", max_tokens=12)).ids == expected
        assert cluster.error is None
    assert failed
