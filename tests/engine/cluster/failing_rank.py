"""A rank whose device fails when its test says so: `python -m tests.engine.cluster.failing_rank`, like the real one.

Rank 0 reads the number of the evaluation that is to fail, counted from then on, from the file FAILS names.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path

from engine.cluster import rank
from engine.engine import Engine

FAILS = "TANDEM_TEST_FAILS"


def own_command() -> list[str]:
    return [sys.executable, "-m", "tests.engine.cluster.failing_rank"]


def let_fail() -> None:
    """Patch the scheduler, on the engine's thread, which imports MLX first."""
    from engine.serving.scheduler import Scheduler
    from tests.engine.endurance.late_errors import LateError, late_error

    wanted, step = Path(os.environ[FAILS]), Scheduler.step
    failing: list[LateError] = []
    stack = ExitStack()

    def stepping(scheduler: Scheduler) -> bool:
        if wanted.exists():
            failing[:] = [stack.enter_context(late_error(scheduler, int(wanted.read_text())))]
            wanted.unlink()
        try:
            return step(scheduler)
        finally:
            if failing and failing[0].raised:
                failing.clear()
                stack.close()

    Scheduler.step = stepping  # type: ignore[method-assign]


def main() -> int:
    serve = Engine._serve_until_closed

    def serving(engine: Engine) -> None:
        let_fail()
        serve(engine)

    Engine._serve_until_closed = serving  # type: ignore[method-assign]
    rank.own_command = own_command
    return rank.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
