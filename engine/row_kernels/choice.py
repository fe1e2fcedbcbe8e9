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
# How many seconds passes of all sizes are timed, with MLX's kernels and with ours, and the fewest passes of each size.
SETTLE_S, FEWEST = 6.0, 3
# A smaller gain is not worth another kernel, and so much is what the rounding of single rows is worth.
WORTH = 0.03
# A pass that takes so many times as long as expected has stalled.
STALLED = 10.0
# The first generation of GPUs, an M5's, on which only chips in `resources/confirmed_chips.json` use our kernels.
_UNCONFIRMED = 17


def is_confirmed() -> bool:
    """Whether our kernels may be used on this chip; on others than Apple's they cannot be compiled."""
    architecture = str(mx.device_info().get("architecture", ""))
    generation = re.match(r"applegpu_g(\d+)", architecture)
    if generation is None or int(generation[1]) < _UNCONFIRMED:
        return True
    return architecture in json.loads((resources() / "confirmed_chips.json").read_bytes())


def digest() -> str:
    """Return what tells kernels apart whose results on a machine were kept."""
    sources = "".join([kernel.source for kernel in KERNELS]).encode()
    return hashlib.sha256(sources).hexdigest()[:16] if is_confirmed() else "off"


def choose_kernels(main: LoadedModel, free: int, races: RaceJournal | None = None) -> Steps[tuple[WidthCost, ...]]:
    """Return what passes cost with our kernels and with MLX's, and which of ours are used from then on; a pass a step.

    Only those are used whose every bit equals that of single rows. The result is empty if no layer suits any. Between
    two steps, and after an error or where the steps are closed, only MLX's are in use. `free` is the memory in bytes.

    `races` is told of each race, decides which kernels are left out, and has the problems afterwards.
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
    """Let passes of `model` use the kernels that were chosen, and MLX's for all else."""
    used = {(cost.kernel, PassSize(cost.rows, cost.keys)) for cost in costs if cost.used}
    for kernel in KERNELS:
        kernel.use(model, {size for name, size in used if name == kernel.name})


class Refusals:
    """The sizes of passes that a kernel of ours cannot compute on this machine, and MLX's reasons."""

    def __init__(self, kernel: str) -> None:
        self._kernel = kernel
        self._reasons: dict[PassSize, Exception] = {}

    def __contains__(self, size: PassSize) -> bool:
        return size in self._reasons

    def add(self, size: PassSize, error: Exception) -> None:
        """Note why passes of this size cannot be computed. Raises a failure of the device."""
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


def _race(main: LoadedModel, kernel: RowKernel, free: int, refusals: Refusals) -> Steps[list[WidthCost]]:
    """Time passes of all sizes with MLX's kernels and with ours, where these have the bits of single rows. A size that
    ours cannot compute is added to `refusals`, and stays MLX's.
    """
    # The rows up to which bits are alike; where MLX's kernels are not compared, nothing is known of them.
    most = kernel.widths[-1]
    contexts = list[int]()
    alike = {"ours": most if is_confirmed() else 1, "others": most}
    for keys, way, passes in kernel.comparisons(main, free):
        contexts = sorted({*contexts, keys})
        known = alike.get(way, most)
        widths = [width for width in kernel.widths if width <= known]
        if way == "ours":
            other = yield from _compare_ours(passes, keys, widths, refusals)
            alike[way] = known if other is None else other
        else:
            alike[way] = yield from _compare(kernel.name, passes, widths)
    sizes = [PassSize(width, keys) for keys in contexts for width in kernel.widths]
    ours = {size for size in sizes if size.rows <= alike["ours"] and size not in refusals}
    if not sizes or (not ours and "mlx" not in alike):
        return []
    costs = []
    seconds = SETTLE_S / len(sizes) if ours else 0.0
    one_s: dict[int, float] = {}
    for size in sizes:
        if size.keys not in one_s:
            one_s[size.keys] = yield from _time(main, kernel, PassSize(1, size.keys), seconds)
        mlx_s = yield from _time(main, kernel, size, seconds)
        our_s = inf
        if size in ours:
            try:
                our_s = yield from _time(main, kernel, size, seconds, STALLED * mlx_s)
            except (RuntimeError, ValueError) as error:
                refusals.add(size, error)
        same = size.rows <= alike.get("mlx", 1)
        used = our_s < inf and our_s <= mlx_s * (1.0 - WORTH if same else 1.0 + WORTH)
        exact = size.rows <= alike["others"] and (used or same)
        relative = our_s / one_s[size.keys] if our_s < inf else None
        costs.append(WidthCost(size.rows, mlx_s / one_s[size.keys], relative, used, exact, kernel.name, size.keys))
    return costs


def _compare(name: str, passes: WidePasses, widths: Sequence[int]) -> Steps[int]:
    """Return up to how many rows passes with MLX's kernels have the bits of single rows; 1 if they fail."""
    try:
        return (yield from widest_alike(passes, widths))
    except NotComputed as error:
        log.info("%s of several rows are not compared: %s", name, error)
        return 1


def _compare_ours(passes: WidePasses, keys: int, widths: Sequence[int], refusals: Refusals) -> Steps[int | None]:
    """Return up to how many rows passes with our kernel have the bits of single rows; None if all of `widths` have that
    can be computed. The others are added to `refusals`.
    """
    while possible := [width for width in widths if PassSize(width, keys) not in refusals]:
        try:
            found = yield from widest_alike(passes, possible)
        except NotComputed as failure:
            refusals.add(PassSize(failure.width, keys), failure.error)
        else:
            return None if found == possible[-1] else found
    return None


def _time(
    main: LoadedModel, kernel: RowKernel, size: PassSize, seconds: float, limit: float | None = None
) -> Steps[float]:
    """Return the median duration of passes in `seconds`, at least FEWEST; inf once ours takes longer than `limit`."""
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
