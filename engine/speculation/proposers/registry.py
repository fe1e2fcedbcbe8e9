"""The registered proposers, and the methods that follow from them.

A module here is named, not imported: settings are checked before mlx is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProposerEntry:
    """`module` has `build(context: ProposerContext) -> Proposer | None`: None where the context lacks what it needs.

    `uses_draft_model` is true if it runs the draft model that the user chose.
    """

    module: str
    uses_draft_model: bool = False


# By source name. Where several have proposals at a fixed depth, the first one is used.
PROPOSERS: dict[str, ProposerEntry] = {
    "draft": ProposerEntry("engine.speculation.proposers.draft", uses_draft_model=True),
    "ngram": ProposerEntry("engine.speculation.proposers.ngram"),
}


def methods() -> tuple[str, ...]:
    """The values of `SpeculationSettings.method`: "auto" (all proposers), each proposer alone, and "off"."""
    return ("auto", *PROPOSERS, "off")
