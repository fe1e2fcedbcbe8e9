"""Rebuild the starter pair: `python -m resources.starter.recipe`."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from resources.starter.recipe.pipeline import Plan, build

_STARTER = Path(__file__).parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m resources.starter.recipe", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("build/starter"), help="checkpoints; a run goes on from them")
    parser.add_argument("--target", type=Path, default=_STARTER, help="where main/ and draft/ are written")
    for field in fields(Plan):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=int, default=field.default)
    options = parser.parse_args()
    plan = Plan(**{field.name: getattr(options, field.name) for field in fields(Plan)})
    build(plan, options.work, options.target)


if __name__ == "__main__":
    main()
