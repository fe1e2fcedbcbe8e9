"""Needs torch, which only the recipe's extra brings."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

torch = pytest.importorskip("torch", reason="needs torch (recipe)")

from safetensors.torch import load_file  # noqa: E402

from resources.starter.recipe.chain_head import (  # noqa: E402
    STEPS,
    ChainHead,
    EagleHead,
    EagleShape,
    MtpHead,
    MtpShape,
    Seen,
)
from resources.starter.recipe.chain_training import (  # noqa: E402
    LATER,
    Texts,
    chain_loss,
    shifted,
    texts_from,
    train_chain_head,
    weights_of,
)
from resources.starter.recipe.export import export_head  # noqa: E402
from resources.starter.recipe.quantisation import write_quantised  # noqa: E402
from resources.starter.recipe.tests.tiny_training import (  # noqa: E402
    LENGTH,
    MAIN_SHAPE,
    open_every_path,
    stops_at,
    two_chats,
)

if TYPE_CHECKING:
    from pathlib import Path

    from resources.starter.recipe.model import LanguageModel

EAGLE = EagleShape(MAIN_SHAPE, (0, 1, 2), num_key_value_heads=1, intermediate_size=24, draft_vocab_size=40)


def head_of(kind: str, main: LanguageModel) -> ChainHead:
    """Return an untrained head, all weights of which matter."""
    torch.manual_seed(2)
    if kind == "eagle":
        head: ChainHead = EagleHead(EAGLE)
        head.choose_targets(torch.arange(50))  # type: ignore[operator]
    else:
        head = MtpHead(MtpShape(MAIN_SHAPE))
    open_every_path(head)
    head.begin_at(main)
    return head


def some_texts() -> Texts:
    return next(iter(texts_from(two_chats(), two_chats(2, 96), 7, 1, 0)))


@pytest.mark.parametrize("kind", ["eagle", "mtp"])
def test_steps_trained_at_once_are_those_of_drafting_one_by_one(main: LanguageModel, kind: str) -> None:
    head = head_of(kind, main).requires_grad_(False)
    texts = some_texts()
    features, _ = head.features(main, texts.tokens, texts.mask)
    embedded = main.model.embed_tokens(texts.tokens)
    together = head(features, tuple(shifted(embedded, step + 1) for step in range(STEPS)), texts.mask)

    for place in (3, 7, LENGTH // 2 + 4):
        start = 0 if place < LENGTH // 2 else LENGTH // 2
        hidden = head.entry(features[:, start : place + 1])
        for step in range(STEPS):
            tokens = embedded[:, start + 1 : place + 2 + step]
            causal = torch.ones(1, 1, tokens.shape[1], tokens.shape[1], dtype=torch.bool).tril()
            found = head.step(tokens, hidden, causal, Seen(), 0)[:, -1:]
            assert torch.allclose(together[step][:, place], found[:, 0], atol=1e-4), (place, step)
            hidden = torch.cat([hidden, found], dim=1)


def test_drafts_count_as_far_as_main_would_have_said_the_text() -> None:
    texts = some_texts()
    choices = torch.roll(texts.tokens, -1, 1)
    choices[:, 8] = 1  # main would have said another token at place 9
    column_of = torch.arange(50)
    column_of[int(texts.tokens[0, 8])] = -1  # the head does not know the token at place 8 of the first row
    weights = weights_of(texts, choices, column_of)

    for row in range(len(texts.tokens)):
        for place in range(LENGTH):
            wanted = []
            for step in range(STEPS):
                target = place + 2 + step
                there = target < LENGTH and bool(texts.owners[row, target] == texts.owners[row, place])
                if not (there and texts.answers[row, target]) or column_of[choices[row, target - 1]] < 0:
                    break
                wanted.append(LATER**step)
                if choices[row, target - 1] != texts.tokens[row, target]:
                    break
            wanted += [0.0] * (STEPS - len(wanted))
            assert weights[:, row, place].tolist() == pytest.approx(wanted), (row, place)
    assert {weights[:, row, 6].count_nonzero().item() for row in range(1, 6)} == {2}


def test_a_run_that_goes_on_sees_the_rows_it_would_have_seen() -> None:
    short, long = two_chats(), two_chats(2, 96)
    whole = list(texts_from(short, long, 4, 20, 0))
    for resumed, expected in zip(texts_from(short, long, 4, 20, 12), whole[12:], strict=True):
        assert torch.equal(resumed.tokens, expected.tokens)


@pytest.mark.parametrize("kind", ["eagle", "mtp"])
def test_training_teaches_the_head_and_leaves_main_alone(main: LanguageModel, kind: str, tmp_path: Path) -> None:
    before = {name: value.clone() for name, value in main.state_dict().items()}
    head, texts = head_of(kind, main), some_texts()
    untrained = chain_loss(main, head, texts).item()

    train_chain_head(head, main, two_chats(), two_chats(2, 96), 40, 7, tmp_path / "head.pt")

    assert chain_loss(main, head, texts).item() < 0.97 * untrained
    assert all(torch.equal(value, before[name]) for name, value in main.state_dict().items())


@pytest.mark.parametrize("kind", ["eagle", "mtp"])
def test_a_run_makes_the_same_bytes_again_also_when_it_is_stopped_between(
    main: LanguageModel, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of threads at first does not matter."""
    monkeypatch.setattr("resources.starter.recipe.training.CHECKPOINT_EVERY", 5)
    monkeypatch.setattr("resources.starter.recipe.chain_training.chain_loss", stops_at(7, chain_loss))
    made = []
    for run, threads in (("stopped", 1), ("whole", 2)):
        torch.set_num_threads(threads)
        for _ in range(2 if run == "stopped" else 1):
            head = head_of(kind, main)
            with suppress(KeyboardInterrupt):
                train_chain_head(head, main, two_chats(), two_chats(2, 96), 12, 7, tmp_path / f"{run}.pt")
        export_head(head, tmp_path / run)
        write_quantised(tmp_path / run, tmp_path / f"{run}-8bit")
        made.append([(tmp_path / folder / "model.safetensors").read_bytes() for folder in (run, f"{run}-8bit")])
    assert made[0] == made[1]


def test_the_folder_of_an_eagle_head_is_a_published_one_s(main: LanguageModel, tmp_path: Path) -> None:
    head = head_of("eagle", main)
    export_head(head, tmp_path / "head")

    config = json.loads((tmp_path / "head" / "config.json").read_text())
    assert config["architectures"] == ["LlamaForCausalLMEagle3"]
    assert config["eagle_config"]["eagle_aux_hidden_state_layer_ids"] == [0, 1, 2]
    weights = load_file(tmp_path / "head" / "model.safetensors")
    assert weights["fc.weight"].shape == (32, 96)
    assert weights["midlayer.self_attn.q_proj.weight"].shape == (32, 64)
    assert weights["lm_head.weight"].shape == (40, 32)
    targets = weights["d2t"] + torch.arange(40)
    assert targets.tolist() == list(range(10, 50))
    assert weights["t2d"].nonzero().flatten().tolist() == targets.tolist()
    assert not [name for name in weights if "embed" in name]


def test_an_mtp_head_begins_as_main_s_last_layer(main: LanguageModel, tmp_path: Path) -> None:
    head = head_of("mtp", main)
    export_head(head, tmp_path / "head")

    weights = load_file(tmp_path / "head" / "model.safetensors")
    last = main.model.layers[-1].self_attn.q_proj.weight.to(torch.bfloat16)
    assert torch.equal(weights["mtp.layers.0.self_attn.q_proj.weight"], last)
    assert weights["mtp.fc.weight"].shape == (32, 64)
    assert all(name.startswith("mtp.") for name in weights)
