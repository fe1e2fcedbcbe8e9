"""Every reason of a cluster's error has a sentence, and the names of machines are joined."""

from __future__ import annotations

import pytest

from app.widgets.application import Application
from app.wording.cluster import CLUSTER_REASONS
from app.wording.errors import error_sentence
from app.wording.machines import together_sentence
from engine.cluster.errors import ClusterError


def test_every_reason_has_a_sentence_that_names_the_machine_wherever_it_is_known() -> None:
    assert CLUSTER_REASONS.keys() == ClusterError.REASONS.keys()
    for reason, plain in ClusterError.REASONS.items():
        sentence = error_sentence(ClusterError(reason, "studio.local", "some detail"))
        assert ("studio.local" in sentence) == ("{host}" in plain)
        assert ("some detail" in sentence) == ("{detail}" in plain)
        assert "{" not in sentence
        unknown = error_sentence(ClusterError(reason, detail="some detail"))
        assert ("One of the computers" in unknown) == ("{host}" in plain)


@pytest.mark.parametrize(
    ("language", "joined"), [("zh_CN", "、studio 和 mini"), ("ja", "、studio、mini"), ("en", ", studio")]
)
def test_names_are_joined_as_each_language_writes_them(qapp: Application, language: str, joined: str) -> None:
    qapp.language.choose(language)
    assert joined in together_sentence(["127.0.0.1", "studio", "mini"])
