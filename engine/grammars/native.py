"""llguidance through its C interface, so that its long calls run without Python's global lock.

Its Python classes hold the lock while they build the tree over a vocabulary, which would stop the window. The library
of the wheel exports the C interface too; a test checks that it is the version that this module expects.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Collection, Sequence

import numpy as np
from llguidance import LLTokenizer, _lib
from numpy.typing import NDArray

from engine.errors import GrammarNotUsable
from engine.grammars.compiling import LIMITS, sentence

# The library's prefix for the bytes of control tokens.
_SPECIAL = b"\xff"
_LONGEST_ERROR = 1000
# The types of C with which the library's header declares its structures.
_POINTER = ctypes.c_void_p
_COUNT = ctypes.c_size_t
_WORD = ctypes.c_uint32
_FLAG = ctypes.c_bool


class Limits(ctypes.Structure):
    """The library's `ParserLimits`, documented there."""

    _fields_ = (
        ("max_items_in_row", _COUNT), ("initial_lexer_fuel", ctypes.c_uint64), ("step_lexer_fuel", ctypes.c_uint64),
        ("step_max_items", _COUNT), ("max_lexer_states", _COUNT), ("max_grammar_size", _COUNT),
        ("precompute_large_lexemes", _FLAG), ("verbose_errors", _FLAG),
    )  # fmt: skip


class _TokenizerInit(ctypes.Structure):
    _fields_ = (
        ("struct_size", _COUNT), ("vocab_size", _WORD), ("tok_eos", _WORD), ("token_lens", _POINTER),
        ("token_bytes", ctypes.c_char_p), ("tokenizer_json", ctypes.c_char_p), ("tokenize_assumes_string", _FLAG),
        ("tokenize_fn", _POINTER), ("use_approximate_greedy_tokenize_fn", _FLAG), ("tokenize_user_data", _POINTER),
        ("slices", ctypes.POINTER(ctypes.c_char_p)), ("tok_eos_extra", _POINTER), ("tok_eos_extra_count", _WORD),
    )  # fmt: skip


class _MatcherInit(ctypes.Structure):
    _fields_ = (
        ("tokenizer", _POINTER), ("log_buffer_level", _WORD), ("log_stderr_level", _WORD), ("ff_tokens_ok", _FLAG),
        ("backtrack_ok", _FLAG), ("limits", Limits),
    )  # fmt: skip


_IDS = ctypes.POINTER(ctypes.c_uint32)
# Calls by `_short` keep Python's lock: releasing it would take longer than they do.
_short = ctypes.PyDLL(_lib.__file__)
_long = ctypes.CDLL(_lib.__file__)
for _library, _name, _result, *_arguments in (
    (_long, "llg_new_tokenizer_v2", _POINTER, ctypes.POINTER(_TokenizerInit), ctypes.c_char_p, _COUNT),
    (_long, "llg_free_tokenizer", None, _POINTER),
    (_long, "llg_new_matcher", _POINTER, ctypes.POINTER(_MatcherInit), ctypes.c_char_p, ctypes.c_char_p),
    (_long, "llg_matcher_compute_mask_into", ctypes.c_int32, _POINTER, _POINTER, _COUNT),
    (_short, "llg_constraint_init_set_defaults", None, ctypes.POINTER(_MatcherInit), _POINTER),
    (_short, "llg_tokenize_bytes", _COUNT, _POINTER, ctypes.c_char_p, _COUNT, _IDS, _COUNT),
    (_short, "llg_clone_matcher", _POINTER, _POINTER),
    (_short, "llg_free_matcher", None, _POINTER),
    (_short, "llg_matcher_validate_tokens", ctypes.c_int32, _POINTER, _IDS, _COUNT),
    (_short, "llg_matcher_consume_tokens", ctypes.c_int32, _POINTER, _IDS, _COUNT),
    (_short, "llg_matcher_rollback", ctypes.c_int32, _POINTER, _COUNT),
    (_short, "llg_matcher_is_accepting", ctypes.c_bool, _POINTER),
    (_short, "llg_matcher_is_stopped", ctypes.c_bool, _POINTER),
    (_short, "llg_matcher_get_error", ctypes.c_char_p, _POINTER),
):
    getattr(_library, _name).restype = _result
    getattr(_library, _name).argtypes = _arguments


class ModelTokens:
    """The library's prefix tree over the tokens of a model.

    `table` has the bytes of each id, None for control tokens and ids without text; `names` are the strings of ids.
    `ends` end a turn. The library never calls a tokenizer, because the grammars forbid it to force tokens. Raises
    `ValueError`.
    """

    def __init__(self, table: Sequence[bytes | None], names: Sequence[str], ends: Collection[int]) -> None:
        self.tokens = [names[token].encode() if value is None else value for token, value in enumerate(table)]
        # A token that ends the turn is never a part of the text, whatever its spelling.
        special = {token for token, value in enumerate(table) if value is None} | set(ends)
        marked = [_SPECIAL + token if index in special else token for index, token in enumerate(self.tokens)]
        lengths = np.fromiter(map(len, marked), np.uint32, len(marked))
        first, *others = sorted(ends) or [0]
        further = np.array(others, np.uint32)
        # Of the slices that the library can prepare, the one for strings is the cheapest and the most useful.
        prepared = [text.encode() for text in LLTokenizer.general_slices()[-1:]]
        slices = (ctypes.c_char_p * (len(prepared) + 1))(*prepared, None)
        init = _TokenizerInit(
            struct_size=ctypes.sizeof(_TokenizerInit),
            vocab_size=len(marked),
            tok_eos=first,
            token_lens=lengths.ctypes.data,
            token_bytes=b"".join(marked),
            use_approximate_greedy_tokenize_fn=True,
            slices=slices,
            tok_eos_extra=further.ctypes.data if len(further) else None,
            tok_eos_extra_count=len(further),
        )
        problem = ctypes.create_string_buffer(_LONGEST_ERROR)
        self.pointer = _long.llg_new_tokenizer_v2(init, problem, _LONGEST_ERROR)
        if not self.pointer:
            raise ValueError(problem.value.decode(errors="replace"))
        _free_with(self, _long.llg_free_tokenizer, self.pointer)

    def compile(self, source: str) -> NativeMatcher:
        """Return a matcher of the model's tokens at the start of a text. Raises `GrammarNotUsable`."""
        if "\0" in source:
            raise GrammarNotUsable("invalid", "it has a zero byte in it")
        init = _MatcherInit()
        _short.llg_constraint_init_set_defaults(init, self.pointer)
        init.log_stderr_level = 0
        init.limits = Limits(*(getattr(LIMITS, name) for name, _ in Limits._fields_))
        # A list of grammars is written as JSON.
        kind = b"llguidance" if source.startswith("{") else b"lark"
        matcher = NativeMatcher(self, _long.llg_new_matcher(init, kind, source.encode(errors="replace")))
        if matcher.error:
            raise GrammarNotUsable("invalid", sentence(matcher.error))
        return matcher

    def tokenize(self, text: str) -> list[int]:
        """Write `text` with the longest possible tokens."""
        content = text.encode()
        tokens = (ctypes.c_uint32 * max(1, len(content)))()
        return tokens[: _short.llg_tokenize_bytes(self.pointer, content, len(content), tokens, len(tokens))]


def _free_with(owner: object, free: Callable[[int], None], pointer: int) -> None:
    """Free `pointer` with `owner`, but not at exit, when another thread may still be in the library."""
    weakref.finalize(owner, free, pointer).atexit = False


class NativeMatcher:
    """Matches a grammar token by token. One thread may use it at a time; any thread may copy an unchanging one."""

    def __init__(self, tokens: ModelTokens, pointer: int) -> None:
        # The tokens have to outlive the matcher.
        self._tokens = tokens
        self._pointer = pointer
        _free_with(self, _short.llg_free_matcher, pointer)

    def copy(self) -> NativeMatcher:
        """Return another matcher at the same place of the text."""
        return NativeMatcher(self._tokens, _short.llg_clone_matcher(self._pointer))

    def consume(self, tokens: Sequence[int]) -> int:
        """Read as many of the tokens as the grammar allows, and return their number."""
        ids = (ctypes.c_uint32 * len(tokens))(*tokens)
        count: int = max(0, _short.llg_matcher_validate_tokens(self._pointer, ids, len(tokens)))
        if count and _short.llg_matcher_consume_tokens(self._pointer, ids, count):
            return 0
        return count

    def rollback(self, count: int) -> None:
        """Go back by `count` tokens."""
        _short.llg_matcher_rollback(self._pointer, count)

    def mask(self, into: NDArray[np.uint32]) -> bool:
        """Write a bit for each token that may come next, from the lowest bit of the first word on.

        `into` is (words,), with 32 tokens a word. Return False on failure (`error`).
        """
        return not _long.llg_matcher_compute_mask_into(self._pointer, into.ctypes.data, into.nbytes)

    @property
    def accepting(self) -> bool:
        """Whether the text may end here."""
        return bool(_short.llg_matcher_is_accepting(self._pointer))

    @property
    def stopped(self) -> bool:
        """Whether the text has to end here."""
        return bool(_short.llg_matcher_is_stopped(self._pointer))

    @property
    def error(self) -> str:
        """The library's error message, or ""."""
        return (_short.llg_matcher_get_error(self._pointer) or b"").decode(errors="replace")
