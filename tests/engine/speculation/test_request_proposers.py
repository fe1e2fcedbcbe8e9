"""What a request's proposers leave behind."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from engine.requests import SpeculationSettings
from engine.speculation.request_proposers import RequestProposers


def test_the_figures_of_a_request_stay_when_its_proposers_end() -> None:
    request = RequestProposers(
        cast("Any", None), SpeculationSettings(), cast("Any", None), cast("Any", None), prefilled=5
    )
    request.by_source["draft"] = cast("Any", SimpleNamespace(prefilled_tokens=23, abandon=lambda: None))
    assert request.draft_prefill_tokens == 28
    request.abandon()
    assert request.draft_prefill_tokens == 28
