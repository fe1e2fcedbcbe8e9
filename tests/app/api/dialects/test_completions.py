"""/v1/completions: prompts that come back with their log-probabilities, as evaluation tools ask for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from engine import Engine, starter_pair
from tests.app.api.serving import Served
from tests.engine.speculation.tokenizers_in_test import metaspace
from tests.tiny_models import write_model

TOKENIZER = Tokenizer.from_file(str(starter_pair()[0] / "tokenizer.json"))
TEXTS = ["The fox sat on the", "Once upon a time"]
SCORED = {"echo": True, "logprobs": 1, "max_tokens": 0, "temperature": 0}


def scored(starter: Served, prompt: Any, **more: Any) -> list[dict[str, Any]]:
    response = starter.post("/v1/completions", {"prompt": prompt, **SCORED, **more})
    assert response.status_code == 200, response.text
    choices: list[dict[str, Any]] = response.json()["choices"]
    return choices


def test_prompts_come_back_with_offsets_and_log_probabilities(starter: Served) -> None:
    for text, choice in zip(TEXTS, scored(starter, TEXTS), strict=True):
        found = choice["logprobs"]
        assert (choice["text"], choice["finish_reason"]) == (text, "length")
        for token, offset in zip(found["tokens"], found["text_offset"], strict=True):
            assert text.startswith(token, offset)
        assert "".join(found["tokens"]) == text
        assert (found["token_logprobs"][0], found["top_logprobs"][0]) == (None, None)
        for value, top in zip(found["token_logprobs"][1:], found["top_logprobs"][1:], strict=True):
            assert value <= max(top.values()) <= 0


SPACED = [" one", "  two the", "   three", " ", "none", "\n x", " \n", " 안녕 the"]


def check_spaces(served: Served, texts: list[str]) -> None:
    for text, choice in zip(texts, scored(served, texts), strict=True):
        assert choice["text"] == text
        found = choice["logprobs"]
        for token, offset in zip(found["tokens"], found["text_offset"], strict=True):
            assert text.startswith(token, offset)


def test_the_spaces_that_begin_a_prompt_come_back(starter: Served) -> None:
    check_spaces(starter, SPACED)
    [by_ids] = scored(starter, TOKENIZER.encode("  two the").ids)
    assert by_ids["text"] == "  two the"


def test_the_spaces_that_begin_a_prompt_come_back_where_the_tokenizer_adds_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its template needs no process of its own, which takes seconds to start.
    monkeypatch.setattr("engine.tokenizers.loading.is_known_good", lambda _: True)
    main = write_model(tmp_path / "main", tokenizer=metaspace())
    with Engine() as engine:
        served = Served(engine, str(main), None)
        # It does not tell a space after the end of a line.
        check_spaces(served, [text for text in SPACED if "\n" not in text])
        served.close()


def test_token_ids_are_scored_as_their_text_and_an_answer_comes_after_them(starter: Served) -> None:
    ids = TOKENIZER.encode(TEXTS[0]).ids
    [whole] = scored(starter, ids, max_tokens=3)
    [by_text], listed = scored(starter, TEXTS[0]), scored(starter, [ids, ids[:3]])
    count = len(ids)
    for found in (whole, listed[0]):
        assert found["logprobs"]["tokens"][:count] == by_text["logprobs"]["tokens"]
        assert found["logprobs"]["token_logprobs"][1:count] == pytest.approx(
            by_text["logprobs"]["token_logprobs"][1:], abs=1e-3
        )
    assert len(listed[1]["logprobs"]["tokens"]) == 3
    assert len(whole["logprobs"]["tokens"]) == count + 3
    assert whole["text"] == "".join(whole["logprobs"]["tokens"])


def test_a_stream_begins_with_the_prompt(starter: Served) -> None:
    [whole] = scored(starter, TEXTS[0], max_tokens=3)
    chunks = list(starter.events("/v1/completions", {"prompt": TEXTS[0], **SCORED, "max_tokens": 3}))
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    assert "".join(choice["text"] for choice in choices) == whole["text"]
    offsets = [offset for choice in choices if choice["logprobs"] for offset in choice["logprobs"]["text_offset"]]
    assert offsets == whole["logprobs"]["text_offset"]


@pytest.mark.full
def test_the_official_client_scores_a_text(starter: Served) -> None:
    with starter.openai() as client:
        [choice] = client.completions.create(model="default", prompt=TEXTS[0], **SCORED).choices
    assert choice.text == TEXTS[0]
    assert choice.logprobs is not None
    assert choice.logprobs.text_offset == [0, 3, 7, 9, 11, 14]


def test_a_token_id_that_the_model_lacks_is_a_fault_of_the_prompt(starter: Served) -> None:
    response = starter.post("/v1/completions", {"prompt": [1, 10**6], "max_tokens": 1})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "prompt")


def test_an_answer_of_no_tokens_reads_the_prompt(starter: Served) -> None:
    answered = starter.post("/v1/completions", {"prompt": TEXTS[0], "max_tokens": 0}).json()
    [choice] = answered["choices"]
    assert (choice["text"], choice["finish_reason"]) == ("", "length")
    assert answered["usage"]["prompt_tokens"] > 0
    assert answered["usage"]["completion_tokens"] == 0
