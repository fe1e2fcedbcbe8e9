"""The size of the head that makers ship with a model is estimated from the model's own."""

from __future__ import annotations

import pytest

from engine.heads.mtp_config import shipped_bytes
from tests.engine.heads.golden.mtp_cases import CASES

GB = 10**9
# Published in 8 bits: 671 billion numbers in 61 layers, of which a token uses 37 billion; the head has 11.5 billion.
DEEPSEEK = {"model_type": "deepseek_v3", "num_nextn_predict_layers": 1, "num_hidden_layers": 61}


def test_a_head_is_about_as_large_as_a_layer_in_the_numbers_that_its_makers_publish() -> None:
    assert shipped_bytes(DEEPSEEK, 671 * GB, 37 * GB, 8) == pytest.approx(11.5 * GB, rel=0.15)
    in_four_bits = shipped_bytes(DEEPSEEK, 336 * GB, 18 * GB, 4)
    assert in_four_bits == pytest.approx(11.5 * GB, rel=0.15)
    # Three layers without experts, of 0.33 billion numbers each.
    mimo = {"model_type": "mimo_v2_flash", "num_hidden_layers": 48}
    assert shipped_bytes(mimo, 309 * GB, 15 * GB, 8) == pytest.approx(GB, rel=0.15)
    nested = {"model_type": "any", "text_config": DEEPSEEK}
    assert shipped_bytes(nested, 671 * GB, 37 * GB, 8) == shipped_bytes(DEEPSEEK, 671 * GB, 37 * GB, 8)


def test_where_nothing_is_shipped_or_nothing_is_known_the_size_is_0() -> None:
    assert shipped_bytes(CASES["mtp_qwen3"].text, GB, GB, 16) == 0
    step = dict(CASES["mtp_step3p5"].text)
    for lie in ({"num_nextn_predict_layers": 0}, {"num_nextn_predict_layers": 99}, {"num_hidden_layers": 0}):
        assert shipped_bytes(step | lie, GB, GB, 16) == 0
    assert shipped_bytes(step | {"model_type": "x"}, GB, GB, 16) == 0
