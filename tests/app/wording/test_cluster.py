from __future__ import annotations

from app.wording.cluster import cluster_reasons
from app.wording.errors import error_sentence
from engine.cluster.errors import ClusterError


def test_every_reason_has_a_sentence_that_names_the_machine_wherever_it_is_known() -> None:
    assert cluster_reasons().keys() == ClusterError.REASONS.keys()
    for reason, plain in ClusterError.REASONS.items():
        sentence = error_sentence(ClusterError(reason, "studio.local", "some detail"))
        assert ("studio.local" in sentence) == ("{host}" in plain)
        assert ("some detail" in sentence) == ("{detail}" in plain)
        assert "{" not in sentence
