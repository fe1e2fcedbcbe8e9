"""The tokenizer of a folder that came with Tandem, by the tokenizers library alone.

transformers and mlx-lm make the same of it (`tests/engine/test_shipped_tokenizer.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from engine.plain_tokenizer import PlainTokenizer

# The chat template of all that ships, as `apply_chat_template` writes it.
_TEMPLATE = (
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content | trim + '<|im_end|>\\n' }}"
    "{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)
_CLASS = "PreTrainedTokenizerFast"


def is_plain(folder: Path) -> bool:
    """Whether `ShippedTokenizer` knows the form of the folder's tokenizer."""
    config = _config(folder)
    return config.get("tokenizer_class") == _CLASS and config.get("chat_template") == _TEMPLATE


def _config(folder: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    return config


class ShippedTokenizer(PlainTokenizer):
    """For a `folder` that is plain; `make_whole` makes mlx-lm's tokenizer of it. `ends` are the ids that end a turn."""

    has_chat_template = True

    def __init__(self, folder: Path, ends: int | Sequence[int] | None, make_whole: Callable[[], Any]) -> None:
        config = _config(folder)
        backend = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokens = [config[kind] for kind in ("bos_token", "eos_token", "pad_token") if config.get(kind)]
        special: dict[str, Any] = {token: backend.token_to_id(token) for token in tokens}
        ends = [ends] if isinstance(ends, int) else ends or ()
        super().__init__(backend, special, special[config["eos_token"]], ends, make_whole)
        self.chat_template: str = config["chat_template"]

    def apply_chat_template(
        self,
        conversation: Sequence[Mapping[str, Any]],
        *,
        add_generation_prompt: bool = False,
        continue_final_message: bool = False,
        **options: Any,
    ) -> list[int]:
        """Token ids of a conversation, whose last message may be one to be continued.

        `tools` change nothing. With any other option, and for messages that are no plain texts, as `whole` does it.
        """
        texts = conversation and all(type(one.get("role")) is type(one.get("content")) is str for one in conversation)
        if not texts or not options.keys() <= {"tools"} or (add_generation_prompt and continue_final_message):
            options |= {"continue_final_message": continue_final_message}
            found: list[int] = self.whole.apply_chat_template(
                conversation, add_generation_prompt=add_generation_prompt, **options
            )
            return found
        turns = [f"<|im_start|>{one['role']}\n{one['content'].strip()}<|im_end|>\n" for one in conversation]
        text = "".join(turns)
        if continue_final_message:
            text = text.removesuffix("<|im_end|>\n").rstrip()
        elif add_generation_prompt:
            text += "<|im_start|>assistant\n"
        return self.encode(text, add_special_tokens=False)
