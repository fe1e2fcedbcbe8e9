"""Writes the record of what drafting ahead reaches in each world, `engine/ahead/expected.toml`.

python -m tests.engine.ahead.expected
"""

from __future__ import annotations

from tests.engine.ahead.worlds import RECORD, figures
from tests.engine.recorded_figures import SEEDS, write

COMMENT = """\
What drafting ahead reaches in simulated worlds (tests/engine/ahead/worlds.py): tokens a second, prepared
tokens that are accepted in a round, and for each pass of the draft model. Written by
`python -m tests.engine.ahead.expected`; `first` are the first seeds alone."""

if __name__ == "__main__":
    write(RECORD, COMMENT, {seed: figures(seed) for seed in range(SEEDS)})
