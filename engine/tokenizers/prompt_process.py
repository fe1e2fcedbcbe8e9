"""The sandbox for tokenizers and templates of folders that did not come with Tandem.

The starter pair is trusted and does not use it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from engine.errors import TemplateFailed, without_frames
from engine.files.kept_json import KeptJson
from engine.sandbox.errors import LimitExceeded, SandboxError
from engine.sandbox.process import Sandbox
from engine.sandbox.tasks import Result
from engine.tokenizers.prompts import Prompt, PromptJob
from engine.tokenizers.tasks import TokenizerSource, build_tokenizer, prompt_of

# The most CPU seconds for building a tokenizer. The largest published vocabularies, of 262,144 tokens, take 7, and a
# slow machine needs four times as long.
BUILD_S = 30
# The most CPU seconds for making a prompt.
PROMPT_S = 5
# The characters that add a second to a prompt. Ordinary texts take milliseconds.
CHARACTERS_A_SECOND = 200_000


class PromptCall(Future[Prompt]):
    """The future of a prompt. Set `abandoned` if the prompt is no longer needed."""

    def __init__(self) -> None:
        super().__init__()
        self.abandoned = threading.Event()


class PromptProcess(Sandbox):
    """The sandbox for tokenizers. Its methods wait, and raise `SandboxError`, and `EngineClosed` when `abandoned`."""

    def __init__(self) -> None:
        super().__init__("engine.tokenizers.tasks")
        # The digests of folders whose tokenizers such a process has built within its limits.
        self.accepted = KeptJson(None, {})

    def build(self, source: TokenizerSource, abandoned: threading.Event) -> None:
        """Build a tokenizer again, because its files may have changed."""
        self.run(partial(build_tokenizer, source, True), BUILD_S, abandoned)

    def run_with(
        self, source: TokenizerSource, task: partial[Result], abandoned: threading.Event, characters: int = 0
    ) -> Result:
        """Return the result of a task with texts of that length, for which the process needs a tokenizer."""
        seconds = PROMPT_S + characters / CHARACTERS_A_SECOND
        return self.run(task, seconds, abandoned, after=(partial(build_tokenizer, source, False), BUILD_S))

    def start_prompt(self, source: TokenizerSource, job: PromptJob | Callable[[], PromptJob]) -> PromptCall:
        """Start to make a prompt. The future raises `TemplateFailed`, `PromptTooLong`, and what the job raises."""
        call = PromptCall()
        threading.Thread(target=self._make, args=(source, job, call), name="prompt", daemon=True).start()
        return call

    def _make(self, source: TokenizerSource, given: PromptJob | Callable[[], PromptJob], call: PromptCall) -> None:
        """Make the prompt on this thread and settle the `call`.

        After a failure, the process is started again at once, so that the next prompt need not wait for it.
        """
        try:
            job = given if isinstance(given, PromptJob) else given()
            task = partial(prompt_of, source.folder, job)
            call.set_result(self.run_with(source, task, call.abandoned, job.characters))
        except Exception as error:
            failure = error
            if isinstance(error, SandboxError):
                limit = f"{error.limit:g}" if isinstance(error, LimitExceeded) else str(error)
                failure = TemplateFailed(limit, error.reason)
            without_frames(failure)
            call.set_exception(failure)
            if not call.abandoned.is_set():
                self.start()


# It makes the prompts of all engines.
PROMPT_PROCESS = PromptProcess()
