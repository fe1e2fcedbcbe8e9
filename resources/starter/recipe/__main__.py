"""Rebuild the starter pair from nothing, then say how good it is.

python -m resources.starter.recipe            corpus, tokenizer, both models, folders, evaluation
python -m resources.starter.recipe evaluate   the evaluation alone, on the pair that is there: held-out totals
python -m resources.starter.recipe develop    the same on the development set, with every failure
"""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

import engine  # noqa: F401  (loads a fast BLAS before mlx)
from resources.starter.recipe.content import LANGUAGES, read_development, read_held_out
from resources.starter.recipe.evaluation import Pair, judge, report
from resources.starter.recipe.plan import Plan

_STARTER = Path(__file__).parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m resources.starter.recipe",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", nargs="?", choices=["build", "evaluate", "develop"], default="build")
    parser.add_argument("--work", type=Path, default=Path("build/starter"), help="where checkpoints are kept")
    parser.add_argument("--target", type=Path, default=_STARTER, help="where main/ and draft/ are")
    for field in fields(Plan):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=int, default=field.default)
    options = parser.parse_args()
    if options.what == "build":
        from resources.starter.recipe.pipeline import build  # torch is an extra; the evaluation goes without

        build(
            Plan(**{field.name: getattr(options, field.name) for field in fields(Plan)}),
            options.work,
            options.target,
        )
    read = read_development if options.what == "develop" else read_held_out
    questions = [question for language in LANGUAGES for question in read(language)]
    print(report(judge(Pair.load(options.target), questions), with_failures=options.what == "develop"))


if __name__ == "__main__":
    main()
