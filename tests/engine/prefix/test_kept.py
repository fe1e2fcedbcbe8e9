"""Of all kept conversations, the one that saves a text the most is found, whatever its caches can go back to."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.prefix.kept import KeptConversations
from engine.speculation.conversation import CachedConversation, usable_prefix
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.tiers import by_tier
from tests.tiny_models import write_model

# Caches that can be cut anywhere, that go back to checkpoints only, that lose their first rows, and in chunks.
KINDS = ("llama", "qwen3_next", "gemma3_text", "llama4")


@pytest.fixture(params=by_tier(KINDS, KINDS[:2]))
def model(request: pytest.FixtureRequest, tmp_path: Path) -> LoadedModel:
    config = {"model_type": request.param, **FAMILIES[request.param]}
    return load(write_model(tmp_path / "main", config=config))


@pytest.mark.first
def test_what_is_found_by_its_place_is_the_best_of_all(model: LoadedModel) -> None:
    draw, kept = Random(3), KeptConversations()
    texts = [[1, 2]]
    for number in range(50):
        begun = draw.choice(texts)[: draw.randrange(1, 40)]
        tokens = [*begun, *(draw.randrange(1, 5) for _ in range(draw.randrange(3, 9)))]
        named = draw.random() < 0.4
        caller = draw.choice(["", "Kim"])
        opening = 0 if named else draw.randrange(len(tokens))
        asked = CachedConversation(
            CachedSequence(model.model, []), name="chat" if named else None, caller=caller, opening=opening
        )
        found, reach = kept.best(model.model, tokens, asked.audience, opening)
        own = [usable_prefix(entry.main, tokens) for entry in kept if entry.audience == asked.audience]
        begun_alike = [
            opening
            for entry in kept
            if entry.name is None and entry.opening == opening and entry.main.position >= opening
            if entry.main.tokens[:opening] == tokens[:opening] and entry.main.reach(opening) == opening
        ]
        assert reach == max([*own, *([] if named else begun_alike)], default=0)
        assert (found is None) == (reach == 0)
        assert kept.bytes == sum(one.bytes for one in kept)

        sequence = None if found is None else found.main.fork()
        if sequence is None:
            sequence = CachedSequence(model.model, model.new_caches())
        else:
            sequence.rewind(reach)
        sequence.tokens = tokens
        sequence.boundaries = tuple(sorted(draw.sample(range(1, len(tokens)), 2)))
        while sequence.prefill(7):
            pass
        sequence.remember()
        name = f"chat {number}" if named else None
        kept.add(CachedConversation(sequence, name=name, caller=caller, opening=opening))
        texts.append(tokens)
        if draw.random() < 0.1:
            kept.change(draw.choice([*kept]), lambda one: one.main.thin(0, newest=1))
        if draw.random() < 0.2:
            kept.remove(draw.choice([*kept]))
