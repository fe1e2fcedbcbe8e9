"""Encodes text while answers are decoded, with tokenizers of strangers in a process of their own.

That is another process than the one for prompts: a round must not wait until somebody's chat template has ended.
"""

from __future__ import annotations

import atexit
import logging
import threading
from contextlib import suppress

from engine.errors import EngineClosed, TemplateFailed
from engine.prompt_process.client import PromptProcess
from engine.prompt_process.protocol import TokenizerSource

log = logging.getLogger(__name__)

ENCODING_PROCESS = PromptProcess()
atexit.register(ENCODING_PROCESS.end)
# Seconds of computing for one text, and characters that get a second more. Ordinary ones take milliseconds.
ENCODE_S, CHARACTERS_A_SECOND = 0.5, 200_000


class RemoteEncoder:
    """Text to ids without control tokens. The first call builds the tokenizer and waits for it; later ones never do.

    Raises `TemplateFailed`: for ever once a text took too long or too much memory, and for as long as a process that
    was killed is being replaced. Not for two threads at once.
    """

    def __init__(self, source: TokenizerSource) -> None:
        self._source = source
        self._was_built = False
        self._rebuilding: threading.Thread | None = None
        # The arguments of the error.
        self._refusal: tuple[str, str] | None = None

    def __call__(self, text: str) -> list[int]:
        if self._refusal is not None:
            raise TemplateFailed(*self._refusal)
        if not self._was_built:
            ENCODING_PROCESS.build(self._source, threading.Event())
            self._was_built = True
        if self._rebuilding is not None and self._rebuilding.is_alive():
            raise TemplateFailed("being replaced", "crashed")
        if not ENCODING_PROCESS.has(self._source):
            self._rebuild()
            raise TemplateFailed("being replaced", "crashed")
        try:
            return ENCODING_PROCESS.encode(self._source, text, ENCODE_S + len(text) / CHARACTERS_A_SECOND)
        except TemplateFailed as error:
            if error.reason in ("too-slow", "too-large"):
                log.warning("the tokenizer in %s is not used for drafting any more: %s", self._source.folder, error)
                self._refusal = str(error.arguments["detail"]), error.reason
            raise

    def _rebuild(self) -> None:
        def build() -> None:
            with suppress(TemplateFailed, EngineClosed):
                ENCODING_PROCESS.build(self._source, threading.Event())

        self._rebuilding = threading.Thread(target=build, name="encoder", daemon=True)
        self._rebuilding.start()
