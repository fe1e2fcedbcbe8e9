"""The table of kinds of heads: every entry is complete, and another kind takes one module and one entry."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engine.finding.discovery import installed_models
from engine.heads.head import Head
from engine.model_files import head_kinds
from engine.model_files.head_kinds import HEAD_KINDS, HeadKind, head_kind, title_of
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.heads import toy_head
from tests.engine.heads.golden import assistant_cases, cases, eagle_cases, mtp_cases
from tests.engine.lossless.chain_sessions import assert_as_read_anew
from tests.engine.serving_requests import PLAIN, alone, load_models, request, run

GOLDEN = [
    *(list(case.tensors) for case in cases.CASES.values()),
    *(list(case.shapes) for case in eagle_cases.CASES.values()),
    *([f"{case.prefix}{name}" for name in case.tensors] for case in mtp_cases.CASES.values()),
    *(list(case.tensors) for case in assistant_cases.CASES.values()),
]


@pytest.mark.parametrize("kind", HEAD_KINDS, ids=[kind.head or kind.name for kind in HEAD_KINDS])
def test_every_kind_is_complete(kind: HeadKind) -> None:
    assert kind.name == kind.name.lower()
    assert title_of(kind.name) == kind.title
    assert (kind.reader == "") == (kind.head == "")
    if kind.head:
        assert callable(pkgutil.resolve_name(kind.reader))
        assert issubclass(pkgutil.resolve_name(kind.head), Head)
        assert kind in map(head_kind, GOLDEN), "no golden case has tensors that tell this kind"


def test_configurations_are_read_without_mlx() -> None:
    readers = [kind.reader for kind in HEAD_KINDS if kind.reader]
    code = f"import pkgutil, sys, engine.heads.folder; [pkgutil.resolve_name(one) for one in {readers}]"
    subprocess.run([sys.executable, "-c", f"{code}; sys.exit('mlx' in sys.modules)"], check=True)


@pytest.mark.parametrize("temperature", [pytest.param(0.0, marks=pytest.mark.full), 0.8])
def test_a_kind_more_is_listed_and_drafts_and_leaves_the_text_as_it_is(
    tiny_main: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, temperature: float
) -> None:
    monkeypatch.setattr(head_kinds, "HEAD_KINDS", (*HEAD_KINDS, toy_head.KIND))
    folder = toy_head.write_toy_head(tmp_path / "head", tiny_main)
    [listed] = installed_models(tmp_path / "none", [tmp_path])
    assert (listed.head, listed.kinds, title_of(listed.head)) == ("toy", ("head",), "Toy")
    with closing(Scheduler()) as scheduler:
        pair = load_models(scheduler, tiny_main, folder)
        assert pair.draft_problem is None
        speculation = SpeculationSettings(method="draft", depth=3)
        asked = request(max_tokens=12, temperature=temperature, speculation=speculation)
        expected = alone(scheduler, replace(asked, speculation=PLAIN))
        [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert client.finished.stats.drafted > 0
        assert_as_read_anew(scheduler)
