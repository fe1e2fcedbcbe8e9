"""The draft-model method: builds the proposer that fits how the two models' tokenizers relate."""

from __future__ import annotations

from engine.pictures.placed import within, without_pictures
from engine.speculation.conversation import continue_on
from engine.speculation.drafters.sources import DraftSource
from engine.speculation.proposers.context import ProposerContext, ProposerUnavailable
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.proposers.other_tokenizer import SharedTokensProposer


def build(context: ProposerContext) -> DraftModelProposer | None:
    """Return the proposer for the draft model, which continues the conversation's draft sequence; None without one.

    Raises `ProposerUnavailable` if the draft model's caches cannot be rolled back.
    """
    draft = context.draft
    conversation = context.conversation
    if draft is None:
        return None
    proposer = _for_tokenizers(draft, context)
    # Early stopping would shorten a depth that the user fixed.
    proposer.stops_early = context.settings.depth is None
    sequence = conversation.draft = proposer.sequence
    sequence.steps = draft.steps
    sequence.vocabulary_limit = draft.model.rows
    if draft.translation is None:
        main = conversation.main
        sequence.boundaries = tuple(
            len(without_pictures(main.tokens[:end], within(main.pictures, 0, end))) for end in main.boundaries
        )
    if sequence.plain_only is not None:
        raise ProposerUnavailable("cache-kind", ("kind", sequence.plain_only))
    return proposer


def _for_tokenizers(draft: DraftSource, context: ProposerContext) -> DraftModelProposer:
    """Return the proposer for a draft model with the main model's ids, or with ids that are translated."""
    model = draft.model
    translation = draft.translation
    sampler = context.sampler
    main = context.conversation.main
    draft_sequence = context.conversation.draft
    limit = model.info.context_length
    tokens = without_pictures(main.tokens, main.pictures)
    rejection = context.settings.redraws
    if translation is None:
        sequence = continue_on(draft_sequence, model, tokens)
        return DraftModelProposer(sequence, sampler, limit, main, keep_distributions=rejection)
    sequence = continue_on(draft_sequence, model, translation.translate(tokens))
    return SharedTokensProposer(sequence, sampler, limit, main, translation, keep_distributions=rejection)
