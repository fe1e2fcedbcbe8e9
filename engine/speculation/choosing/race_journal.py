"""Which races between our kernels and MLX's began and did not end, kept from one run of the program to the next.

A race can hang the GPU, and with it the Mac, or end the process. It begins while nobody uses the program, soon after
each load of a model of which nothing is known, so it must not do that at every start.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from msgspec import Meta, Struct, convert, to_builtins

from engine.files.kept_json import KeptJson
from engine.tuning import KernelProblem

log = logging.getLogger(__name__)

# The file's name for it, which is none of a model's.
NAME = "races that did not end"
# After this many races that did not end, a kernel is left out. One of them can have ended with a battery, or because a
# person ended the program.
MOST = 2


class Unfinished(Struct, frozen=True):
    """How many races of a kernel did not end, and whether the next run of the program is to do without one."""

    races: Annotated[int, Meta(ge=1)]
    skip: bool


class RaceJournal:
    """Races of kernels, written down in the file of `kept` before they begin, and struck out when they have ended.

    A race does not end if the Mac hangs, if the process ends, or if anything is raised in it, such as a time-out of the
    GPU. The next run of the program does without races of that kernel, whatever the model: passes use MLX's. The run
    after that tries it again, and after MOST of them none does. They are forgotten with what the file holds, so another
    version of macOS, of MLX or of our kernels tries again, and so does a person who lets Tandem forget what it learned.

    Without `kept`, nothing is known of earlier runs. `problems` are those of the latest choice of kernels.
    """

    def __init__(self, stored: KeptJson | None = None) -> None:
        self._kept = stored or KeptJson(None, {})
        # None before the file was read.
        self._left_out: dict[str, bool] | None = None
        self.problems: tuple[KernelProblem, ...] = ()

    def leaves_out(self, kernel: str) -> bool:
        """Whether this run of the program does without races of the kernel with this name."""
        return kernel in self._of_this_run

    @property
    def tries_again(self) -> bool:
        """Whether a later run tries a kernel that this one has done without, so that what it measures is not final."""
        return any(self._of_this_run.values())

    @contextmanager
    def race(self, kernel: str) -> Iterator[None]:
        """Race the kernel with this name inside. A race whose steps are closed before the end counts as none."""
        # Read before this race is written down as one that did not end.
        left_out = self._of_this_run
        before = self._read().get(kernel)
        races = 1 if before is None else before.races + 1
        self._write(kernel, Unfinished(races, skip=True))
        try:
            yield
        except GeneratorExit:
            self._write(kernel, before)
            raise
        except BaseException:
            left_out[kernel] = races < MOST
            self.problems += (KernelProblem(kernel, "unfinished"),)
            raise
        self._write(kernel, None)

    def forget(self) -> None:
        """Try all kernels again. The caller empties the file."""
        self._left_out = {}
        self.problems = ()

    @property
    def _of_this_run(self) -> dict[str, bool]:
        """The kernels that this run does without, and whether a later one tries them again."""
        if self._left_out is None:
            self._left_out = {}
            for kernel, unfinished in self._read().items():
                if unfinished.races >= MOST:
                    self._left_out[kernel] = False
                elif unfinished.skip:
                    self._left_out[kernel] = True
                    self._write(kernel, Unfinished(unfinished.races, skip=False))
            if self._left_out:
                log.warning("a race of Tandem's kernels did not end: %s", ", ".join(self._left_out))
        return self._left_out

    def _read(self) -> dict[str, Unfinished]:
        """Return what the file has of each kernel; nothing if it was edited and makes no sense."""
        try:
            return convert(self._kept.values.get(NAME, {}), dict[str, Unfinished])
        except ValueError as error:
            log.warning("%s are ignored: %s", NAME, error)
            del self._kept.values[NAME]
            return {}

    def _write(self, kernel: str, unfinished: Unfinished | None) -> None:
        """Replace what the journal has of `kernel`; None removes it, and an empty journal is removed altogether."""
        known = self._read()
        known.pop(kernel, None)
        if unfinished is not None:
            known[kernel] = unfinished
        if known:
            self._kept.keep(NAME, to_builtins(known))
        else:
            self._kept.forget({NAME})
