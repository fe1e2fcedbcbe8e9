"""Messages to the token ids that the main model reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
