"""Builds the tokenizer of a model folder, with mlx-lm and transformers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from mlx_lm.utils import load_config, load_tokenizer
from transformers.tokenization_utils_base import VERY_LARGE_INTEGER
from transformers.utils.logging import disable_default_handler, enable_propagation

from engine.errors import ModelNotUsable
from engine.files.disk_pool import DiskPool
from engine.files.folder_paths import states_of
from engine.files.foreign_code import panics_as_errors
from engine.files.kept_json import KeptJson
from engine.files.paths import is_known_good
from engine.mlx_lm_private import template_of, tokenizer_defaults
from engine.model_files.inspection import digest_of_small_files, tokenizer_files
from engine.model_files.model_folder import check_unchanged
from engine.model_files.tokenizer_files import is_tekken
from engine.sandbox.errors import SandboxError
from engine.tokenizers.prompt_process import PROMPT_PROCESS
from engine.tokenizers.prompts import turn_end_of
from engine.tokenizers.tasks import TokenizerSource, find_thinking, find_turn_end
from engine.tokenizers.thinking import ThinkingChoice, may_choose, thinking_of

log = logging.getLogger(__name__)

Found = TypeVar("Found")
# What transformers has to say goes where our own records go, not to the terminal.
disable_default_handler()
enable_propagation()

# Some tables have a row for each id; the largest published vocabularies have half a million.
_LARGEST_VOCABULARY = 2**24


def keep_accepted(beside: Path | None) -> None:
    """Keep which tokenizers the prompt process has accepted in a file beside this one; without one, in memory only."""
    versions = {package: version(package) for package in ("tokenizers", "transformers", "mlx-lm")}
    path = None if beside is None else beside.with_name("tokenizers.json")
    PROMPT_PROCESS.accepted = KeptJson(path, {"format": 1, **versions})


class MadeTokenizer(NamedTuple):
    """The tokenizer of a model, in this process, and what else is known of it."""

    tokenizer: Any
    # Its number of ids.
    vocabulary: int
    # Its source for the prompt process; None if prompts are made in this process.
    source: TokenizerSource | None
    # The choice that its chat template offers.
    thinking: ThinkingChoice


def make_tokenizer(path: Path, disk: DiskPool) -> MadeTokenizer:
    """Build the tokenizer of a model's folder.

    A tokenizer of a folder that did not come with Tandem is built in the prompt process first, within limits; only then
    here, or here at the same time if the process has built the same files before. Raises `ModelNotUsable`, also
    if files change meanwhile, and `EngineClosed` when the pool is left.
    """
    read: dict[Path, tuple[int, int]] = {}
    try:
        with panics_as_errors():
            config = load_config(path)
            ends = config.get("eos_token_id")
            # Without the first, transformers asks on standard input whether code from the model folder may run.
            options = {"trust_remote_code": False} | ({"fix_mistral_regex": True} if is_tekken(path, config) else {})
            source = built = None
            if not is_known_good(path):
                read = states_of(tokenizer_files(path))
                states = {file.name: state for file, state in read.items()}
                source = TokenizerSource(str(path), ends, tokenizer_defaults(path), options, states)
                built = disk.start(PROMPT_PROCESS.build, source, disk.leaving)
                _wait_if_new(path, built)
            tokenizer = load_tokenizer(path, options, eos_token_ids=ends)
            if built is not None:
                built.result()
            check_unchanged(path, read)
            # The engine compares prompts with the context itself; transformers would also print a warning.
            tokenizer.model_max_length = VERY_LARGE_INTEGER
            vocabulary = max(tokenizer.get_vocab().values(), default=-1) + 1
    except SandboxError as error:
        # What was read while a file was being written fails in any way.
        check_unchanged(path, read)
        raise error.of_model(path, "no-tokenizer", str(error)[:120]) from error
    except ModelNotUsable:
        raise
    # A damaged or hostile tokenizer can make the library raise any exception.
    except Exception as error:
        check_unchanged(path, read)
        raise ModelNotUsable(path, "no-tokenizer", " ".join(str(error).split())[:120]) from error
    _check_vocabulary(path, vocabulary)
    end = _of_template(tokenizer, source, disk, turn_end_of, find_turn_end)
    if end is not None and end not in tokenizer.eos_token_ids:
        # Many conversions name another token only.
        log.info("token %d ends answers, too: the chat template writes it after them", end)
        tokenizer.add_eos_token(str(end))
    choice = None
    if may_choose(template_of(tokenizer)):
        choice = _of_template(tokenizer, source, disk, thinking_of, find_thinking)
    return MadeTokenizer(tokenizer, vocabulary, source, choice or ThinkingChoice())


def _wait_if_new(path: Path, built: Future[None]) -> None:
    """Wait until the prompt process has built the tokenizer, unless it has built the same files before."""
    digest = digest_of_small_files(path)
    accepted = PROMPT_PROCESS.accepted
    if digest not in accepted.values:
        built.result()
        accepted.keep(digest, True)


def _check_vocabulary(path: Path, vocabulary: int) -> None:
    """Raise `ModelNotUsable` for a number of ids that no model has."""
    if vocabulary == 0:
        raise ModelNotUsable(path, "no-tokenizer", "it has no tokens")
    if vocabulary > _LARGEST_VOCABULARY:
        raise ModelNotUsable(path, "no-tokenizer", f"a token has the id {vocabulary - 1}")


def _of_template(
    tokenizer: Any,
    source: TokenizerSource | None,
    disk: DiskPool,
    find: Callable[[Any], Found],
    task: Callable[[str], Found],
) -> Found | None:
    """Return what running the template shows, by `task` unless built in; None beyond limits. Raises `EngineClosed`."""
    if source is None:
        return find(tokenizer)
    try:
        return PROMPT_PROCESS.run_with(source, partial(task, source.folder), disk.leaving)
    except SandboxError as error:
        log.info("the template in %s was not tried: %s", source.folder, error)
        return None
