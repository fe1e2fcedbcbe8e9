"""The tokenizer of a folder that came with Tandem, by the tokenizers library alone.

transformers and mlx-lm make the same of it (`tests/engine/tokenizers/test_shipped.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

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


class ShippedTokenizer:
    """What the engine asks of a tokenizer, under mlx-lm's names, for a `folder` that is plain and byte-level.

    `make_whole` makes mlx-lm's tokenizer of it. `ends` are the ids that end a turn.
    """

    has_chat_template = True
    has_thinking = has_tool_calling = False

    def __init__(self, folder: Path, ends: int | Sequence[int] | None, make_whole: Callable[[], Any]) -> None:
        config = _config(folder)
        self._make_whole = make_whole
        self.backend_tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokens = [config[kind] for kind in ("bos_token", "eos_token", "pad_token") if config.get(kind)]
        special: dict[str, Any] = {token: self.backend_tokenizer.token_to_id(token) for token in tokens}
        self.all_special_tokens = list(special)
        self.all_special_ids = list(special.values())
        self.eos_token_id: int = special[config["eos_token"]]
        self.eos_token_ids = {self.eos_token_id, *([ends] if isinstance(ends, int) else ends or ())}
        self.chat_template: str = config["chat_template"]

    @cached_property
    def whole(self) -> Any:
        """The same tokenizer as mlx-lm makes it."""
        return self._make_whole()

    def __len__(self) -> int:
        return int(self.backend_tokenizer.get_vocab_size(with_added_tokens=True))

    def get_vocab(self) -> dict[str, int]:
        """Every token's string and id."""
        vocabulary: dict[str, int] = self.backend_tokenizer.get_vocab(with_added_tokens=True)
        return vocabulary

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        ids: list[int] = self.backend_tokenizer.encode(text, add_special_tokens=add_special_tokens).ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        return str(self.backend_tokenizer.decode(list(ids), skip_special_tokens=False))

    @property
    def detokenizer(self) -> StreamingText:
        """A fresh one; requests are detokenized concurrently."""
        return StreamingText(self._written)

    @cached_property
    def _written(self) -> Written:
        return Written(self.backend_tokenizer)

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


class Written(dict[int, bytes]):
    """What each id writes, found out when it is first asked for: all of them take longer than to read a prompt."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._name_of = tokenizer.id_to_token
        self._byte_of = _bytes_by_letter()

    def __missing__(self, token: int) -> bytes:
        name, byte_of = self._name_of(token), self._byte_of
        if name is None:
            return b"!"
        # A byte of 0 is written as its letter, as by mlx-lm.
        self[token] = b"".join(
            bytes((byte_of.get(letter, 0),)) if byte_of.get(letter) else letter.encode() for letter in name
        )
        return self[token]


def _bytes_by_letter() -> dict[str, int]:
    """The bytes that the letters of byte-level tokens stand for (GPT-2's table)."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = (byte for byte in range(256) if byte not in printable)
    return {chr(byte): byte for byte in printable} | {chr(256 + index): byte for index, byte in enumerate(others)}


class StreamingText:
    """Tokens to text, whole characters only. What mlx-lm's `BPEStreamingDetokenizer` does, under its names."""

    def __init__(self, written: Mapping[int, bytes]) -> None:
        """`written` has the bytes that each id writes."""
        self._written = written
        self._held = b""
        self._read = 0
        self.text = ""

    @property
    def last_segment(self) -> str:
        """The text since this was asked last."""
        segment = self.text[self._read :]
        self._read = len(self.text)
        return segment

    def add_token(self, token: int) -> None:
        written = self._written[token]
        self._held += written
        text = self._held.decode("utf-8", "replace")
        # A single space waits for what follows it.
        if not text.endswith("\ufffd") and written != b" ":
            self.text += text if self.text else text.removeprefix(" ")
            self._held = b""

    def finalize(self) -> None:
        """Write what was held back, incomplete or not."""
        text = self._held.decode("utf-8", "replace")
        self.text += text if self.text else text.removeprefix(" ")
        self._held = b""
