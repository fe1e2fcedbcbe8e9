"""Verdicts on drafts: their reasons, their order, the best one, and the files that are read for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.advice.catalog import load_catalog
from engine.advice.fit import ModelSize, check_fit, number_bytes
from engine.advice.pairing import VERDICTS, PairAdvice, advise, candidates
from engine.finding.discovery import installed_models
from engine.model_files.model import Model
from tests.engine.model_files.model_folders import (
    llama_config,
    model_files,
    tokenizer_json,
    write_folder,
    write_snapshot,
)

GB = 10**9
ROOM = 100 * GB
VOCABULARY = {f"t{number}": number for number in range(100)}


def model(name: str, size: int, source: str = "installed", **changes: Any) -> Model:
    vocabulary = changes.pop("vocabulary", VOCABULARY)
    values: dict[str, Any] = {
        "active_bytes": size,
        "config": llama_config(),
        "read_vocabulary": lambda: vocabulary,
        "vocabulary_size": 100,
    } | changes
    return Model(name, source, weight_bytes=size, **values)


MAIN = model("org/main", 8 * GB)


def verdict_on(draft: Model, main: Model = MAIN, limit: int = ROOM, **more: Any) -> PairAdvice:
    return next(one for one in advise(main, [draft], 4096, limit, **more) if one.id == draft.id)


@pytest.mark.parametrize(
    ("changes", "size", "verdict", "argument"),
    [
        ({}, GB // 2, "same", None),
        ({"vocabulary_size": 128}, GB // 2, "padded", ("extra", 0)),
        ({"vocabulary": VOCABULARY | {"<think>": 100}}, GB // 2, "padded", ("extra", 1)),
        ({"vocabulary": {f"u{number}": number for number in range(100)}}, GB // 2, "different", ("shared", 0)),
        ({"vocabulary": None}, GB // 2, "unknown", None),
        ({}, 7 * GB, "too-large", ("share", 88)),
        ({"problem": "unknown-architecture", "detail": "x"}, GB // 2, "not-mlx", ("reason", "unknown-architecture")),
        ({"problem": "incomplete", "detail": "y"}, GB // 2, "incomplete", ("detail", "y")),
    ],
)
def test_each_verdict_has_its_reason(
    changes: dict[str, Any], size: int, verdict: str, argument: tuple[str, int | str] | None
) -> None:
    advice = verdict_on(model("org/draft", size, **changes))
    assert advice.verdict == verdict
    assert argument is None or argument in advice.arguments
    assert advice.verdict in VERDICTS


def test_what_does_not_fit_beside_the_main_model_says_how_much_it_would_need() -> None:
    advice = verdict_on(model("org/draft", GB // 2), limit=8 * GB + GB // 4)
    assert advice.verdict == "no-room"
    assert dict(advice.arguments)["free"] == 8 * GB + GB // 4
    assert int(dict(advice.arguments)["needed"]) > 8 * GB + GB // 2


def test_caches_of_fewer_bits_leave_memory_for_a_draft() -> None:
    main, draft = model("org/main", 8 * GB), model("org/draft", GB // 2)
    sizes = (ModelSize(one.id, one.weight_bytes, one.config) for one in (main, draft))
    too_little = check_fit(*sizes, 4096, ROOM).needed - 1
    for bits, verdict in ((0, "no-room"), (4, "same")):
        assert verdict_on(draft, main, too_little, element_bytes=number_bytes(bits)).verdict == verdict


def test_nothing_is_read_for_equal_fingerprints_or_a_draft_that_is_too_large() -> None:
    def refuse() -> dict[str, int] | None:
        raise AssertionError("read")

    main = model("org/main", 8 * GB, tokenizer="f" * 64, read_vocabulary=refuse)
    assert verdict_on(model("org/draft", GB // 2, tokenizer="f" * 64, read_vocabulary=refuse), main).verdict == "same"
    assert verdict_on(model("org/draft", 7 * GB, read_vocabulary=refuse)).verdict == "too-large"


def test_the_best_is_first_and_lookup_comes_before_what_does_not_work() -> None:
    small, foreign = model("org/small", GB // 3), model("org/foreign", GB // 3, vocabulary={"x": 0})
    huge, unread = model("org/huge", 7 * GB), model("org/unread", GB // 10, vocabulary=None)
    advice = advise(MAIN, [huge, unread, foreign, small, MAIN], 4096, ROOM)
    assert [one.id for one in advice] == ["org/small", "org/unread", "", "org/foreign", "org/huge"]
    assert [one.best for one in advice] == [True, False, False, False, False]


def test_without_a_known_draft_lookup_is_the_best() -> None:
    advice = advise(MAIN, [model("org/unread", GB // 3, vocabulary=None)], 4096, ROOM)
    assert [(one.verdict, one.best) for one in advice] == [("unknown", False), ("lookup", True)]


@pytest.mark.parametrize(
    "changes",
    [
        {"vocabulary": {f"{'t' if number < 29 else 'u'}{number}": number for number in range(100)}},
        {"vocabulary": {f"{'t' if number < 99 else 'u'}{number}": number for number in range(100)}},
        {"config": {**llama_config(), "model_type": "gpt2"}},
        {"config": {**llama_config(), "model_type": "gpt2"}, "vocabulary_size": 128},
    ],
    ids=["29% shared", "99% shared", "other family", "other family, padded"],
)
def test_a_draft_of_another_tokenizer_or_family_is_recommended_only_once_it_was_measured(
    changes: dict[str, Any],
) -> None:
    noise = model("org/noise", 4 * 10**6, **changes)
    advice = {one.id: one for one in advise(MAIN, [noise], 4096, ROOM)}
    assert advice[noise.id].works
    assert (advice[noise.id].best, advice[""].best) == (False, True)
    assert advise(MAIN, [noise], 4096, ROOM, {noise.id: 1.4})[0].best
    # The catalog backs a pair of any architecture.
    assert advise(replace(MAIN, drafts=(noise.id,)), [noise], 4096, ROOM)[0].best


def test_how_fast_a_draft_of_another_tokenizer_is_is_not_guessed() -> None:
    noise = model("org/noise", 4 * 10**6, vocabulary={"x": 0})
    lookup, found = advise(MAIN, [noise], 4096, ROOM)
    assert (lookup.verdict, found.verdict, found.works, found.expected) == ("lookup", "different", True, None)


def test_a_mixture_of_experts_is_of_the_family_of_its_dense_models() -> None:
    main = model("org/main", 8 * GB, config={**llama_config(), "model_type": "qwen3_moe"})
    draft = model("org/draft", GB // 3, config={**llama_config(), "model_type": "qwen3"})
    assert advise(main, [draft], 4096, ROOM)[0].best


def test_an_installed_draft_wins_a_tie_and_hides_its_catalog_twin() -> None:
    here = model("org/here", GB // 3)
    there = model("org/there", GB // 3, source="catalog")
    twin = model("org/here", GB // 3, source="catalog")
    advice = advise(MAIN, [there, twin, here], 4096, ROOM)
    assert [(one.id, one.source) for one in advice[:2]] == [("org/here", "installed"), ("org/there", "catalog")]


def test_a_draft_that_this_chip_gains_nothing_from_can_be_chosen_but_is_not_the_best(
    set_chip: Callable[[str], None],
) -> None:
    draft = model("org/draft", GB // 2)
    set_chip("Apple M4 Pro")
    assert advise(MAIN, [draft], 4096, ROOM)[0].best
    set_chip("Apple M1")
    lookup, found = advise(MAIN, [draft], 4096, ROOM)
    assert (lookup.verdict, lookup.best) == ("lookup", True)
    assert (found.verdict, found.works, found.best) == ("same", True, False)
    assert verdict_on(model("org/huge", 7 * GB)).verdict == "too-large"


@pytest.mark.parametrize("head", ["", "mtp"])
def test_what_was_measured_no_faster_is_not_the_best(head: str) -> None:
    draft = model("org/draft", GB // 3, head=head)
    assert advise(MAIN, [draft], 4096, ROOM)[0].id == draft.id
    better = model("org/better", GB // 3)
    assert advise(MAIN, [draft, better], 4096, ROOM, measured={better.id: 5.0})[0].id == better.id
    # A gain that was measured comes before a larger one that is only estimated.
    first, second, _lookup = advise(MAIN, [draft, better], 4096, ROOM, measured={better.id: 1.1})
    assert (first.id, first.best, second.best) == (better.id, True, False)
    assert second.expected is not None
    assert second.expected.speedup > 1.1
    for measured in (0.9, 1.0, 1.04):
        lookup, found = advise(MAIN, [draft], 4096, ROOM, measured={draft.id: measured})
        assert (lookup.verdict, lookup.best) == ("lookup", True)
        assert (found.works, found.best) == (True, False)


def test_installed_models_are_paired_from_their_files(tmp_path: Path) -> None:
    words = {f"w{number}": number for number in range(50)}
    big = llama_config(num_hidden_layers=40)
    write_snapshot(tmp_path, "org/main", model_files(big, tokenizer_json(words)))
    write_snapshot(tmp_path, "org/same", model_files(tokenizer=tokenizer_json(words)))
    write_snapshot(tmp_path, "org/more", model_files(tokenizer=tokenizer_json(words, added=(("<x>", 50),))))
    write_snapshot(tmp_path, "org/other", model_files(tokenizer=tokenizer_json({"a": 0, "w1": 7})))
    installed = installed_models(tmp_path)
    main = next(one for one in installed if one.id == "org/main")
    subject, drafts = candidates(main, installed, load_catalog())
    verdicts = {one.id: one.verdict for one in advise(subject, drafts, 512, ROOM)}
    assert verdicts == {"org/same": "same", "org/more": "padded", "org/other": "different", "": "lookup"}


def test_the_catalog_suggests_drafts_for_a_main_model_that_it_knows() -> None:
    catalog = load_catalog()
    main = catalog.models["mlx-community/Qwen3-14B-4bit"]
    subject, drafts = candidates(main, [], catalog)
    advice = [one for one in advise(subject, drafts, 8192, 64 * GB) if one.verdict != "head-unchecked"]
    assert advice[0].id == "mlx-community/Qwen3-0.6B-4bit"
    assert advice[0].best
    assert advice[0].verdict == "same"
    assert all("Qwen3-" in one.id for one in advice if one.id)


def test_a_half_downloaded_suggestion_says_so(tmp_path: Path) -> None:
    name = "mlx-community/Qwen3-0.6B-4bit"
    write_snapshot(
        tmp_path, name, {"config.json": json.dumps(llama_config()).encode(), "tokenizer.json": b'{"model":{}}'}
    )
    catalog = load_catalog()
    subject, drafts = candidates(catalog.models["mlx-community/Qwen3-14B-4bit"], installed_models(tmp_path), catalog)
    advice = {one.id: one for one in advise(subject, drafts, 8192, 64 * GB)}
    assert (advice[name].verdict, advice[name].source) == ("incomplete", "installed")


def test_the_starters_draft_is_offered_to_the_starter_only(tmp_path: Path) -> None:
    write_folder(tmp_path / "starter" / "main", model_files(llama_config(num_hidden_layers=40)))
    write_folder(tmp_path / "starter" / "draft", model_files())
    write_snapshot(tmp_path / "cache", "org/main", model_files(llama_config(num_hidden_layers=40)))
    installed = installed_models(tmp_path / "cache", starter_dir=tmp_path / "starter")
    offered = {model.id: [one.id for one in candidates(model, installed, load_catalog())[1]] for model in installed}
    assert "draft" in offered["main"]
    assert "draft" not in offered["org/main"]


@pytest.mark.parametrize(
    ("chip", "bits", "verdict"), [("AMD EPYC", 16, "too-large"), ("Apple M1", 8, "too-large"), ("Apple M4", 16, "same")]
)
def test_a_copy_in_fewer_bits_is_a_draft_only_where_this_chip_gains_from_it(
    chip: str, bits: int, verdict: str, set_chip: Callable[[str], None]
) -> None:
    set_chip(chip)
    main, copy = model("org/main", bits * GB // 2, bits=bits), model("org/copy", 9 * GB // 4, bits=4)
    assert verdict_on(copy, main).verdict == verdict
