"""Starts and ends the draft runner of the draft model in use, or says why there is none."""

from __future__ import annotations

import logging
import time
from functools import partial
from pathlib import Path

from engine.ahead import link as links
from engine.ahead import other_computer
from engine.ahead.link import LASTING, RunnerLink
from engine.speculation.drafters.sources import Drafter, HeadSource
from engine.teaching.kept import taught_content
from engine.upkeep.memory import ModelMemory

log = logging.getLogger(__name__)

# Seconds after which a runner that was given up on another computer, which may have been asleep, is looked for again.
AGAIN_S = 60.0
# The same where a person has to change something on that computer first.
CHANGED_S = 600.0
CHANGEABLE = ("other-version", "other-model", "no-model", "no-tandem")


class DraftRunners:
    """Decides whether an engine drafts ahead, and owns its one runner. Belongs to the engine's thread."""

    def __init__(self, memory: ModelMemory) -> None:
        self._memory = memory
        self._link: RunnerLink | None = None
        self._folder: Path | None = None
        self._place = ""
        # What the draft model of the runner was taught, as `ModelInfo.taught`.
        self._taught = ""
        # Draft models that cannot draft, by their folders and the places where that was found.
        self._refused: dict[tuple[Path, str], RunnerLink] = {}

    def reach(self, draft: Drafter) -> RunnerLink | str:
        """Return the link to the runner of a draft model, which starts with the first call.

        Otherwise returns the reason for none, as in `RequestStats.ahead`, "" if the settings turn it off.
        """
        place = self._memory.settings.draft_ahead
        if place == "off":
            self.close()
            return ""
        if isinstance(draft, HeadSource):
            # A head drafts a block in one pass, from hidden states that only the main model's process has.
            return "head"
        if draft.translation is not None:
            self.close()
            return "other-tokenizer"
        if place == "here" and not self._runs and not self._memory.copy_fits(draft):
            log.info("there is no memory for another copy of %s", draft.info.name)
            return "no-memory"
        return self._link_for(draft.info.path, place, draft.info.taught)

    def close(self) -> None:
        """End the runner, if there is one. A draft model that cannot draft is not started again before `forget`."""
        link, self._link = self._link, None
        if link is not None and link.reason in LASTING and self._folder is not None:
            self._refused[self._folder, self._place] = link
        elif link is not None:
            link.close()

    def forget(self) -> None:
        """End the runner, and forget which draft models cannot draft: their files or the settings may have changed."""
        self.close()
        self._refused.clear()

    @property
    def _runs(self) -> bool:
        return self._link is not None and self._link.state != "gone"

    def _link_for(self, folder: Path, place: str, taught: str) -> RunnerLink:
        """Return the link for the draft model in `folder`, and end one for another model or for what it was before."""
        if (folder, taught) != (self._folder, self._taught) or self._is_due_again:
            self.close()
        if self._link is None:
            self._link = self._refused.get((folder, place))
        if self._link is None:
            here = place == "here"
            connect = partial(links.in_a_process if here else partial(other_computer.on_computer, place), folder)
            content = partial(taught_content, self._memory.settings.taught_folder, taught)
            recovery_tokens = self._memory.settings.draft_ahead_branches
            self._link = RunnerLink(connect, "" if here else place, content, recovery_tokens)
        self._folder = folder
        self._place = place
        self._taught = taught
        return self._link

    @property
    def _is_due_again(self) -> bool:
        """Whether the runner on another computer was given up some time ago, for a reason that may be gone."""
        link = self._link
        if link is None or not link.host or self._runs or link.reason in LASTING:
            return False
        pause_s = CHANGED_S if link.reason in CHANGEABLE else AGAIN_S
        return time.monotonic() - link.given_up > pause_s
