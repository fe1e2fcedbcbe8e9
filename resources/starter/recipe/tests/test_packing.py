import itertools

import numpy as np
import pytest

from resources.starter.recipe.conversations import Conversation, Turn
from resources.starter.recipe.corpus import conversations
from resources.starter.recipe.packing import (
    Example,
    encode_conversation,
    encode_conversations,
    pack,
    with_repeats,
)
from resources.starter.recipe.tokenizer import CHAT_TEMPLATE, train_tokenizer

PADDING = 0


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    drawn = list(conversations(seed=3, count=300))
    texts = [text for conversation in drawn for turn in conversation.turns for text in (turn.user, turn.answer)]
    return list(encode_conversations(train_tokenizer(texts), drawn))


def test_every_conversation_that_fits_is_packed_whole_and_once(examples: list[Example]) -> None:
    rows = pack(examples, 256, PADDING)

    packed = [
        tuple(group)
        for tokens, owners in zip(rows.tokens, rows.owners, strict=True)
        for owner in range(1, owners.max() + 1)
        for group in [tokens[owners == owner].tolist()]
    ]
    assert sorted(packed) == sorted(tuple(ids) for ids, _ in examples if len(ids) <= 256)


def test_padding_is_nobodys_and_never_an_answer(examples: list[Example]) -> None:
    rows = pack(examples, 256, PADDING)

    assert (rows.tokens[rows.owners == 0] == PADDING).all()
    assert not rows.answers[rows.owners == 0].any()


def test_only_answers_and_the_end_of_their_turn_are_learned() -> None:
    conversation = Conversation(
        "en", (Turn("Hello", "Hi there.", "topic"), Turn("Bye", "Goodbye.", "topic")), "Be kind."
    )
    tokenizer = train_tokenizer(["Hello Hi there. Bye Goodbye. Be kind. system user assistant\n"] * 3)

    ids, answers = encode_conversation(tokenizer, conversation)

    parts = [
        (is_answer, tokenizer.decode([token for token, _ in group], skip_special_tokens=False))
        for is_answer, group in itertools.groupby(zip(ids, answers, strict=True), key=lambda pair: pair[1])
    ]
    assert [text for is_answer, text in parts if is_answer] == ["Hi there.<|im_end|>", "Goodbye.<|im_end|>"]


def test_training_text_is_what_the_chat_template_writes() -> None:
    jinja2 = pytest.importorskip("jinja2")
    conversation = Conversation("en", (Turn("Hello", "Hi.", "topic"), Turn("Bye", "Goodbye.", "topic")), "Be kind.")
    tokenizer = train_tokenizer(["Hello Hi. Bye Goodbye. Be kind. system user assistant\n"] * 3)
    messages = [{"role": "system", "content": "Be kind."}]
    for turn in conversation.turns:
        messages += [{"role": "user", "content": turn.user}, {"role": "assistant", "content": turn.answer}]

    ids, _ = encode_conversation(tokenizer, conversation)

    written = jinja2.Template(CHAT_TEMPLATE).render(messages=messages, add_generation_prompt=False)
    assert tokenizer.decode(ids, skip_special_tokens=False) + "\n" == written


def test_repeating_rows_are_predictable_from_their_second_run_on(examples: list[Example]) -> None:
    rows = pack(examples, 256, PADDING)

    mixed = with_repeats(rows, 0.25, range(3, 500), seed=1)

    added = len(mixed) - len(rows)
    assert added == round(len(rows) / 3)
    for tokens, answers in zip(mixed.tokens[-added:], mixed.answers[-added:], strict=True):
        period = int(np.argmax(answers))
        assert 6 <= period < 64
        assert (tokens[period:] == tokens[:-period]).all()
