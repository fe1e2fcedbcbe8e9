"""The registered proposers, and the methods that follow from them.

A module here is named, not imported: settings are checked before mlx is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass

# The method that uses whatever drafter the user chose.
DRAFTER_METHOD = "draft"


@dataclass(frozen=True, slots=True)
class ProposerEntry:
    """`module` has `build(context: ProposerContext) -> Proposer | None`: None where the context lacks what it needs.

    `joint` has `build() -> JointProposer`, which proposes for several requests at once, if there is one.
    `uses_drafter` is true if it runs the drafter that the user chose: a draft model or a head. All of those are one
    method, because only one drafter is in use at a time. One with `every_method` is none of its own: it costs nothing.
    """

    module: str
    joint: str = ""
    uses_drafter: bool = False
    every_method: bool = False


# By source name. Where several have proposals at a fixed depth, the first one is used.
PROPOSERS: dict[str, ProposerEntry] = {
    "grammar": ProposerEntry("engine.speculation.proposers.grammar", every_method=True),
    "just-in-time": ProposerEntry("engine.speculation.proposers.just_in_time", uses_drafter=True),
    # Behind the other, because it tells the drafter what became of a round of either.
    "ahead": ProposerEntry("engine.speculation.proposers.ahead", uses_drafter=True),
    "draft": ProposerEntry(
        "engine.speculation.proposers.draft", "engine.speculation.proposers.joint_draft", uses_drafter=True
    ),
    "head": ProposerEntry("engine.speculation.proposers.head", uses_drafter=True),
    "ngram": ProposerEntry("engine.speculation.proposers.ngram"),
}


def method_of(source: str) -> str:
    """The value of `SpeculationSettings.method` that uses only this proposer, or those of its kind."""
    return DRAFTER_METHOD if PROPOSERS[source].uses_drafter else source


def uses(method: str, source: str) -> bool:
    """Whether a method uses a proposer."""
    return method != "off" and (method in ("auto", method_of(source)) or PROPOSERS[source].every_method)


def methods() -> tuple[str, ...]:
    """The values of `SpeculationSettings.method`: "auto" (all proposers), each kind of proposer alone, and "off"."""
    kinds = dict.fromkeys(method_of(source) for source, entry in PROPOSERS.items() if not entry.every_method)
    return ("auto", *kinds, "off")
