"""How BPE tokenizers compose and split a text, by the value of `tokenizer.ggml.pre`.

Texts are split as llama.cpp splits them, but for two things in which it differs from the published tokenizers, with
which the models were trained, and gives more tokens. It composes no text, as a Mac's decomposed names of files. And
for gpt-4o and tekken it knows no large letter beyond A to Z and takes no mark as a part of a word, as Hindi, Thai and
pointed Hebrew have them; here the published expressions stand.
"""

from __future__ import annotations

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
_SHORT = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_WORD = r"|[^\r\n\p{L}\p{N}]?\p{L}+"
_SIGNS = r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
_LLAMA3 = _SHORT + _WORD + r"|\p{N}{1,3}" + _SIGNS + _SPACES
_QWEN2 = _SHORT + _WORD + r"|\p{N}" + _SIGNS + _SPACES
_QWEN35 = _SHORT + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*" + _SPACES
_SEED = _SHORT + _WORD + r"|\p{N}| ?[^\s\p{L}\p{N}\r\n]+" + _SPACES
# Words that end with small letters, and words of capitals. Letters without case, and marks, belong to both.
_LARGE_LETTERS = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_SMALL_LETTERS = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_SMALL = rf"[^\r\n\p{{L}}\p{{N}}]?{_LARGE_LETTERS}*{_SMALL_LETTERS}+"
_CAPITALS = rf"[^\r\n\p{{L}}\p{{N}}]?{_LARGE_LETTERS}+{_SMALL_LETTERS}*"
_SLASHES = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*" + _SPACES
_TEKKEN = rf"{_SMALL}|{_CAPITALS}|\p{{N}}{_SLASHES}"
_GPT4O = rf"{_SMALL}{_SHORT}?|{_CAPITALS}{_SHORT}?|\p{{N}}{{1,3}}{_SLASHES}"
_MINICPM5 = _SHORT + _WORD + r"|\p{N}+" + _SIGNS + _SPACES
_DEEPSEEK3 = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
    + _SPACES
)
_LLAMA3_KINDS = "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2"
_LINES = "[^\n]+|[\n]+"

# The values by the expressions that split a text one after the other.
_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("default", (r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]")),
    ("gpt-2 phi-2 exaone4 a.x-4.0 gigachat mellum mpt olmo jais trillion granite-docling", (_GPT2,)),
    ("smollm starcoder refact command-r codeshell exaone minerva-7b mellum2", (r"\p{N}", _GPT2)),
    ("falcon", (r"[\p{P}\$\+<=>\^~\|`]+", _GPT2, "[0-9][0-9][0-9]")),
    (_LLAMA3_KINDS, (_LLAMA3,)),
    ("glm4 glm5 chatglm-bpe dbrx smaug-bpe", (_LLAMA3,)),
    ("qwen2 deepseek-r1-qwen kormo megrez stablelm2 hunyuan solar-open grok-2", (_QWEN2,)),
    ("qwen35", (_QWEN35,)),
    ("tekken", (_TEKKEN,)),
    ("gpt-4o llama4 kanana2 minimax-m2", (_GPT4O,)),
    ("deepseek-coder", (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-\ud7ff]+", r"\p{N}")),
    ("deepseek-v3 hunyuan-dense joyai-llm", (r"\p{N}{1,3}", "[一-龥\u3040-\u309f\u30a0-\u30ff]+", _DEEPSEEK3)),
    ("seed-coder", (_SEED,)),
    ("minicpm5", (r"\p{N}{1,3}", _MINICPM5)),
    ("gemma4", (_LINES,)),
)
EXPRESSIONS = {name: expressions for names, expressions in _KINDS for name in names.split()}
# Kinds whose published tokenizers bring a text into the normal form NFC first.
COMPOSED = frozenset(("qwen2", "qwen35", "deepseek-r1-qwen", "stablelm2", "hunyuan", "command-r", "mpt", "olmo"))
# Kinds that begin a text with BOS unless the file says otherwise, and kinds that take a whole word before its parts.
BEGIN_WITH_BOS = frozenset(("tekken", *_LLAMA3_KINDS.split()))
WHOLE_WORDS = BEGIN_WITH_BOS | {"glm4", "glm5", "minicpm5"}
