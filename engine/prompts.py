"""Messages to the token ids that the main model reads, and what of them another text shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.errors import TemplateFailed


def render(tokenizer: Any, messages: Sequence[Mapping[str, str]]) -> list[int]:
    """Token ids of the conversation, ending where the assistant is to go on.

    A last message of the assistant is continued instead of answered. Models without a chat template get the bare
    texts, one a line. Raises `TemplateFailed` when the template refuses the conversation.
    """
    conversation = [dict(message) for message in messages]
    if not tokenizer.has_chat_template:
        ids: list[int] = tokenizer.encode("\n".join(message["content"] for message in conversation))
        return ids
    continues = conversation[-1]["role"] == "assistant"
    try:
        rendered = tokenizer.apply_chat_template(
            conversation, add_generation_prompt=not continues, continue_final_message=continues
        )
    # Templates are programs that strangers wrote; whatever they raise has one meaning here.
    except Exception as error:
        raise TemplateFailed(" ".join(str(error).split())[:200]) from error
    return [int(token) for token in rendered]


def newest_turns(messages: Sequence[Mapping[str, str]]) -> Iterator[Sequence[Mapping[str, str]]]:
    """The conversation without its oldest turn, without the two oldest, ...: system messages stay, and what is left
    begins with a user's message.
    """
    head = [message for message in messages[:1] if message["role"] == "system"]
    for start in range(len(head) + 1, len(messages)):
        if messages[start]["role"] == "user":
            yield [*head, *messages[start:]]


def shared_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """How many leading tokens two texts share."""
    low, high = 0, min(len(one), len(other))
    # Slices compare at the speed of C, which a loop over tens of thousands of tokens does not.
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def turn_boundaries(tokenizer: Any, messages: Sequence[Mapping[str, str]], prompt: Sequence[int]) -> tuple[int, ...]:
    """Positions in `prompt` that another conversation may share it up to: after the system message, before the last
    message, and before the prompt's last token. Rising.
    """
    if not tokenizer.has_chat_template:
        return (len(prompt) - 1,) if len(prompt) > 1 else ()
    heads = [list(messages[:count]) for count in (1, len(messages) - 1) if 0 < count < len(messages)]
    found = {len(prompt) - 1}
    for head in heads:
        try:
            rendered = tokenizer.apply_chat_template([dict(message) for message in head])
        # A template may insist on whole conversations; then this is no place where another one could begin.
        except Exception:
            continue
        found.add(shared_prefix([int(token) for token in rendered], prompt[:-1]))
    return tuple(sorted(position for position in found if position > 0))
