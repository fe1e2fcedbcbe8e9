"""A draft model made ready to guess for one main model: what lies between their tokenizers, and its compiled steps."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from engine.conversation import Conversation, continue_on
from engine.disk_pool import DiskPool
from engine.errors import ModelNotUsable
from engine.loading import LoadedModel
from engine.sampling import Sampler
from engine.speculation.compiled_steps import CompiledSteps, compiled_steps
from engine.speculation.joined_products import join_products
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.proposers.other_tokenizer import RewrittenTextProposer, SharedTokensProposer
from engine.speculation.translation import Translation
from engine.speculation.vocabulary import compare, vocabulary_of
from engine.steps import Steps, result_of

log = logging.getLogger(__name__)

# From this share of the main model's tokens on, guessing among those that both have is at least as good as rewriting
# text. Measured on the starter pair with merges taken from the draft's tokenizer, and with counterparts hidden.
ENOUGH_SHARED = 0.5


@dataclass(frozen=True, slots=True)
class DraftSource:
    """`translation` is None where the ids of both models are the same, `steps` where none can be compiled."""

    model: LoadedModel
    translation: Translation | None
    steps: CompiledSteps | None

    def proposer(self, conversation: Conversation, sampler: Sampler, *, rejection: bool = False) -> DraftModelProposer:
        """A proposer on `conversation`, whose draft sequence is continued as far as it can be.

        With `rejection` its guesses are drawn for rejection acceptance.
        """
        proposer = self._new(conversation, sampler, rejection)
        proposer.sequence.steps = self.steps
        proposer.sequence.known_ids = self.model.rows
        return proposer

    def _new(self, conversation: Conversation, sampler: Sampler, rejection: bool) -> DraftModelProposer:
        draft, main, translation = self.model, conversation.main, self.translation
        limit = draft.info.context_length
        if translation is None:
            sequence = continue_on(conversation.draft, draft, main.tokens)
            return DraftModelProposer(sequence, sampler, limit, keep_distributions=rejection)
        if translation.token_map.main_share >= ENOUGH_SHARED:
            sequence = continue_on(conversation.draft, draft, translation.spelled(main.tokens))
            return SharedTokensProposer(sequence, sampler, limit, main, translation, keep_distributions=rejection)
        text = translation.follow((), translation.runs(main.tokens))
        sequence = continue_on(conversation.draft, draft, text.fresh)
        return RewrittenTextProposer(sequence, sampler, limit, main, translation, text.pending)


def prepare_draft(main: LoadedModel, draft: LoadedModel) -> Steps[DraftSource]:
    """Find out, in slices, what guessing with `draft` for `main` takes. Raises `ModelNotUsable`."""
    with DiskPool() as thread:
        try:
            translation = yield from result_of(thread.start(_translation_between, main, draft))
        # What a tokenizer raises where it is not what it says is as various as tokenizers are.
        except Exception as error:
            log.exception("the tokenizer of %s cannot be compared with the main model's", draft.info.name)
            raise ModelNotUsable(draft.info.path, "no-tokenizer", str(error)) from error
    if draft.model is not main.model:
        yield from join_products(draft)
    steps = yield from compiled_steps(draft)
    return DraftSource(draft, translation, steps)


def _translation_between(main: LoadedModel, draft: LoadedModel) -> Translation | None:
    """What lies between the two tokenizers; None where their ids are the same."""
    relation = compare(vocabulary_of(main.tokenizer), vocabulary_of(draft.tokenizer))
    return None if relation.kind == "same" else Translation(main.tokenizer, draft.tokenizer)
