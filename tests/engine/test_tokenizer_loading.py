"""A stranger's tokenizer is made by its record from the second time on, and as the first time where that fails."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from engine import ChatRequest, Engine, EngineSettings, Finished, starter_pair
from engine.errors import TemplateFailed
from engine.loading import LoadedModel, load_in_steps
from engine.prompt_process.client import PROMPT_PROCESS
from engine.prompt_process.protocol import WITHOUT_TRANSFORMERS
from engine.prompts import PromptJob
from engine.recorded_tokenizer import RecordedTokenizer
from engine.steps import run_to_completion
from engine.tokenizer_records import TokenizerRecords
from tests.engine.asking import QUESTION
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.usefixtures("without_compilation")


@pytest.fixture
def records(tmp_path: Path) -> TokenizerRecords:
    return TokenizerRecords(tmp_path / "learned.json")


def loaded(folder: Path, records: TokenizerRecords | None) -> LoadedModel:
    return run_to_completion(load_in_steps(folder, records=records))


def by_record(model: LoadedModel) -> bool:
    """Whether it was made so in this process and in that of the prompts."""
    assert model.prompt_source is not None
    ours = isinstance(model.tokenizer, RecordedTokenizer)
    assert ours == bool(model.prompt_source.record)
    return ours


def test_the_second_time_neither_process_needs_transformers(tiny_main: Path, tmp_path: Path) -> None:
    records = TokenizerRecords(tmp_path / "learned.json")
    first = loaded(tiny_main, records)
    assert not by_record(first)
    PROMPT_PROCESS.end()
    second = loaded(tiny_main, records)
    assert by_record(second)
    assert PROMPT_PROCESS.pid is not None
    assert WITHOUT_TRANSFORMERS in psutil.Process(PROMPT_PROCESS.pid).cmdline()
    job = PromptJob([*QUESTION, {"role": "assistant", "content": "안녕 fox "}], 500)
    prompts = [
        PROMPT_PROCESS.start_prompt(model.prompt_source, job).result(PATIENCE_S)
        for model in (first, second)
        if model.prompt_source is not None
    ]
    assert prompts[0] == prompts[1]
    assert second.encode("quick 日本") == first.encode("quick 日本")
    assert (second.vocabulary, second.end_tokens, second.info) == (first.vocabulary, first.end_tokens, first.info)
    answers = subprocess.run(
        [sys.executable, "-m", "tests.engine.first_token", str(tiny_main), str(tmp_path / "learned.json")],
        capture_output=True,
        check=True,
    )
    assert not {"transformers", "jinja2", "mlx_lm.tokenizer_utils"} & _own_code_of(json.loads(answers.stdout))


def _own_code_of(modules: list[str]) -> set[str]:
    """The modules and packages without those whose own code is put off: these are there, but nothing below them is."""
    return {name.rpartition(".")[0] for name in modules} | {name for name in modules if name == "jinja2"}


def test_a_pair_is_recorded_by_the_engine(tiny_main: Path, tiny_draft: Path, tmp_path: Path) -> None:
    with Engine(EngineSettings(learned_file=tmp_path / "learned.json")) as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        *_, before = engine.submit(ChatRequest(QUESTION, max_tokens=6))
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        *_, after = engine.submit(ChatRequest(QUESTION, max_tokens=6))
    assert isinstance(before, Finished)
    assert isinstance(after, Finished)
    assert before.text == after.text
    assert len(list((tmp_path / "tokenizers").iterdir())) == 2


def test_the_starter_pair_is_not_recorded(records: TokenizerRecords, tmp_path: Path) -> None:
    loaded(starter_pair()[1], records)
    assert not (tmp_path / "tokenizers").exists()


@pytest.mark.parametrize("damage", [b"", b'{"digest": "0"}\n{}', b'{"digest": "cae66941d9efbd404e4d88758ea67670"}\n'])
def test_a_record_that_cannot_be_used_is_made_again(damage: bytes, tiny_main: Path, records: TokenizerRecords) -> None:
    loaded(tiny_main, records)
    path = records.path(tiny_main)
    assert path is not None
    whole = path.read_bytes()
    path.write_bytes(damage)
    assert not by_record(loaded(tiny_main, records))
    assert path.read_bytes() == whole


@pytest.mark.parametrize("error", [TemplateFailed("8", "too-slow"), None])
def test_a_tokenizer_that_cannot_be_recorded_is_loaded_all_the_same_and_tried_once(
    error: TemplateFailed | None,
    tiny_main: Path,
    tmp_path: Path,
    records: TokenizerRecords,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = Path(shutil.copytree(tiny_main, tmp_path / "folder"))
    tried: list[object] = []

    def fail(*asked: object) -> None:
        tried.append(asked)
        if error is not None:
            raise error

    monkeypatch.setattr(PROMPT_PROCESS, "record", fail)
    for _ in range(2):
        assert not by_record(loaded(folder, records))
        assert not records.likely(folder)
    assert len(tried) == 1
    (folder / "README.md").write_text("changed")
    loaded(folder, records)
    assert len(tried) == 2


def test_a_process_without_transformers_makes_way_for_one_with_them(tiny_main: Path, records: TokenizerRecords) -> None:
    loaded(tiny_main, records)
    PROMPT_PROCESS.end()
    PROMPT_PROCESS.start(with_transformers=False)
    light = PROMPT_PROCESS.pid
    model = loaded(tiny_main, records)
    assert by_record(model)
    assert PROMPT_PROCESS.pid == light
    assert not by_record(loaded(tiny_main, None))
    assert PROMPT_PROCESS.pid != light
    assert model.prompt_ids(QUESTION)
