"""Main's greedy answers to questions of the corpus, mistakes included, which the draft has to predict."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from resources.starter.recipe.packing import encode_conversation
from resources.starter.recipe.tokenizer import TURN_END
from resources.starter.recipe.training import narrow_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokenizers import Tokenizer
    from torch import Tensor

    from resources.starter.recipe.conversations import Conversation
    from resources.starter.recipe.model import LanguageModel
    from resources.starter.recipe.packing import Example

_MOST_TOKENS = 120
_LONGEST_PROMPT = 80
_BATCH = 64


def answered_by(
    model: LanguageModel,
    tokenizer: Tokenizer,
    conversations: Iterable[Conversation],
    longest_prompt: int = _LONGEST_PROMPT,
    most_tokens: int = _MOST_TOKENS,
) -> Iterator[Example]:
    """Each conversation with the first `most_tokens` of the model's own last answer, the only one marked as such.

    Prompts of one length share a batch, so none needs padding; one of more than `longest_prompt` tokens is left out.
    """
    by_length: dict[int, list[list[int]]] = defaultdict(list)
    for conversation in conversations:
        ids, _ = encode_conversation(tokenizer, replace(conversation, opening=0))
        if len(ids) <= longest_prompt:
            by_length[len(ids)].append(ids)
    end = tokenizer.token_to_id(TURN_END)
    for length in sorted(by_length):
        prompts = by_length[length]
        for start in range(0, len(prompts), _BATCH):
            batch = prompts[start : start + _BATCH]
            for prompt, row in zip(batch, greedy(model, torch.tensor(batch), end, most_tokens), strict=True):
                answer = row[: row.index(end) + 1] if end in row else row
                yield prompt + answer, [False] * len(prompt) + [True] * len(answer)


@torch.no_grad()
def greedy(model: LanguageModel, prompts: Tensor, end: int, most_tokens: int = _MOST_TOKENS) -> list[list[int]]:
    """Return greedy continuations of prompts (rows, length), until every row has ended or has `most_tokens`."""
    past: list[list[Tensor]] = [[] for _ in model.model.layers]
    tokens, columns = prompts, []
    has_ended = torch.zeros(len(prompts), dtype=torch.bool)
    while len(columns) < most_tokens and not has_ended.all():
        with narrow_numbers():
            scores = model.logits(model.forward(tokens, past=past)[:, -1])
        tokens = scores.argmax(-1, keepdim=True)
        has_ended |= tokens[:, 0] == end
        columns.append(tokens)
    return torch.cat(columns, dim=1).tolist()
