"""Small tokenizer folders of the families that models are published with, trained in milliseconds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from mlx_lm.tokenizer_utils import load as load_theirs
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from engine.recorded_tokenizer import RecordedTokenizer, record_of, recorded
from engine.tokenizer_records import TokenizerRecords

LINES = [
    "The quick brown fox jumps over the lazy dog; it's 12345.678, isn't it?",
    "안녕하세요, 오늘은 날씨가 좋네요. 日本語の文章も少し。 中文也有一点。 naïve café 🙂",
    "for index in range(10):\n    print(index)\n\n",
] * 4
GPT4 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+"
)
CHATML = (
    "{%- if tools %}{{- '<|im_start|>system\\n' + (tools | tojson) + '\\n<tool_call>' }}"
    "{%- for tool in tools %}{{- tool.function.name | upper }}{%- endfor %}{{- '<|im_end|>\\n' }}{%- endif %}\n"
    "{%- set ns = namespace(last=-1, names=[]) %}\n"
    "{%- for message in messages %}\n    {%- if message.role == 'user' %}{%- set ns.last = loop.index0 %}{%- endif %}\n"
    "{%- endfor %}\n"
    "{%- for message in messages %}\n"
    "    {%- if message.reasoning_content is defined and loop.index0 > ns.last and enable_thinking %}"
    "{{- '<think>\\n' + message.reasoning_content + '</think>\\n' }}{%- endif %}\n"
    "    {%- if message.content is string %}"
    "{%- set content = message.content %}{%- else %}{%- set content = '' %}{%- endif %}\n"
    "    {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' }}\n"
    "    {%- for tool_call in message.tool_calls or [] %}{{- '<tool_call>' + tool_call.name }}{%- endfor %}\n"
    "{{ '\\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}"
    "{{- '<think>\\n\\n</think>\\n' }}{%- endif %}{%- endif %}"
)
LLAMA3 = (
    "{{ bos_token }}{% if date_string is not defined %}{% set date_string = strftime_now('%d %b %Y') %}{% endif %}"
    "{% if messages[0]['role'] == 'tool' %}{{ raise_exception('no tool comes first') }}{% endif %}"
    "{% for message in messages %}{% if loop.index > 40 %}{% break %}{% endif %}"
    "{% generation %}"
    "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + "
    "'<|eot_id|>' }}{% endgeneration %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}"
)
LLAMA2 = (
    "{% for message in messages %}{% if message['role'] == 'user' %}"
    "{{ bos_token + '[INST] ' + message['content'].strip() + ' [/INST]' }}"
    "{% elif message['role'] == 'assistant' %}{{ ' ' + message['content'].strip() + ' ' + eos_token }}"
    "{% else %}{{ raise_exception('only users and assistants') }}{% endif %}{% endfor %}"
)
GEMMA = (
    "{{ bos_token }}{%- for message in messages -%}\n"
    "{%- set role = dict(assistant='model').get(message.role, message.role) -%}\n"
    "{{ '<start_of_turn>' + role + '\\n' + message.content | trim }}{{ '<end_of_turn>\\n' }}\n"
    "{%- endfor -%}{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"
)


def _trained(tokenizer: Tokenizer, special: list[str], alphabet: list[str], size: int = 600) -> Tokenizer:
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(LINES, trainer)
    return tokenizer


@cache
def _byte_level(special: tuple[str, ...], split: str = "") -> str:
    tokenizer = Tokenizer(models.BPE())
    if split:
        tokenizer.normalizer = normalizers.NFC()
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(split), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    _trained(tokenizer, [], pre_tokenizers.ByteLevel.alphabet())
    # Behind the vocabulary, as in the files of real models.
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in special])
    tokenizer.add_tokens([AddedToken("<think>", normalized=False), AddedToken("</think>", normalized=False)])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return str(tokenizer.to_str())


@cache
def _pieces(special: tuple[str, ...], *, prefixed: bool) -> str:
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    parts: list[Any] = [normalizers.Prepend("▁")] if prefixed else []
    tokenizer.normalizer = normalizers.Sequence([*parts, normalizers.Replace(" ", "▁")])
    steps: list[Any] = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence([*steps, *([decoders.Strip(" ", 1, 0)] if prefixed else [])])
    content = json.loads(_trained(tokenizer, [*special], []).to_str())
    # Training would make control tokens of them.
    pieces = content["model"]["vocab"]
    pieces |= {f"<0x{byte:02X}>": len(pieces) + byte for byte in range(256)}
    return json.dumps(content)


def _llama3() -> str:
    special = ("<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>")
    tokenizer = Tokenizer.from_str(_byte_level(special, GPT4))
    begin = ("<|begin_of_text|>", tokenizer.token_to_id("<|begin_of_text|>"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|begin_of_text|> $A", pair="<|begin_of_text|> $A $B", special_tokens=[begin]
    )
    return str(tokenizer.to_str())


def _wordpiece() -> str:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    tokenizer.train_from_iterator(LINES, trainers.WordPieceTrainer(vocab_size=300, special_tokens=special))
    return str(tokenizer.to_str())


def _unigram() -> str:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<unk>", "<s>", "</s>"]
    trainer = trainers.UnigramTrainer(vocab_size=300, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(LINES, trainer)
    return str(tokenizer.to_str())


_IM = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_S = ("<unk>", "<s>", "</s>", "[INST]")
_TURN = ("<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>")
_QWEN = {"tokenizer_class": "Qwen2Tokenizer", "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
# For each family: the model's type, tokenizer.json, and what tokenizer_config.json says.
FAMILIES: Mapping[str, tuple[str, Callable[[], str], dict[str, Any]]] = {
    "qwen2": ("qwen3", lambda: _byte_level(_IM, GPT4), {**_QWEN, "bos_token": None, "chat_template": CHATML}),
    "qwen2, other splits": ("qwen2", lambda: _byte_level(_IM), {**_QWEN, "clean_up_tokenization_spaces": True}),
    "llama 3": (
        "llama",
        _llama3,
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "chat_template": LLAMA3,
            "bos_token": "<|begin_of_text|>",
            "eos_token": "<|eot_id|>",
            "model_max_length": 64,
        },
    ),
    "llama 2": (
        "llama",
        lambda: _pieces(_S, prefixed=True),
        {
            "tokenizer_class": "LlamaTokenizer",
            "chat_template": LLAMA2,
            "add_bos_token": True,
            "bos_token": {"content": "<s>", "__type": "AddedToken"},
            "eos_token": "</s>",
            "unk_token": "<unk>",
        },
    ),
    "llama 2 by its file": (
        "mistral",
        lambda: _pieces(_S, prefixed=True),
        {"tokenizer_class": "LlamaTokenizerFast", "bos_token": "<s>", "eos_token": "</s>", "add_eos_token": True},
    ),
    "gemma": (
        "gemma3_text",
        lambda: _pieces(_TURN, prefixed=False),
        {
            "tokenizer_class": "GemmaTokenizerFast",
            "chat_template": GEMMA,
            "add_bos_token": True,
            "bos_token": "<bos>",
            "eos_token": "<eos>",
            "pad_token": "<pad>",
            "unk_token": "<unk>",
            "extra_special_tokens": ["<end_of_turn>"],
        },
    ),
    "gpt 2": ("gpt2", lambda: _byte_level(_IM), {"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": True}),
    "no class": ("llama", lambda: _byte_level(_IM), {"eos_token": "<|im_end|>", "added_tokens_decoder": {}}),
}
OTHERS: Mapping[str, tuple[str, Callable[[], str], dict[str, Any]]] = {
    "wordpiece": ("bert", _wordpiece, {"tokenizer_class": "BertTokenizer"}),
    "unigram": ("llama", _unigram, {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>"}),
}


def write_tokenizer(folder: Path, family: str, **changes: Any) -> Path:
    """Write a family's folder, with `changes` to its tokenizer_config.json."""
    model_type, make, config = (FAMILIES | OTHERS)[family]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))
    (folder / "tokenizer.json").write_text(make(), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(config | changes))
    return folder


def theirs_of(folder: Path) -> Any:
    return load_theirs(folder, {"trust_remote_code": False}, eos_token_ids=[2, 0])


def refuse() -> None:
    raise AssertionError("mlx-lm's tokenizer is not needed for this")


def record_made(tokenizer: Any, folder: Path, make_whole: Callable[[], Any] = refuse) -> RecordedTokenizer:
    """The tokenizer as it comes back from its record."""
    made = record_of(tokenizer)
    assert made is not None
    records = TokenizerRecords(folder.parent / "learned.json")
    path = records.path(folder)
    assert path is not None
    records.keep(path, asdict(made[0]), made[1])
    return recorded(path, make_whole)
