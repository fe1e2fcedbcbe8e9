"""The tasks of the prompt process, and the tokenizers that it keeps."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from engine.model_files.model_folder import check_unchanged
from engine.sandbox.access import Access, declare_access
from engine.sandbox.bare_packages import import_bare_package
from engine.sandbox.tasks import before_tasks, task
from engine.tokenizers.prompts import Prompt, PromptJob, make_prompt, turn_end_of
from engine.tokenizers.thinking import ThinkingChoice, thinking_of

# The most tokenizers that a process keeps.
MOST_TOKENIZERS = 4

# Requests name folders of models, wherever these are.
declare_access(__name__, Access(reads=True))


@dataclass(frozen=True, slots=True)
class TokenizerSource:
    """A tokenizer's folder, the ids that end a turn, mlx-lm's defaults for it, and options for transformers.

    `states` has the states of its files by their names in the folder, as `engine.files.folder_paths.states_of` returns
    them.
    """

    folder: str
    ends: Any = None
    defaults: dict[str, Any] | None = None
    options: dict[str, bool] = field(default_factory=dict)
    states: dict[str, tuple[int, int]] = field(default_factory=dict)


# The tokenizers of this process by their folders, the one used last at the end.
_built: dict[str, tuple[TokenizerSource, Any]] = {}


@task
def build_tokenizer(source: TokenizerSource, anew: bool) -> None:
    """Make sure that this process has the tokenizer of `source`.

    It is built again if `anew` says that its files may have changed, or if the source differs. Beyond MOST_TOKENIZERS,
    the least recently used one is dropped.

    Raises `ModelNotUsable` if the files have changed since `source` was made: the engine would read other tokens.
    """
    known = _built.pop(source.folder, None)
    if anew or known is None or known[0] != source:
        del known
        while len(_built) >= MOST_TOKENIZERS:
            del _built[next(iter(_built))]
        folder = Path(source.folder)
        tokenizer = _loader()(folder, source.options, eos_token_ids=source.ends, defaults=source.defaults)
        # Compute now what the first prompt needs.
        tokenizer.get_vocab()
        tokenizer.detokenizer.finalize()
        check_unchanged(folder, {folder / name: state for name, state in source.states.items()})
        known = source, tokenizer
    _built[source.folder] = known


@task
def find_thinking(folder: str) -> ThinkingChoice:
    """Find the choice of thinking that the chat template of a tokenizer offers."""
    return thinking_of(_built[folder][1])


@task
def find_turn_end(folder: str) -> int | None:
    """Find the token that the chat template of a tokenizer writes after a turn of the assistant."""
    return turn_end_of(_built[folder][1])


@task
def prompt_of(folder: str, job: PromptJob) -> Prompt:
    """Make the prompt of a conversation by a tokenizer. Raises `PromptTooLong` and `TemplateFailed`."""
    return make_prompt(_built[folder][1], job, with_boundaries=True)


@task
def count_tokens(file: str, text: str, tokens: int | None) -> tuple[int, int]:
    """Count a text's tokens by a tokenizer.json, and the characters that the first `tokens` (or all) cover."""
    offsets = _bare_tokenizer(file, os.stat(file).st_mtime_ns).encode(text, add_special_tokens=False).offsets
    covered = offsets[:tokens]
    characters = covered[-1][1] if covered else 0
    return len(offsets), characters


@task
def ids_with_marks(file: str, texts: list[str], most: int | None) -> list[list[int]]:
    """Return the ids of texts by a tokenizer.json, with the marks that it puts around each text.

    A longer text than `most` tokens, marks included, is cut; None cuts none.
    """
    tokenizer = _bare_tokenizer(file, os.stat(file).st_mtime_ns)
    tokenizer.no_padding()
    if most is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(most)
    return [encoding.ids for encoding in tokenizer.encode_batch(texts)]


@before_tasks
@cache
def _loader() -> Any:
    """Import mlx-lm's function for tokenizers without the rest of its package, which imports MLX."""
    import_bare_package("mlx_lm")
    from mlx_lm.tokenizer_utils import load

    return load


@lru_cache(maxsize=1)
def _bare_tokenizer(file: str, modified_ns: int) -> Any:
    """Build a tokenizer from a tokenizer.json alone; built again when the file has changed."""
    from tokenizers import Tokenizer

    del modified_ns
    return Tokenizer.from_file(file)
