"""Needs torch, which only the recipe's extra brings."""

import pytest

torch = pytest.importorskip("torch", reason="needs torch (recipe)")

from resources.starter.recipe.circuits import hold, wire_copying  # noqa: E402
from resources.starter.recipe.model import YOUNG_MAIN, LanguageModel, deepened  # noqa: E402


def test_an_untrained_model_repeats_what_it_has_read() -> None:
    torch.manual_seed(1)
    model = LanguageModel(YOUNG_MAIN)
    wire_copying(model)
    run = torch.randint(3, YOUNG_MAIN.vocab_size, (4, 40))

    with torch.no_grad():
        guesses = model.logits(model(run.repeat(1, 2))).argmax(-1)

    assert (guesses[:, 40:-1] == run[:, 1:]).float().mean() > 0.8


def test_what_is_held_comes_back_and_the_rest_stays_moved() -> None:
    torch.manual_seed(1)
    model = LanguageModel(YOUNG_MAIN)
    held = wire_copying(model)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 1.0

    hold(held)

    after = model.state_dict()
    query, size = "model.layers.1.self_attn.q_proj.weight", YOUNG_MAIN.head_dim
    assert torch.equal(after[query][: 2 * size], before[query][: 2 * size])
    assert torch.equal(after[query][2 * size :], before[query][2 * size :] + 1.0)
    assert torch.equal(after["model.norm.weight"], before["model.norm.weight"] + 1.0)


def test_decoding_with_a_cache_gives_the_same_scores() -> None:
    torch.manual_seed(1)
    model = LanguageModel(YOUNG_MAIN)
    wire_copying(model)
    tokens = torch.randint(3, YOUNG_MAIN.vocab_size, (2, 12))
    past: list[list[torch.Tensor]] = [[] for _ in model.model.layers]

    with torch.no_grad():
        whole = model(tokens)
        model(tokens[:, :-1], past=past)
        last = model(tokens[:, -1:], past=past)

    torch.testing.assert_close(last[:, 0], whole[:, -1], atol=1e-4, rtol=1e-3)


def test_a_deepened_model_computes_what_the_young_one_did() -> None:
    torch.manual_seed(1)
    young = LanguageModel(YOUNG_MAIN)
    with torch.no_grad():
        for parameter in young.parameters():
            parameter += 0.02 * torch.randn_like(parameter)
    tokens = torch.randint(3, YOUNG_MAIN.vocab_size, (2, 12))

    main = deepened(young)

    assert len(main.model.layers) > len(young.model.layers)
    with torch.no_grad():
        torch.testing.assert_close(main(tokens), young(tokens), atol=1e-5, rtol=1e-4)
