"""What each threshold of the depth controller is worth: `python -m tests.engine.speculation.thresholds [NAME ...]`.

Every threshold is halved and doubled in turn, and all pairs are played quiet and with stalls (`--seeds N`: 2 of each,
some 25 seconds a row; `--part I/N`: only a part of the rows), and so is what they leave out (`long_run`). The first row
says how it is: the share of the best fixed arm's speed over twenty answers and over the first three (mean/worst pair),
the shares of long answers below 0.95 of plain and of short ones below 0.9, the figures of `long_run`, and how many of
the speed-ups that are shown are off by more than a tenth. The others are rows of ARCHITECTURE.md's table: what moved by
more than chance, or "nothing".
"""

from __future__ import annotations

import ast
import inspect
from argparse import ArgumentParser
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import engine.speculation
from tests.engine.speculation import long_run
from tests.engine.speculation.compare import pair_figures, shown
from tests.engine.speculation.pairs import pairs

Number = int | float

PACKAGE = Path(engine.speculation.__file__).parent
# The modules whose numbers decide what the rounds of an answer are, and so what the pairs measure.
PLAYED = ("depth", "exploring", "arm_estimate", "cost_forecast", "round_cost", "accept_rates", "proposers.ngram")
# Those of a batch, of calibrations and of other proposers, which other tests hold.
ELSEWHERE = (
    "batch_controller",
    "batch_drafting",
    "calibration",
    "drafting",
    "proposers.draft",
    "proposers.head",
    "proposers.joint_draft",
    "proposers.other_tokenizer",
    "speedup_meter",
)
# Those whose numbers choose nothing: sizes of buffers and pieces, tolerances, codes.
NO_CHOICE = (
    "buffer_sizes",
    "compiled_steps",
    "context_figures",
    "head_session",
    "joint_prefill",
    "main_ports",
    "reencoding",
    "row_layout",
    "sequence",
    "suffix_index",
    "tap_choice",
    "taps",
    "vocabulary",
)
# Where half or double makes no sense: a rate, factors, and powers of two.
INSTEAD: dict[str, tuple[Number, Number]] = {"PRIOR_RATE": (0.4, 0.85), "MARGIN": (1.025, 1.1), "AGREEMENT": (0.3, 0.9)}
# Changes that two other seeds make too.
BY_CHANCE = {
    "twenty": 0.006,
    "worst": 0.02,
    "three": 0.012,
    "worst three": 0.04,
    "long": 0.008,
    "short": 0.02,
    "turns": 0.03,
    "late turn": 0.03,
    "contexts": 0.02,
    "pauses": 0.02,
    "hopeless": 0.002,
    "revival": 0.02,
    "shown": 10,
    "off": 0.03,
    "error": 0.015,
}


def constants(module: str) -> dict[str, tuple[object, str]]:
    """The numbers, and rows of numbers, that a module of `engine.speculation` defines, each with the comment above."""
    source = (PACKAGE / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    lines, values = source.splitlines(), vars(import_module(f"engine.speculation.{module}"))
    found: dict[str, tuple[object, str]] = {}
    for name, line in _assigned(ast.parse(source)):
        value = values[name]
        if all(isinstance(one, Number) for one in (value if isinstance(value, tuple) and value else (value,))):
            found[name] = value, _comment_above(lines, line)
    return found


def _assigned(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The names in capitals that a module assigns, with the index of their line."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                    if isinstance(part, ast.Name) and part.id.isupper() and part.id[0] != "_":
                        yield part.id, node.lineno - 1


def _comment_above(lines: list[str], index: int) -> str:
    """The comment of a constant, or of the group of lines that it stands in."""
    while index > 0 and lines[index - 1] and not lines[index - 1].startswith(("#", " ", ")", "from", "import")):
        index -= 1
    end = index
    while index > 0 and lines[index - 1].startswith("#"):
        index -= 1
    return " ".join(line.removeprefix("#").strip() for line in lines[index:end])


def thresholds() -> dict[str, Number]:
    """Every single number of the modules that are played, by name; where two modules share a name, `module.NAME`."""
    found: dict[str, Number] = {}
    for module in PLAYED:
        for name, (value, _) in constants(module).items():
            if isinstance(value, Number):
                found.setdefault(name, value)
    return found


def set_everywhere(name: str, value: Number) -> None:
    """Change a threshold in every module that is played and has it, defaults of arguments and of fields included."""
    modules = [import_module(f"engine.speculation.{one}") for one in PLAYED]
    for module in modules:
        if hasattr(module, name):
            setattr(module, name, value)
    for module in modules:
        for function, argument in defaults_of(module, name):
            position = function.__code__.co_varnames.index(argument) - function.__code__.co_argcount
            defaults = list(function.__defaults__ or ())
            defaults[position] = value
            function.__defaults__ = tuple(defaults)


def defaults_of(module: ModuleType, name: str) -> Iterator[tuple[FunctionType, str]]:
    """The functions of a module with an argument whose default is a threshold, what makes a dataclass or a named tuple
    included.
    """
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        for part in node.body if isinstance(node, ast.ClassDef) else ():
            owner = getattr(module, node.name)
            if isinstance(part, ast.AnnAssign) and _is_name(part.value, name):
                assert isinstance(part.target, ast.Name)
                yield owner.__new__ if issubclass(owner, tuple) else owner.__init__, part.target.id
            if isinstance(part, ast.FunctionDef):
                taking = part.args.args[len(part.args.args) - len(part.args.defaults) :]
                for argument, default in zip(taking, part.args.defaults, strict=True):
                    if _is_name(default, name):
                        yield getattr(owner, part.name), argument.arg


def _is_name(node: ast.expr | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def figures(seeds: int) -> dict[str, float]:
    """What the pairs say, those of the machine with stalls under names of their own, and what `long_run` says."""
    stalls = {f"{name}, stalls": value for name, value in pair_figures(pairs, seeds, stalls=True).items()}
    return pair_figures(pairs, seeds) | stalls | long_run.figures(seeds)


def moved(before: dict[str, float], after: dict[str, float]) -> str:
    """The figures that changed by more than chance."""
    found = [
        shown(name, value)
        for name, value in after.items()
        if abs(value - before[name]) > BY_CHANCE[name.removesuffix(", stalls")]
    ]
    return "; ".join(found) or "nothing"


def others(name: str, value: Number) -> tuple[Number, Number]:
    """A threshold halved and doubled."""
    if name in INSTEAD:
        return INSTEAD[name]
    return (max(1, value // 2), 2 * value) if isinstance(value, int) else (value / 2, 2 * value)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--part", default="1/1")
    asked = parser.parse_args()
    part, parts = map(int, asked.part.split("/"))
    known = thresholds()
    before = figures(asked.seeds)
    print("as they are: " + ", ".join(shown(*item) for item in before.items()), flush=True)
    for name in asked.names or list(known)[part - 1 :: parts]:
        cells = []
        for other in others(name, known[name]):
            set_everywhere(name, other)
            cells.append(f"{other:g}: {moved(before, figures(asked.seeds))}")
        set_everywhere(name, known[name])
        print(f"| `{name}` {known[name]:g} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
