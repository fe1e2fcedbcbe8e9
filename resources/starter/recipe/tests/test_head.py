"""Needs torch, which only the recipe's extra brings."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch (recipe)")

from safetensors.torch import load_file  # noqa: E402

from resources.starter.recipe.export import export_head, load_head  # noqa: E402
from resources.starter.recipe.head import Head, HeadShape  # noqa: E402
from resources.starter.recipe.head_acceptance import measure  # noqa: E402
from resources.starter.recipe.head_training import (  # noqa: E402
    Blocks,
    Read,
    block_mask,
    blocks_from,
    draw_blocks,
    fall_of,
    head_loss,
    load_read,
    read_by,
    save_read,
    targets_and_weights,
    train_head,
)
from resources.starter.recipe.tests.tiny_training import (  # noqa: E402
    LENGTH,
    MAIN_SHAPE,
    open_every_path,
    stops_at,
    two_chats,
)

if TYPE_CHECKING:
    from torch import Tensor

    from resources.starter.recipe.model import LanguageModel

SHAPE = HeadShape(main=MAIN_SHAPE, num_hidden_layers=2, taps=(0, 2), block_size=4)


@pytest.fixture
def head() -> Head:
    """Return an untrained head, all weights of which matter."""
    torch.manual_seed(2)
    model = Head(SHAPE)
    open_every_path(model)
    return model.requires_grad_(False)


def read(main: LanguageModel) -> tuple[Read, Read]:
    """Return what main reads of short rows and of long ones."""
    return read_by(main, two_chats(), SHAPE.taps), read_by(main, two_chats(2, 96), SHAPE.taps)


def some_blocks(main: LanguageModel) -> Blocks:
    return next(iter(blocks_from(*read(main), SHAPE.block_size, 7, 1, 0)))


def mask_of(blocks: Blocks) -> Tensor:
    """Return main's mask, with which each chat sees only itself."""
    same = blocks.owners[:, :, None] == blocks.owners[:, None]
    return (same & torch.ones(same.shape[1:], dtype=torch.bool).tril())[:, None]


def test_a_block_looks_like_one_drafted_alone(main: LanguageModel, head: Head) -> None:
    """Packed rows, other blocks and a cut block's missing rows change nothing."""
    blocks = some_blocks(main)
    size = SHAPE.block_size
    _, taps = main.tapped(blocks.tokens, SHAPE.taps, mask_of(blocks))
    embedded = head.blocks_of(main, blocks.tokens.gather(1, blocks.anchors)).flatten(1, 2)
    positions = (blocks.anchors[..., None] + torch.arange(size)).flatten(1)
    together = head(embedded, positions, taps, block_mask(blocks, size))

    compared = 0
    for row in range(len(blocks.tokens)):
        for index, (anchor, rows_there) in enumerate(zip(blocks.anchors[row], blocks.sizes[row], strict=True)):
            if rows_there == 0:
                continue
            start = 0 if anchor < LENGTH // 2 else LENGTH // 2
            tokens = blocks.tokens[row : row + 1, start : anchor + 1]
            _, alone_taps = main.tapped(tokens, SHAPE.taps)
            block = head.blocks_of(main, tokens[:, -1])[:, :rows_there]
            places = torch.arange(anchor - start, anchor - start + rows_there)[None]
            alone = head(block, places, alone_taps[:, :-1])
            found = together[row, index * size : index * size + rows_there]
            assert torch.allclose(found, alone[0], atol=1e-4), (row, index)
            compared += 1
    assert compared > 20


def test_rows_are_asked_for_what_main_would_say(main: LanguageModel) -> None:
    blocks = some_blocks(main)
    choices = main.logits(main(blocks.tokens, mask_of(blocks))).argmax(-1)
    assert torch.equal(blocks.choices, choices)
    tokens, agreeing = blocks.tokens.clone(), choices.roll(1, dims=1)
    tokens[0] = agreeing[0]

    targets, weights = targets_and_weights(replace(blocks, tokens=tokens), SHAPE.block_size)

    for row in range(len(tokens)):
        for index, (anchor, size) in enumerate(
            zip(blocks.anchors[row].tolist(), blocks.sizes[row].tolist(), strict=True)
        ):
            wanted = [0.0] * SHAPE.block_size
            for place in range(1, size):
                at = anchor + place
                if at >= LENGTH or not blocks.answers[row, at] or blocks.owners[row, at] != blocks.owners[row, anchor]:
                    break
                assert targets[row, index, place] == choices[row, at - 1]
                wanted[place] = float(np.exp(-(place - 1) / fall_of(SHAPE.block_size)))
                if choices[row, at - 1] != tokens[row, at]:
                    break
            assert weights[row, index].tolist() == pytest.approx(wanted)
    assert (weights[0, :, 2] > 0).any()


def test_a_step_of_short_blocks_learns_what_whole_blocks_cut_short_would_teach(main: LanguageModel, head: Head) -> None:
    """Rows that are not there are not computed, and nothing else changes."""
    short, _ = read(main)
    blocks = draw_blocks(short, [0, 1, 2, 3], 3, 2, np.random.default_rng(5))
    assert set(blocks.sizes.flatten().tolist()) == {2}

    size = SHAPE.block_size
    embedded = head.blocks_of(main, blocks.tokens.gather(1, blocks.anchors)).flatten(1, 2)
    positions = (blocks.anchors[..., None] + torch.arange(size)).flatten(1)
    drafted = head(embedded, positions, blocks.taps.float(), block_mask(blocks, size))
    targets, weights = (part.flatten() for part in targets_and_weights(blocks, size))
    losses = torch.nn.functional.cross_entropy(main.logits(drafted.flatten(0, 1)), targets, reduction="none")
    assert torch.allclose(head_loss(main, head, blocks), losses @ weights / weights.sum())


def test_a_head_begins_as_main_s_last_layers_which_see_the_last_tap_as_main_s_last_one_does(
    main: LanguageModel,
) -> None:
    head = Head(SHAPE)
    head.begin_at(main)

    _, taps = main.tapped(torch.randint(3, 50, (1, 9)), SHAPE.taps)
    assert taps is not None
    last = main.model.layers[-1]
    assert torch.allclose(head.hidden_norm(head.fc(taps)), last.input_layernorm(taps[..., -MAIN_SHAPE.hidden_size :]))
    for layer, mains in zip(head.layers, main.model.layers[1:], strict=True):
        assert all(torch.equal(value, mains.state_dict()[name]) for name, value in layer.state_dict().items())


def test_the_rate_is_full_for_half_of_the_steps(monkeypatch: pytest.MonkeyPatch, main: LanguageModel) -> None:
    """So a run's first half is that of a longer one, too."""
    given: list[list[float]] = []
    monkeypatch.setattr(
        "resources.starter.recipe.head_training.train", lambda _head, _data, rates, *_, **__: given.append(rates)
    )

    train_head(Head(SHAPE), main, *read(main), 8, 7, Path("unused"), 0.5)

    assert given == [[0.5, 0.5, 0.5, 0.5, 0.5, 0.375, 0.25, 0.125]]


def test_the_paper_s_weights() -> None:
    assert (fall_of(8), fall_of(16)) == (4, 7)


def test_the_head_learns_from_what_main_hands_out(main: LanguageModel) -> None:
    blocks = some_blocks(main)
    _, taps = main.tapped(blocks.tokens, SHAPE.taps, mask_of(blocks))

    assert taps is not None
    assert torch.allclose(blocks.taps.float(), taps, rtol=1e-2, atol=1e-2)


def test_a_run_that_goes_on_sees_the_blocks_it_would_have_seen(main: LanguageModel) -> None:
    short, long = read(main)
    whole = list(blocks_from(short, long, 4, 7, 20, 0))

    for resumed, expected in zip(blocks_from(short, long, 4, 7, 20, 12), whole[12:], strict=True):
        assert torch.equal(resumed.tokens, expected.tokens)
        assert torch.equal(resumed.anchors, expected.anchors)
        assert torch.equal(resumed.taps, expected.taps)


def test_training_teaches_the_head_and_leaves_main_alone(main: LanguageModel, tmp_path: Path) -> None:
    before = {name: value.clone() for name, value in main.state_dict().items()}
    torch.manual_seed(3)
    head = Head(SHAPE)
    blocks = some_blocks(main)
    untrained = head_loss(main, head, blocks).item()

    train_head(head, main, *read(main), 40, 7, tmp_path / "head.pt")

    assert head_loss(main, head, blocks).item() < 0.95 * untrained
    assert all(torch.equal(value, before[name]) for name, value in main.state_dict().items())


def test_a_run_makes_the_same_bytes_again_also_when_it_is_stopped_between(
    main: LanguageModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of threads at first does not matter."""
    monkeypatch.setattr("resources.starter.recipe.training.CHECKPOINT_EVERY", 5)
    monkeypatch.setattr("resources.starter.recipe.head_training.head_loss", stops_at(13, head_loss))
    made = []
    for run, threads in (("stopped", 1), ("whole", 2)):
        torch.set_num_threads(threads)
        for part, name in zip(read(main), ("short", "long"), strict=True):
            save_read(part, tmp_path / name)
        kept = [load_read(tmp_path / name) for name in ("short", "long")]
        for _ in range(2 if run == "stopped" else 1):
            torch.manual_seed(3)
            model = Head(SHAPE)
            with suppress(KeyboardInterrupt):
                train_head(model, main, *kept, 20, 7, tmp_path / f"{run}.pt")
        export_head(model, tmp_path / run)
        made.append((tmp_path / run / "model.safetensors").read_bytes())
    assert made[0] == made[1]


def test_the_folder_is_a_published_head_s(head: Head, tmp_path: Path) -> None:
    export_head(head, tmp_path / "head")

    config = json.loads((tmp_path / "head" / "config.json").read_text())
    assert config["architectures"] == ["DFlashDraftModel"]
    assert config["block_size"] == 4
    assert (config["num_hidden_layers"], config["num_target_layers"]) == (2, 3)
    assert config["dflash_config"] == {"mask_token_id": 0, "target_layer_ids": [0, 2]}
    weights = load_file(tmp_path / "head" / "model.safetensors")
    assert weights["fc.weight"].shape == (32, 64)
    assert "layers.1.self_attn.q_norm.weight" in weights
    assert not [name for name in weights if "embed" in name or "lm_head" in name]
    assert load_head(SHAPE, tmp_path / "head").state_dict().keys() == head.state_dict().keys()


def test_a_round_commits_the_right_guesses_and_one_token_of_main_s(main: LanguageModel, head: Head) -> None:
    ids = main.logits(main(torch.randint(3, 50, (1, 30)))).argmax(-1)[0].tolist()

    found = measure(main, head, [(ids, 10)], depth=3)

    assert found.tokens == 19  # the first of the answer's twenty comes with the prompt
    assert found.asked[0] == found.rounds
    assert found.asked[1:] == found.right[:-1] or found.tokens < found.rounds + sum(found.right) + 1
    assert found.rounds + sum(found.right) in (19, 20)
