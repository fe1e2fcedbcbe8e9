"""Every failure of the Hub has a sentence."""

from __future__ import annotations

import pytest

from app.wording.errors import error_sentence
from app.wording.hub import HUB_REASONS, hub_sentence
from engine.hub.failures import HubError


@pytest.mark.parametrize("reason", HubError.REASONS)
def test_every_failure_of_the_hub_is_a_sentence(reason: str) -> None:
    arguments = {"endpoint": "http://mirror", "revision": "v2", "file": "a.json", "status": 503, "path": "somewhere"}
    arguments |= {"family": "llama", "app": "LM Studio"}
    error = HubError(reason, "org/model", **arguments, needed=5_000_000_000, free=1_000_000_000)
    sentence = error_sentence(error)
    assert sentence == hub_sentence(error)
    assert "{" not in sentence
    assert sentence.endswith(".")
    assert set(HUB_REASONS) == set(HubError.REASONS)
