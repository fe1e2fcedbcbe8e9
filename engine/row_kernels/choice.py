"""Chooses the sizes of passes that use our kernels on this machine, by timing whole passes with them and with MLX's.

A kernel that wins single calls can stall a model that runs for a while (mlx-dspark 0.20.3 saw it on an M5). So the
model computes pass after pass until the times have settled, and on newer chips only MLX's kernels are used until
somebody has confirmed ours there.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median

import mlx.core as mx
import mlx.nn as nn

from engine.errors import is_device_failure
from engine.files.paths import resources
from engine.files.steps import Steps
from engine.main_model.loaded_model import LoadedModel
from engine.row_kernels.attention_probe import ATTENTION
from engine.row_kernels.layers import PRODUCTS
from engine.row_kernels.row_kernel import NotComputed, RowKernel, WidePasses, widest_alike
from engine.speculation.choosing.race_journal import RaceJournal
from engine.tuning import KernelProblem, PassSize, WidthCost

log = logging.getLogger(__name__)

KERNELS: tuple[RowKernel, ...] = (PRODUCTS, ATTENTION)
# Seconds for which passes of all sizes together are timed, with MLX's kernels and again with the project's.
SETTLE_S = 6.0
# The fewest passes of each size that are timed.
FEWEST = 3
# A gain below this share is not worth another kernel. Where only the project's kernel rounds like single rows, it may
# cost this share more: exact rounds are worth it.
WORTH = 0.03
# A pass with the project's kernel that takes this many times as long as with MLX's has stalled, and is not used.
STALLED = 10.0
# The first generation of GPUs, an M5's, on which only chips in `resources/confirmed_chips.json` use our kernels.
_UNCONFIRMED = 17


def is_confirmed() -> bool:
    """Whether the project's kernels may be used on this chip.

    Also True on chips that are not Apple's, where they cannot be compiled: comparing them finds that out.
    """
    architecture = str(mx.device_info().get("architecture", ""))
    generation = re.match(r"applegpu_g(\d+)", architecture)
    if generation is None or int(generation[1]) < _UNCONFIRMED:
        return True
    return architecture in json.loads((resources() / "confirmed_chips.json").read_bytes())


def digest() -> str:
    """Return a name of the kernels' code, "off" where they may not be used: results kept under another one are old."""
    return sources_digest() if is_confirmed() else "off"


def sources_digest() -> str:
    """Return a name of the kernels' code, also where they may not be used: what people confirm is this code."""
    sources = "".join([kernel.source for kernel in KERNELS]).encode()
    return hashlib.sha256(sources).hexdigest()[:16]


def choose_kernels(main: LoadedModel, free: int, races: RaceJournal | None = None) -> Steps[tuple[WidthCost, ...]]:
    """Time passes with the project's kernels and with MLX's, and use the faster ones from then on; a pass a step.

    Returns the costs of passes; the `used` of each says whether passes of its size use the project's kernel, which they
    only do where every bit equals the bit of single rows. It is empty if no layer suits any kernel, or all are left
    out. Between two steps, and after an error or where the steps are closed, only MLX's kernels are in use. `free` is
    the memory in bytes.

    `races` is told of each race, leaves out kernels whose races did not end in earlier runs ("unfinished"), and has the
    problems afterwards. Failures of the
    device are raised.
    """
    races = races or RaceJournal()
    races.problems = ()
    costs: list[WidthCost] = []
    use_row_kernels(main.model, ())
    try:
        for kernel in KERNELS:
            if races.leaves_out(kernel.name):
                races.problems += (KernelProblem(kernel.name, "unfinished"),)
                continue
            refusals = Refusals(kernel.name)
            with races.race(kernel.name):
                costs += yield from _race(main, kernel, free, refusals)
            if refusals.tell():
                races.problems += (KernelProblem(kernel.name, "refused"),)
        log.info("passes of several rows: %s", costs)
        use_row_kernels(main.model, costs)
    except BaseException:
        use_row_kernels(main.model, ())
        raise
    return tuple(costs)


def use_row_kernels(model: nn.Module, costs: Iterable[WidthCost]) -> None:
    """Use the kernels that `costs` say are used in passes of `model`, and MLX's for all else; () for MLX's only."""
    used = {(cost.kernel, PassSize(cost.rows, cost.keys)) for cost in costs if cost.used}
    for kernel in KERNELS:
        kernel.use(model, {size for name, size in used if name == kernel.name})


class Refusals:
    """The sizes of passes that a kernel of the project cannot compute on this machine, and MLX's reasons."""

    def __init__(self, kernel: str) -> None:
        self._kernel = kernel
        self._reasons: dict[PassSize, Exception] = {}

    def __contains__(self, size: PassSize) -> bool:
        return size in self._reasons

    def add(self, size: PassSize, error: Exception) -> None:
        """Record why passes of this size cannot be computed. Raises `error` itself if it is a failure of the device."""
        if is_device_failure(error):
            raise error
        self._reasons.setdefault(size, error)

    def tell(self) -> bool:
        """Log each reason once; return whether Metal has refused any size, rather than that there is no Metal."""
        has_metal = mx.metal.is_available() and mx.default_device() == mx.gpu
        # MLX raises ValueError where a threadgroup has more threads than Metal lets a kernel have.
        refused = has_metal or any(isinstance(error, ValueError) for error in self._reasons.values())
        sizes: dict[str, list[PassSize]] = {}
        for size, error in self._reasons.items():
            sizes.setdefault(" ".join(str(error).split())[:200], []).append(size)
        for reason, refusing in sizes.items():
            rows = sorted({size.rows for size in refusing})
            keys = sorted({size.keys for size in refusing})
            level = logging.WARNING if refused else logging.INFO
            log.log(level, "%s of %s rows stay MLX's from %s keys on: %s", self._kernel, rows, keys, reason)
        return refused and bool(self._reasons)


@dataclass
class _Alike:
    """Up to how many rows passes have the bits of single rows, by what computes them; see `row_kernel.ComparedRows`.

    `mlx` is None where MLX's kernels are not compared in layers that suit the project's, so that nothing is known.
    `contexts` are the numbers of keys that were compared, ascending.
    """

    ours: int
    others: int
    mlx: int | None = None
    contexts: list[int] = field(default_factory=list)


def _race(main: LoadedModel, kernel: RowKernel, free: int, refusals: Refusals) -> Steps[list[WidthCost]]:
    """Time passes of all sizes with MLX's kernels and with `kernel`, where that has the bits of single rows.

    A size that the kernel cannot compute is added to `refusals`, and stays MLX's. Returns [] if there is nothing to
    choose.
    """
    alike = yield from _compare_all(main, kernel, free, refusals)
    sizes = [PassSize(width, keys) for keys in alike.contexts for width in kernel.widths]
    candidates = {size for size in sizes if size.rows <= alike.ours and size not in refusals}
    if not sizes or (not candidates and alike.mlx is None):
        return []
    costs = []
    # Without candidates, only what wider passes cost with MLX's kernels is of interest.
    seconds = SETTLE_S / len(sizes) if candidates else 0.0
    one_row_s: dict[int, float] = {}
    for size in sizes:
        if size.keys not in one_row_s:
            one_row_s[size.keys] = yield from _time(main, kernel, PassSize(1, size.keys), seconds)
        mlx_s = yield from _time(main, kernel, size, seconds)
        our_s = inf
        if size in candidates:
            try:
                our_s = yield from _time(main, kernel, size, seconds, STALLED * mlx_s)
            except (RuntimeError, ValueError) as error:
                refusals.add(size, error)
        costs.append(_cost_of(kernel.name, size, alike, one_row_s[size.keys], mlx_s, our_s))
    return costs


def _compare_all(main: LoadedModel, kernel: RowKernel, free: int, refusals: Refusals) -> Steps[_Alike]:
    """Compare the bits of all passes that the kernel names; adds the sizes that it cannot compute to `refusals`."""
    most = kernel.widths[-1]
    # On an unconfirmed chip nothing is used, but MLX's kernels are compared all the same.
    alike = _Alike(ours=most if is_confirmed() else 1, others=most)
    for keys, computed_by, passes in kernel.comparisons(main, free):
        alike.contexts = sorted({*alike.contexts, keys})
        if computed_by == "ours":
            widths = [width for width in kernel.widths if width <= alike.ours]
            widest = yield from _compare_ours(passes, keys, widths, refusals)
            if widest is not None:
                alike.ours = widest
        elif computed_by == "mlx":
            limit = most if alike.mlx is None else alike.mlx
            widths = [width for width in kernel.widths if width <= limit]
            alike.mlx = yield from _compare(kernel.name, passes, widths)
        else:
            widths = [width for width in kernel.widths if width <= alike.others]
            alike.others = yield from _compare(kernel.name, passes, widths)
    return alike


def _cost_of(name: str, size: PassSize, alike: _Alike, one_row_s: float, mlx_s: float, our_s: float) -> WidthCost:
    """Decide whether passes of this size use the project's kernel, and return what they cost relative to one row.

    Durations are in seconds; `our_s` is infinite if the kernel cannot be used.
    """
    mlx_is_alike = size.rows <= (alike.mlx or 1)
    limit_s = mlx_s * (1.0 - WORTH if mlx_is_alike else 1.0 + WORTH)
    used = our_s < inf and our_s <= limit_s
    exact = size.rows <= alike.others and (used or mlx_is_alike)
    our_cost = our_s / one_row_s if our_s < inf else None
    return WidthCost(size.rows, mlx_s / one_row_s, our_cost, used, exact, name, size.keys)


def _compare(name: str, passes: WidePasses, widths: Sequence[int]) -> Steps[int]:
    """Return up to how many rows passes with MLX's kernels have the bits of single rows; 1 if they fail."""
    try:
        return (yield from widest_alike(passes, widths))
    except NotComputed as error:
        log.info("%s of several rows are not compared: %s", name, error)
        return 1


def _compare_ours(passes: WidePasses, keys: int, widths: Sequence[int], refusals: Refusals) -> Steps[int | None]:
    """Return up to how many rows passes with the project's kernel have the bits of single rows.

    None means all of `widths` that can be computed; those that cannot are added to `refusals`.
    """
    while possible := [width for width in widths if PassSize(width, keys) not in refusals]:
        try:
            widest = yield from widest_alike(passes, possible)
        except NotComputed as failure:
            refusals.add(PassSize(failure.width, keys), failure.error)
        else:
            return None if widest == possible[-1] else widest
    return None


def _time(
    main: LoadedModel, kernel: RowKernel, size: PassSize, seconds: float, limit: float | None = None
) -> Steps[float]:
    """Return the median seconds of a pass; passes are timed for `seconds`, but at least FEWEST.

    Without `limit` they use MLX's kernels. With it they use `kernel`, and the result is infinite as soon as a pass
    takes longer than `limit` seconds. After each pass only MLX's kernels are in use.
    """
    times: list[float] = []
    caches = kernel.caches(main, size.keys)
    tokens = mx.arange(size.rows)[None] % main.vocabulary
    while len(times) < FEWEST or sum(times) < seconds:
        # A request may be answered between two steps, and after a pass that fails.
        try:
            kernel.use(main.model, set() if limit is None else {size})
            start = time.perf_counter()
            mx.eval(main.model(tokens, cache=caches))
            times.append(time.perf_counter() - start)
        finally:
            kernel.use(main.model, set())
        for cache in caches:
            if cache.is_trimmable():
                cache.trim(size.rows)
        yield None
        if limit is not None and times[-1] > limit:
            return inf
    return median(times)
