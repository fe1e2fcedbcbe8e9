"""Rebuild the starter pair from nothing, then say how good it is.

python -m resources.starter.recipe            corpus, tokenizer, both models, folders, evaluation
python -m resources.starter.recipe refresh    the main that is there takes the last course again, draft and head follow
python -m resources.starter.recipe facts      that main learns facts that have changed, draft and head follow
python -m resources.starter.recipe head       the DFlash head alone, for the main that is there
python -m resources.starter.recipe refresh-head   the head that is there goes on learning what that main says
python -m resources.starter.recipe eagle      an EAGLE-3 head for that main, which does not ship: WORK/eagle3
python -m resources.starter.recipe mtp        an MTP head for it, which does not ship either: WORK/mtp
python -m resources.starter.recipe help       the help of Tandem alone, from facts.toml, without training
python -m resources.starter.recipe evaluate   the evaluation alone, on the pair that is there: held-out totals
python -m resources.starter.recipe develop    the same on the development set, with every failure
python -m resources.starter.recipe fresh      how often main is wrong at each kind of question, drawn anew
"""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

import engine  # noqa: F401  (loads a fast BLAS before mlx)
from engine.cpu_backend.backend import choose_device
from resources.starter.recipe.content import (
    LANGUAGES,
    read_development,
    read_held_out,
    read_short_development,
    read_short_held_out,
)
from resources.starter.recipe.evaluation import Pair, judge, report
from resources.starter.recipe.fresh_questions import fresh_tallies, report_fresh
from resources.starter.recipe.help_file import answers_file
from resources.starter.recipe.limit_checks import report_calls, report_limits
from resources.starter.recipe.plan import Plan
from resources.starter.recipe.short_messages import ask_short, report_short
from resources.starter.recipe.written_files import write_checksums, write_json

_STARTER = Path(__file__).parent.parent
# Each build's function in `pipeline`.
_BUILDS = {
    "build": "build",
    "refresh": "refresh",
    "facts": "teach_facts",
    "head": "build_head",
    "refresh-head": "refresh_head",
    "eagle": "build_eagle_head",
    "mtp": "build_mtp_head",
}
_NOT_SHIPPED = ("eagle", "mtp")
# A seed that no course uses.
_FRESH_SEED = 7771


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m resources.starter.recipe",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", nargs="?", choices=[*_BUILDS, "help", "evaluate", "develop", "fresh"], default="build")
    parser.add_argument("--work", type=Path, default=Path("build/starter"), help="where checkpoints are kept")
    parser.add_argument("--target", type=Path, default=_STARTER, help="where main/ and draft/ are")
    parser.add_argument("--fresh-questions", type=int, default=1000, help="how many `fresh` asks")
    for field in fields(Plan):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=int, default=field.default)
    options = parser.parse_args()
    if options.what == "help":
        write_json(options.target / "main" / "answers.json", answers_file())
        write_checksums(options.target)
        return
    choose_device()
    if options.what in _BUILDS:
        from resources.starter.recipe import pipeline  # torch is an extra; the evaluation goes without

        plan = Plan(**{field.name: getattr(options, field.name) for field in fields(Plan)})
        getattr(pipeline, _BUILDS[options.what])(plan, options.work, options.target)
    if options.what in _NOT_SHIPPED:
        return
    pair = Pair.load(options.target)
    if options.what == "fresh":
        print(report_fresh(fresh_tallies(pair, _FRESH_SEED, options.fresh_questions)))
        return
    read = read_development if options.what == "develop" else read_held_out
    questions = [question for language in LANGUAGES for question in read(language)]
    print(report(judge(pair, questions), with_failures=options.what == "develop"))
    read_short = read_short_development if options.what == "develop" else read_short_held_out
    messages = [message for language in LANGUAGES for message in read_short(language)]
    print(report_short("short", ask_short(pair, messages), with_failures=options.what == "develop"))
    if options.what != "develop":
        print(report_limits(pair))
    else:
        print(report_calls(pair, [question for question in questions if len(question.turns) == 1]))


if __name__ == "__main__":
    main()
