"""The starter pair's head behind long texts: chats that its main model reads one by one, and the head as one text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import mlx.core as mx
import pytest

from engine.files.paths import resources
from engine.files.steps import run_to_completion
from engine.heads.folder import inspect_head
from engine.heads.head import Head
from engine.heads.loading import load_head
from engine.main_model.loaded_model import LoadedModel
from engine.speculation.rounds.main_ports import main_ports
from engine.speculation.rounds.taps import Taps
from tests.engine.heads.heads_on_disk import likeliest

QUESTIONS = ["Who are you?", "What is a draft model?", "Is it private?", "What does Tandem cost?", "What is a token?"]
# A chat: its tokens, where its answer begins, and the taps of its tokens.
Chat = tuple[list[int], int, mx.array]


def head_of(main: LoadedModel, rows: int = 0) -> Head:
    """Return the head, which sees `rows` rows or as many as its configuration says."""
    content = inspect_head(resources() / "starter" / "head")
    config = replace(content.config, context_rows=rows) if rows else content.config
    head = run_to_completion(load_head(replace(content, config=config)))
    head.bind(main_ports(main))
    return head


def chat(main: LoadedModel, question: str, taps: Taps) -> Chat:
    ids = list(main.tokenizer.apply_chat_template([{"role": "user", "content": question}], add_generation_prompt=True))
    start, caches, rows = len(ids), main.new_caches(), []
    while len(ids) < start + 60 and ids[-1] not in main.tokenizer.eos_token_ids:
        with taps.record() as outputs:
            logits = main.model(mx.array([ids if not rows else ids[-1:]]), cache=caches)
        rows.append(mx.concatenate(outputs, axis=-1))
        ids.append(int(mx.argmax(logits[0, -1]).item()))
    return ids, start, mx.concatenate(rows, axis=1)


def tokens_a_round(head: Head, chats: Sequence[Chat], before: int) -> float:
    """Return what each round gives on average if the head has read `before` rows of other chats before each chat."""
    text, rows = [token for ids, _, _ in chats for token in ids[:-1]], mx.concatenate([one[2] for one in chats], axis=1)
    behind, rounds, committed = head.new_context(), 0, 0
    while behind.length < before:
        head.extend(behind, rows, text)
        mx.eval(behind.kept_arrays())
    for ids, start, taps in chats:
        context, read, anchor = behind.copy(), 0, start
        while anchor < len(ids) - 1:
            head.extend(context, taps[:, read:anchor], ids[read:anchor])
            wanted: list[Any] = ids[anchor + 1 :]
            count = min(head.max_proposals, len(wanted))
            made = head.propose(context, mx.array(ids[anchor : anchor + 1], mx.int32), count, likeliest).tokens.tolist()
            accepted = next(
                (at for at, pair in enumerate(zip(made, wanted, strict=False)) if pair[0] != pair[1]), count
            )
            read, anchor = anchor, anchor + accepted + 1
            rounds, committed = rounds + 1, committed + accepted + 1
    return committed / rounds


@pytest.mark.full
def test_a_trained_head_drafts_behind_a_long_text_as_behind_a_short_one(
    starter: tuple[LoadedModel, LoadedModel],
) -> None:
    main = starter[0]
    head, unlimited = head_of(main), head_of(main, 2**30)
    taps = Taps(main.model, head.taps)
    chats = [chat(main, question, taps) for question in QUESTIONS]
    found = {before: tokens_a_round(head, chats, before) for before in (2048, 8192, 32768)}
    assert all(later > 0.7 * earlier for earlier, later in pairwise(found.values())), found
    assert tokens_a_round(unlimited, chats, 8192) < 0.5 * found[8192]
