"""A GGUF file is loaded like a folder: the engine turns it into one first, once."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from huggingface_hub import constants

from engine import Engine
from engine.errors import EngineClosed, EngineError, ModelNotUsable
from engine.finding.gguf_models import conversion_of
from engine.gguf.provenance import NAME, read_provenance
from engine.upkeep import models
from tests.engine.serving_requests import ask, finished
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S
from tests.tiny_gguf import write_gguf


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "tiny.gguf")


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.mark.full
def test_a_file_is_a_main_model_a_draft_and_one_beside_others(file: Path, cache: Path, engine: Engine) -> None:
    pair = engine.load(file).result(PATIENCE_S)
    assert pair.main is not None
    assert (pair.main.path, pair.main.name) == (conversion_of(file, cache), "tiny")
    plain = finished(ask(engine, method="off", max_tokens=12))
    other = write_gguf(file.with_name("other.gguf"), seed=1)
    drafting = engine.set_draft(other).result(PATIENCE_S)
    assert (drafting.draft_problem, drafting.draft_path) == (None, conversion_of(other, cache))
    assert finished(ask(engine, method="draft", depth=3, max_tokens=12)).ids == plain.ids
    beside = engine.load_additional(other).result(PATIENCE_S)
    assert beside.main is not None
    assert beside.main.path == conversion_of(other, cache)


@pytest.mark.full
def test_a_file_without_a_name_of_its_own_kind_is_known_by_its_content(file: Path, engine: Engine) -> None:
    blob = file.rename(file.with_name("sha256-00"))
    assert engine.load(blob).result(PATIENCE_S).main is not None


@pytest.mark.full
def test_a_damaged_file_leaves_the_models_in_use_and_no_folder(file: Path, cache: Path, engine: Engine) -> None:
    before = engine.load(file).result(PATIENCE_S)
    cut = write_gguf(file.with_name("cut.gguf"))
    os.truncate(cut, cut.stat().st_size // 2)
    with pytest.raises(ModelNotUsable) as caught:
        engine.load(cut).result(PATIENCE_S)
    assert caught.value.reason == "incomplete"
    assert not conversion_of(cut, cache).exists()
    assert engine.status().result(PATIENCE_S).resident[0].main == before.main


@pytest.mark.parametrize("named", by_tier(["file", "folder"], ["folder"]))
def test_a_folder_of_an_older_version_is_renewed_while_its_file_is_there(
    named: str, file: Path, cache: Path, engine: Engine
) -> None:
    engine.load(file).result(PATIENCE_S)
    folder = conversion_of(file, cache)
    made = read_provenance(folder)
    assert made is not None
    older = msgspec.structs.replace(made, version=0)
    (folder / NAME).write_bytes(msgspec.json.encode(older))
    if named == "folder":
        file.rename(file.with_suffix(".moved"))
        engine.load(folder).result(PATIENCE_S)
        assert read_provenance(folder) == older
        file.with_suffix(".moved").rename(file)
    engine.load(file if named == "file" else folder).result(PATIENCE_S)
    assert read_provenance(folder) == made


@pytest.mark.full
def test_the_progress_is_one_over_the_conversion_and_what_is_read_after_it(
    file: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.load(write_gguf(file.with_name("before.gguf"), seed=1)).result(PATIENCE_S)
    assert engine.converting
    seen = []

    def half(_source: Path, _folder: Path, on_progress: Callable[[int, int], object], _: threading.Event) -> None:
        seen.append((engine.loading_progress, engine.converting))
        on_progress(50, 100)
        seen.append((engine.loading_progress, engine.converting))
        raise ModelNotUsable(file, "damaged")

    monkeypatch.setattr(models, "convert", half)
    with pytest.raises(ModelNotUsable):
        engine.load(file).result(PATIENCE_S)
    # Nothing is left of the load before.
    assert seen == [((0, 0), False), ((50, 110), True)]


def test_closing_the_engine_ends_a_conversion(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    def endless(_source: Path, _folder: Path, _progress: object, cancelled: threading.Event) -> None:
        begun.set()
        assert cancelled.wait(PATIENCE_S)
        ended.set()
        raise EngineClosed

    monkeypatch.setattr(models, "convert", endless)
    with Engine() as engine:
        loading = engine.load(file)
        assert begun.wait(PATIENCE_S)
    with pytest.raises(EngineError):
        loading.result(PATIENCE_S)
    assert ended.is_set()


@pytest.mark.full
def test_the_folder_says_which_tokens_end_an_answer(file: Path, cache: Path, engine: Engine) -> None:
    engine.load(file).result(PATIENCE_S)
    config = json.loads((conversion_of(file, cache) / "generation_config.json").read_text())
    assert config["eos_token_id"] == [1, 2]
