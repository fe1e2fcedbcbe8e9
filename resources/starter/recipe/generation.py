"""Main's own greedy answers to questions of the corpus: what the draft is to predict, slips included."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from resources.starter.recipe.packing import encode_conversation
from resources.starter.recipe.tokenizer import END_OF_TEXT, TURN_END

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokenizers import Tokenizer
    from torch import Tensor

    from resources.starter.recipe.conversations import Conversation
    from resources.starter.recipe.model import LanguageModel

_MOST_TOKENS = 120
_BATCH = 64


def answered_by(
    model: LanguageModel, tokenizer: Tokenizer, conversations: Iterable[Conversation]
) -> Iterator[tuple[list[int], list[bool]]]:
    """Token ids of each conversation with the model's own last answer, and which of them that answer holds.

    Prompts of one length share a batch, so none needs padding.
    """
    by_length: dict[int, list[list[int]]] = defaultdict(list)
    for conversation in conversations:
        ids, written = encode_conversation(tokenizer, replace(conversation, opening=1))
        prompt = ids[: len(ids) - 1] if written[-1] else ids
        by_length[len(prompt)].append(prompt)
    end, padding = tokenizer.token_to_id(TURN_END), tokenizer.token_to_id(END_OF_TEXT)
    for length in sorted(by_length):
        prompts = by_length[length]
        for start in range(0, len(prompts), _BATCH):
            batch = prompts[start : start + _BATCH]
            for prompt, row in zip(batch, _greedy(model, torch.tensor(batch), end), strict=True):
                answer = row[: row.index(end) + 1] if end in row else row
                if padding not in answer:
                    yield prompt + answer, [False] * len(prompt) + [True] * len(answer)


@torch.no_grad()
def _greedy(model: LanguageModel, prompts: Tensor, end: int) -> list[list[int]]:
    """Greedy continuations of prompts (rows, length), until every row has ended."""
    past: list[list[Tensor]] = [[] for _ in model.model.layers]
    tokens, columns = prompts, []
    has_ended = torch.zeros(len(prompts), dtype=torch.bool)
    while len(columns) < _MOST_TOKENS and not has_ended.all():
        with torch.autocast("cpu", torch.bfloat16):
            scores = model.logits(model(tokens, past=past)[:, -1])
        tokens = scores.argmax(-1, keepdim=True)
        has_ended |= tokens[:, 0] == end
        columns.append(tokens)
    return torch.cat(columns, dim=1).tolist()
