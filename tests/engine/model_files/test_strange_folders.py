"""Folders from strangers are loaded and asked on one engine, which answers or reports a clear error for each."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine import ChatRequest, Engine, Failed, Finished
from engine.errors import BadRequest, ModelNotUsable, NotEnoughMemory, PromptTooLong, TemplateFailed
from tests.engine.model_files.model_folders import model_files, write_folder
from tests.engine.model_files.strange_folders import TEMPLATES, Change, prompt_changes, write
from tests.patience import PATIENCE_S

QUESTION = [{"role": "user", "content": "a" * 40 + " ee hello world"}]
CLEAR = (ModelNotUsable, NotEnoughMemory, TemplateFailed, PromptTooLong, BadRequest)


def outcome(engine: Engine, folder: Path) -> str:
    """Return "answered", or the code and reason of a clear error."""
    try:
        error = engine.load(folder).exception(timeout=PATIENCE_S)
    except TimeoutError:
        return "WRONG: hangs"
    if error is None:
        *_, last = engine.submit(ChatRequest(QUESTION, max_tokens=4))
        if isinstance(last, Finished):
            return "answered"
        assert isinstance(last, Failed)
        error = last.error
    if not isinstance(error, CLEAR):
        return f"WRONG: {folder.name} {error}"
    return f"{error.code} {getattr(error, 'reason', '')}".strip()


def run(tmp_path: Path, changes: Sequence[Change]) -> tuple[Counter[str], float]:
    """Return how often each outcome came, and the longest time that a folder took."""
    good = write_folder(tmp_path / "good", model_files())
    counts: Counter[str] = Counter()
    longest = 0.0
    with Engine() as engine:
        for number, change in enumerate(changes):
            folder = write(tmp_path / f"{number:04d}", change)
            began = time.monotonic()
            counts[outcome(engine, folder)] += 1
            longest = max(longest, time.monotonic() - began)
        assert outcome(engine, good) == "answered"
    assert [name for name in counts if name.startswith("WRONG")] == []
    return counts, longest


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Ignore the log: it may report hostile folders."""
    caplog.set_level(logging.CRITICAL + 1)


@pytest.fixture
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.tokenizers.prompt_process.PROMPT_S", 1)


@pytest.mark.usefixtures("short_limits")
def test_some_templates_and_tokenizers_of_strangers_leave_the_engine_alive(tmp_path: Path) -> None:
    """The first and the third normalizer make the tokenizers library panic."""
    templates, tokenizers = list(prompt_changes())[: len(TEMPLATES)], list(prompt_changes())[len(TEMPLATES) :]
    changes = [*templates[2::19], *tokenizers[:3:2], *tokenizers[10::19]]
    counts, _ = run(tmp_path, changes)
    assert counts.total() == len(changes)


@pytest.mark.campaign
def test_everything_of_strangers_leaves_the_engine_alive(tmp_path: Path) -> None:
    changes = list(prompt_changes())
    counts, longest = run(tmp_path, changes)
    print(f"\n{len(changes)} folders, longest {longest:.1f} s: {dict(counts)}")
