"""Tokenizers with control tokens, templates that write them, and the control tokens in a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlx_lm.tokenizer_utils import TokenizerWrapper
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from engine.tokenizers.prompts import PromptJob, make_prompt

SPECIAL = ("<|im_start|>", "<|im_end|>", "</s>", "<s>")
WRITTEN = ("<think>", "</think>", "<tool_response>", "</tool_response>")
NOT_WRITTEN = ("<table>",)
_TURN = "<|im_start|>{{ m.role }}\n{{ %s }}<|im_end|>\n"
_LOOP = "{%% for m in messages %%}%s{%% endfor %%}{%% if add_generation_prompt %%}<|im_start|>assistant\n{%% endif %%}"
_TOOLS = (
    "{# <tool_call> #}{% if tools %}<|im_start|>system\n{{ tools | tojson }}<|im_end|>\n{% endif %}"
    "{# <think> </think> <tool_response> </tool_response> #}"
)
TEMPLATES = {
    "as it is": _TOOLS + _LOOP % (_TURN % "m.content"),
    "trimmed": _TOOLS + _LOOP % (_TURN % "m.content | trim"),
    "in JSON": _TOOLS + _LOOP % (_TURN % "m.content | tojson"),
    "without thoughts": _TOOLS
    + _LOOP % (_TURN % "m.content.split('</think>')[-1] if m.role == 'assistant' else m.content"),
    "tools' results": _TOOLS
    + _LOOP % (_TURN % "('<tool_response>' + m.content + '</tool_response>') if m.role == 'tool' else m.content"),
}


def byte_level() -> Tokenizer:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    built = Tokenizer(models.BPE({letter: number for number, letter in enumerate(letters)}, []))
    built.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    built.decoder = decoders.ByteLevel()
    return built


def metaspace() -> Tokenizer:
    vocabulary = {"<unk>": 0, "▁": 1} | {f"<0x{byte:02X}>": 2 + byte for byte in range(256)}
    built = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>", byte_fallback=True))
    built.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    built.decoder = decoders.Sequence([decoders.Metaspace(), decoders.ByteFallback(), decoders.Fuse()])
    return built


def tokenizer(template: str | None, built: Tokenizer | None = None) -> TokenizerWrapper:
    built = built or byte_level()
    built.add_special_tokens([AddedToken(mark, special=True, normalized=False) for mark in SPECIAL])
    built.add_tokens([AddedToken(mark, normalized=False) for mark in (*WRITTEN, *NOT_WRITTEN, "  ")])
    return TokenizerWrapper(PreTrainedTokenizerFast(tokenizer_object=built, eos_token="</s>", chat_template=template))


def prompt(of: TokenizerWrapper, messages: Sequence[Mapping[str, Any]], **job: Any) -> list[int]:
    return make_prompt(of, PromptJob(messages, 10**6, **job), with_boundaries=True).ids


def controls(of: TokenizerWrapper, ids: Sequence[int]) -> list[str]:
    """Return the marks of the control tokens in `ids`."""
    names = {of.convert_tokens_to_ids(mark): mark for mark in (*SPECIAL, *WRITTEN)}
    return [names[token] for token in ids if token in names]
