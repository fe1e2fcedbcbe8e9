"""A draft model that was taught drafts ahead as it was taught, wherever its runner is."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import mlx.core as mx
import pytest
from msgspec.structs import replace

from engine.ahead import messages
from engine.ahead.link import RunnerLink
from engine.ahead.messages import PreparedTree
from engine.main_model.loading import load
from engine.main_model.low_rank import adapter_of, add_adapter, apply_low_rank, as_bytes, from_bytes
from engine.requests import SamplingSettings
from engine.teaching.kept import FILE, taught_content
from tests.engine.ahead.runners import BEGIN, FIRST, on_a_thread, untouched
from tests.patience import wait_until

GREEDY = replace(BEGIN, sampling=SamplingSettings(temperature=0.0))


@pytest.fixture
def taught(tiny_draft: Path) -> bytes:
    """The file of an adapter that changes most of what the draft model says."""
    model = load(tiny_draft).model
    add_adapter(model)
    mx.random.seed(3)
    weights = {name: mx.random.normal(array.shape) for name, array in adapter_of(model).items()}
    return as_bytes(weights, {"models": "", "before": "0.1", "after": "0.2"})


def proposed(folder: Path, content: Callable[[], bytes]) -> tuple[int, ...]:
    """Return what a runner proposes after a short text."""
    link = RunnerLink(partial(on_a_thread, folder, untouched), taught=content)
    try:
        wait_until(lambda: link.state != "starting")
        assert link.send(GREEDY)
        assert link.send(FIRST)
        trees: list[PreparedTree] = []

        def has_proposed() -> bool:
            message = link.receive(0.01)
            trees.extend([message] if isinstance(message, PreparedTree) else [])
            return bool(trees)

        wait_until(has_proposed)
        return trees[0].proposed
    finally:
        link.close()


def drafted(folder: Path, content: bytes) -> tuple[int, ...]:
    """Return what the model itself says after the same text, once it was taught `content`."""
    model = load(folder).model
    if content:
        apply_low_rank(model, from_bytes(content)[0])
    text = list(FIRST.tokens)
    for _ in range(FIRST.depth):
        text.append(int(model(mx.array([text]))[0, -1].argmax().item()))
    return tuple(text[len(FIRST.tokens) :])


def test_a_runner_drafts_as_the_model_was_taught(
    tiny_draft: Path, taught: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Many parts, and a last one that is shorter.
    monkeypatch.setattr(messages, "TAUGHT_PART", 1000)
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair" / FILE).write_bytes(b"of another pair")
    (tmp_path / "this pair").mkdir()
    (tmp_path / "this pair" / FILE).write_bytes(taught)
    digest = hashlib.sha256(taught).hexdigest()[:16]
    said = proposed(tiny_draft, partial(taught_content, tmp_path, digest))
    assert said == drafted(tiny_draft, taught) != drafted(tiny_draft, b"")


@pytest.mark.expects_log
@pytest.mark.parametrize("content", [b"", b"no adapter"])
def test_without_a_sound_file_it_drafts_as_it_was_downloaded(tiny_draft: Path, content: bytes) -> None:
    assert proposed(tiny_draft, lambda: content) == drafted(tiny_draft, b"")


def test_a_file_that_is_gone_is_no_content(tmp_path: Path) -> None:
    assert taught_content(tmp_path, "0123456789abcdef") == b""
    assert taught_content(None, "0123456789abcdef") == b""
