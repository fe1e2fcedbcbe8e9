"""The thoughts of recent answers, for clients that do not send them back.

A template that renders the thoughts of earlier turns would otherwise write another text than the model's caches hold.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.text.answer_parts import AnswerParts
from engine.call_forms.form import ToolCall

# The most characters of all thoughts that are kept.
MOST_KEPT_CHARACTERS = 2**23


class KeptThoughts:
    """Thoughts by the caller and the conversation up to the end of their answer. In memory only.

    Whoever guesses another caller's conversation must not get the thoughts, or see from its prompt that it was right.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._size = 0

    def keep(self, caller: str, turns: Sequence[Mapping[str, Any]], parts: AnswerParts) -> None:
        """Keep the thoughts of the answer to a conversation; the oldest thoughts go."""
        if not turns or not parts.reasoning:
            return
        calls = [_call_of(call) for call in parts.calls]
        *_, digest = _digests(caller, [*turns, {"role": "assistant", "content": parts.content, "tool_calls": calls}])
        self._size += len(parts.reasoning) - len(self._kept.pop(digest, ""))
        self._kept[digest] = parts.reasoning
        while self._size > MOST_KEPT_CHARACTERS:
            self._size -= len(self._kept.popitem(last=False)[1])

    def given_to(self, caller: str, turns: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return a conversation with the thoughts of those answers that have none."""
        if not self._kept:
            return list(turns)
        given = list[Mapping[str, Any]]()
        for turn, digest in zip(turns, _digests(caller, turns), strict=True):
            lacks_thoughts = turn["role"] == "assistant" and not turn.get("reasoning_content")
            thoughts = self._kept.get(digest) if lacks_thoughts else None
            given.append(turn if thoughts is None else {**turn, "reasoning_content": thoughts})
        return given


def _call_of(call: ToolCall) -> dict[str, Any]:
    return {"function": {"name": call.name, "arguments": json.loads(call.arguments)}}


def _digests(caller: str, turns: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield for each turn the digest of the caller's conversation up to its end, without thoughts."""
    digest = hashlib.sha256(json.dumps(caller).encode())
    for turn in turns:
        content = turn["content"].strip() if isinstance(turn["content"], str) else turn["content"]
        called = [call["function"] for call in turn.get("tool_calls") or ()]
        digest.update(json.dumps([turn["role"], content, called], sort_keys=True).encode())
        yield digest.hexdigest()
