"""A tokenizer of a stranger's folder as transformers and mlx-lm once made it, without either.

Both decide by a hundred classes and a dozen files what a folder's tokenizer is: some classes build another one than
tokenizer.json describes. So nothing is decided again here: `record_of` writes down what they made, where that is all
there is to it, and tries the copy against the original.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizers import Tokenizer

from engine.plain_tokenizer import PlainTokenizer
from engine.prompts import apply_template
from engine.streaming_text import StreamingPieces, StreamingText, WrittenPieces
from engine.tokenizer_records import read_record

if TYPE_CHECKING:
    from engine.chat_template import ChatTemplate

# mlx-lm's detokenizers that are known here. The one for all others decodes with the tokenizer itself.
_BYTES, _PIECES, _UNTRIMMED = "bytes", "pieces", "untrimmed pieces"
# What of a tokenizer class is done here; a class with an own one of these is not recorded.
_METHODS = (
    "__call__", "__len__", "_convert_encoding", "_convert_id_to_token", "_convert_token_to_id_with_added_voc",
    "_decode", "_encode_plus", "_get_padding_truncation_strategies", "all_special_ids", "all_special_tokens",
    "apply_chat_template", "backend_tokenizer", "convert_ids_to_tokens", "convert_tokens_to_ids", "decode", "encode",
    "get_chat_template", "get_vocab", "set_truncation_and_padding", "special_tokens_map",
)  # fmt: skip
# Where mlx-lm's functions for calls are. A record comes from a process that ran a stranger's template.
_PARSERS = "mlx_lm.tool_parsers."
# Parameters of transformers' methods, which are no variables of a template.
_PARAMETERS = frozenset(
    {
        *("chat_template", "conversations", "documents", "max_length", "padding", "return_assistant_tokens_mask"),
        *("return_dict", "return_tensors", "sanitize_control_tokens", "tokenize", "tokenizer_kwargs", "truncation"),
    }
)
_TRIALS = (
    "",
    " two  spaces,\n\n\ttabs and the end ",
    "It's 12345.678, isn't it? naïve café <s> </s> <unk> [CLS]",
    "안녕하세요, 오늘은 날씨가 좋네요. ᄒ\u1161\u11ab",
    "日本語の文章も少し。ﾊﾝｶｸ Ａ１ 中文也有一点，繁體。",
    "👩‍👩‍👧 🇰🇷 e\u0301 \u00a0\u200b\ufeff \u0000 \ufffd ▁_Ġ",
)


@dataclass(frozen=True, slots=True)
class TokenizerFacts:
    """What a tokenizer is beside its `tokenizers.Tokenizer`; all of it is JSON.

    `special` are the special tokens by their ids, `names` those that templates are given by name. `tools` are the
    module of mlx-lm that reads calls, and the marks around these.
    """

    detokenizer: str
    special: dict[str, int]
    names: dict[str, str]
    end: int | None
    ends: list[int]
    chat_template: str | None
    thinking: tuple[str, str, list[int], list[int]] | None
    tools: tuple[str, str, str | None] | None


class RecordedTokenizer(PlainTokenizer):
    """The tokenizer that `facts` and the `backend` are of; `make_whole` makes mlx-lm's."""

    def __init__(self, facts: TokenizerFacts, backend: Tokenizer, make_whole: Callable[[], Any]) -> None:
        super().__init__(backend, facts.special, facts.end, facts.ends, make_whole)
        self._facts = facts
        self.chat_template = facts.chat_template
        self.has_chat_template = facts.chat_template is not None
        self.has_thinking, self.has_tool_calling = facts.thinking is not None, facts.tools is not None
        thinking, tools = facts.thinking or (None, None, None, None), facts.tools or (None, None, None)
        self.think_start: str | None = thinking[0]
        self.think_end: str | None = thinking[1]
        self.think_start_tokens = None if thinking[2] is None else tuple(thinking[2])
        self.think_end_tokens = None if thinking[3] is None else tuple(thinking[3])
        self.tool_call_start: str | None = tools[1]
        self.tool_call_end: str | None = tools[2]

    @property
    def think_start_id(self) -> int | None:
        """Raises `ValueError` where it takes several tokens, as mlx-lm's does."""
        return _only(self.think_start_tokens)

    @property
    def think_end_id(self) -> int | None:
        """As `think_start_id`."""
        return _only(self.think_end_tokens)

    @cached_property
    def tool_parser(self) -> Any:
        """mlx-lm's function for the calls of this family, None where it has none."""
        return None if self._facts.tools is None else importlib.import_module(self._facts.tools[0]).parse_tool_call

    @property
    def detokenizer(self) -> StreamingText:
        kind = self._facts.detokenizer
        if kind == _BYTES:
            return StreamingText(self._written)
        return StreamingPieces(self._pieces, trims=kind == _PIECES)

    @cached_property
    def _pieces(self) -> WrittenPieces:
        return WrittenPieces(self.backend_tokenizer)

    @cached_property
    def _template(self) -> ChatTemplate:
        # jinja is for the prompt process; the engine renders no stranger's template.
        from engine.chat_template import ChatTemplate

        return ChatTemplate(self._facts.chat_template or "", self._facts.names)

    def apply_chat_template(
        self,
        conversation: Sequence[Mapping[str, Any]],
        *,
        add_generation_prompt: bool = False,
        continue_final_message: bool = False,
        tools: Sequence[Mapping[str, Any]] | None = None,
        **options: Any,
    ) -> list[int]:
        """Token ids of a conversation of plain JSON. Options that are no variables of the template are for `whole`."""
        if not self.has_chat_template or options.keys() & _PARAMETERS:
            options |= {"add_generation_prompt": add_generation_prompt, "tools": tools}
            found: list[int] = apply_template(
                self.whole, conversation, continue_final_message=continue_final_message, **options
            )
            return found
        text = self._template.render(
            conversation,
            options,
            tools=tools,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message,
        )
        return self.encode(text, add_special_tokens=False)


def recorded(path: Path, make_whole: Callable[[], Any]) -> RecordedTokenizer:
    """The tokenizer of a record. Raises `OSError`, `ValueError`, `TypeError` and `KeyError`, and whatever the library
    raises, which may panic.
    """
    known, backend = read_record(path)
    facts = TokenizerFacts(**known)
    if facts.tools is not None and not facts.tools[0].startswith(_PARSERS):
        raise ValueError(f"{facts.tools[0]} has no parser of calls")
    return RecordedTokenizer(facts, Tokenizer.from_buffer(backend), make_whole)


def record_of(tokenizer: Any) -> tuple[TokenizerFacts, str] | None:
    """The facts of a tokenizer of mlx-lm's, and its backend as JSON; None where these are not all of it.

    It runs the tokenizer, which is a stranger's.
    """
    facts = _facts_of(tokenizer)
    if facts is None:
        return None
    backend = tokenizer.backend_tokenizer.to_str()
    copy = RecordedTokenizer(facts, Tokenizer.from_str(backend), lambda: tokenizer)
    return (facts, backend) if copy.backend_tokenizer.to_str() == backend and _is_alike(copy, tokenizer) else None


def _facts_of(tokenizer: Any) -> TokenizerFacts | None:
    from mlx_lm import tokenizer_utils as theirs
    from transformers.tokenization_utils_tokenizers import TokenizersBackend

    whole = tokenizer._tokenizer
    own_class, detokenizer = type(whole), tokenizer._detokenizer
    kinds = {theirs.BPEStreamingDetokenizer: _BYTES, theirs.SPMStreamingDetokenizer: _PIECES}
    if (
        not isinstance(whole, TokenizersBackend)
        or not own_class.__module__.startswith("transformers.")
        or any(getattr(own_class, name) is not getattr(TokenizersBackend, name) for name in _METHODS)
        or type(detokenizer) not in kinds
        or not isinstance(whole.chat_template, str | None)
        # A template of mlx-lm's own, in Python.
        or (tokenizer._chat_template, tokenizer._response_format) != (None, {})
        or tokenizer._thinking_kwarg != "enable_thinking"
    ):
        return None
    backend, vocabulary = whole.backend_tokenizer, whole.get_vocab()
    cleans = whole.clean_up_tokenization_spaces and (
        type(backend.model).__name__ != "BPE"
        or whole.clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output
    )
    numbered = sorted(vocabulary.values()) == list(range(len(whole)))
    if cleans or not numbered or whole.split_special_tokens or backend.truncation or backend.padding:
        return None
    special = dict(zip(whole.all_special_tokens, whole.all_special_ids, strict=True))
    if not all(isinstance(token, int) for token in special.values()):
        return None
    kind = kinds[type(detokenizer)]
    thinking = (tokenizer.think_start, tokenizer.think_end)
    parser = tokenizer.tool_parser
    return TokenizerFacts(
        _UNTRIMMED if kind == _PIECES and not detokenizer.trim_space else kind,
        special,
        whole.special_tokens_map,
        whole.eos_token_id,
        sorted(tokenizer.eos_token_ids),
        whole.chat_template,
        (*thinking, list(tokenizer.think_start_tokens), list(tokenizer.think_end_tokens))
        if tokenizer.has_thinking
        else None,
        (parser.__module__, tokenizer.tool_call_start, tokenizer.tool_call_end) if tokenizer.has_tool_calling else None,
    )


def _is_alike(copy: RecordedTokenizer, original: Any) -> bool:
    """Whether both are the same for what depends on no template."""
    names = ("eos_token_ids", "all_special_ids", "tool_parser", "think_start_tokens", "think_end_tokens")
    if copy.get_vocab() != original.get_vocab() or len(copy) != len(original):
        return False
    if any(getattr(copy, name) != getattr(original, name) for name in names):
        return False
    texts = (*_TRIALS, *(f"a{token} b" for token in copy.all_special_tokens))
    return all(_written(copy, text) == _written(original, text) for text in texts)


def _written(tokenizer: Any, text: str) -> tuple[list[int], list[int], str, str]:
    """The ids of a text with and without control tokens, and what these ids write, at once and as a stream."""
    whole, bare = tokenizer.encode(text), tokenizer.encode(text, add_special_tokens=False)
    stream = tokenizer.detokenizer
    for token in whole:
        stream.add_token(token)
    stream.finalize()
    return whole, bare, tokenizer.decode(whole), stream.text


def _only(tokens: tuple[int, ...] | None) -> int | None:
    if tokens is None:
        return None
    if len(tokens) > 1:
        raise ValueError("there are several tokens")
    return tokens[0]
