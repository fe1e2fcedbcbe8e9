"""The registered proposers, and the methods and names that follow from them.

Settings, figures, panel, command line and benchmarks read this table, and `i18n/update.py` takes the words to translate
from it. Modules are given by name, because settings are checked before mlx is imported.
"""

from __future__ import annotations

from dataclasses import dataclass

# The method that uses the drafter that the user chose.
DRAFTER_METHOD = "draft"
_METHOD_WORDS = {"auto": "Automatic", DRAFTER_METHOD: "Draft model", "off": "Off"}


@dataclass(frozen=True, slots=True)
class ProposerEntry:
    """A proposer: `module` has `build(context: ProposerContext) -> Proposer | None`, None if the context has no use.

    `uses_drafter` is true if it runs the drafter that the user chose: a draft model or a head. All of these form one
    method, because only one drafter is in use at a time. With `every_method` it costs nothing, and is part of every
    method. With `ahead` it proposes what a runner has drafted with the draft model meanwhile, see `engine.ahead`. With
    `method` it is part of that method and has none of its own.

    `words` name it next to its tokens, `method_words` the method that uses nothing else, both in English; without words
    its source name is shown. `bench_depths` are those that `tandem bench` compares.
    """

    module: str
    uses_drafter: bool = False
    every_method: bool = False
    ahead: bool = False
    method: str = ""
    words: str = ""
    method_words: str = ""
    bench_depths: tuple[int, ...] = (2, 4, 6, 8)


# By source name. If several have proposals at a fixed depth, the first one is used.
PROPOSERS: dict[str, ProposerEntry] = {
    "grammar": ProposerEntry("engine.speculation.proposers.grammar", every_method=True, words="answer format"),
    "ahead": ProposerEntry("engine.speculation.proposers.ahead", uses_drafter=True, ahead=True, words="drafted ahead"),
    "draft": ProposerEntry("engine.speculation.proposers.draft", uses_drafter=True, words="draft"),
    # A head drafts a whole block at the cost of one token.
    "head": ProposerEntry(
        "engine.speculation.proposers.head", uses_drafter=True, words="head", bench_depths=(4, 6, 8, 12, 15)
    ),
    "ngram": ProposerEntry(
        "engine.speculation.proposers.ngram",
        words="prompt lookup",
        method_words="Prompt lookup (n-gram)",
        bench_depths=(4, 8, 16, 32),
    ),
    "chats": ProposerEntry("engine.speculation.proposers.earlier_answers", method="ngram", words="from your chats"),
}


def method_of(source: str) -> str:
    """Return the value of `SpeculationSettings.method` that uses only this proposer, or the proposers of its kind."""
    return DRAFTER_METHOD if PROPOSERS[source].uses_drafter else PROPOSERS[source].method or source


def uses(method: str, source: str) -> bool:
    """Whether a method uses a proposer."""
    return method != "off" and (method in ("auto", method_of(source)) or PROPOSERS[source].every_method)


def methods() -> tuple[str, ...]:
    """Return the values of `SpeculationSettings.method`: "auto" (all proposers), each kind alone, and "off"."""
    kinds = dict.fromkeys(method_of(source) for source, entry in PROPOSERS.items() if not entry.every_method)
    return ("auto", *kinds, "off")


def uses_drafter(method: str) -> bool:
    """Whether a method uses a draft model or a head."""
    return any(entry.uses_drafter and uses(method, source) for source, entry in PROPOSERS.items())


def sources_without_drafter(method: str) -> tuple[str, ...]:
    """Return the proposers of a method that need no drafter, but for those of every method and parts of another one."""
    return tuple(
        source
        for source, entry in PROPOSERS.items()
        if not (entry.uses_drafter or entry.every_method or entry.method) and uses(method, source)
    )


def source_words(source: str) -> str:
    """Return the English words that name a source next to its tokens; the source itself if it is not registered."""
    return (PROPOSERS[source].words if source in PROPOSERS else "") or source


def method_words(method: str) -> str:
    """Return the English words for a method; the method itself if it is not registered."""
    of_proposer = PROPOSERS[method].method_words if method in PROPOSERS else ""
    return _METHOD_WORDS.get(method, of_proposer) or method
