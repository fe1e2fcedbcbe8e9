"""Small tokenizers of different families, trained in milliseconds on a few sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from engine.tokenizers.vocabulary import Vocabulary

ENGLISH = [
    "The quick brown fox jumps over the lazy dog while the other dogs are watching it.",
    "Speculative decoding is one optimistic transaction: propose, verify, accept, commit.",
    "def count(tokens):\n    return sum(token == 7 for token in tokens)\n",
] * 4
MIXED = [
    "Hello again, hello there, and the same to you, whatever the weather is like today.",
    "안녕하세요, 오늘은 날씨가 좋네요. 日本語の文章も少し。 中文也有一点。 naïve café 🙂",
    "for index in range(10):\n    print(index)\n",
] * 4
SPECIAL = ["<|im_start|>", "<|im_end|>"]


@cache
def byte_level(size: int = 400, mixed: bool = False, special: tuple[str, ...] = tuple(SPECIAL)) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(MIXED if mixed else ENGLISH, trainer)
    return tokenizer


@cache
def metaspace(size: int = 450, mixed: bool = True) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Sequence([decoders.Metaspace(), decoders.ByteFallback(), decoders.Fuse()])
    fallbacks = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<unk>", *SPECIAL, *fallbacks], show_progress=False)
    tokenizer.train_from_iterator(MIXED if mixed else ENGLISH, trainer)
    return tokenizer


@cache
def unigram(size: int = 200) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=["<unk>", *SPECIAL], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(MIXED, trainer)
    return tokenizer


def saved(tokenizer: Tokenizer, folder: Path, name: str = "tokenizer.json") -> Path:
    path = folder / name
    tokenizer.save(str(path))
    return path


def vocabulary(tokenizer: Tokenizer) -> Vocabulary:
    """Return its vocabulary. Training marks fallback bytes as control tokens, which the files of real models do not."""
    special = {token.content for token in tokenizer.get_added_tokens_decoder().values() if token.special}
    return Vocabulary(tokenizer.get_vocab(), frozenset(text for text in special if not text.startswith("<0x")))


def encoder(tokenizer: Tokenizer) -> Callable[[str], Sequence[int]]:
    def encode(text: str) -> Sequence[int]:
        return tokenizer.encode(text, add_special_tokens=False).ids

    return encode
