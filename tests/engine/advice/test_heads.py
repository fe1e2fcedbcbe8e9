"""Heads: their verdicts beside a main model, their memory, and the published ones first."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.advice.cache_shape import cache_shape
from engine.advice.catalog import Catalog, load_catalog
from engine.advice.fit import ModelSize, check_fit
from engine.advice.pairing import PairAdvice, advise, against, candidates, facts_of, same_model, with_files
from engine.advice.speedup import estimate_head_speedup
from engine.finding.description import describe_folder
from engine.heads.fit import Mismatch, memory_config
from engine.heads.folder import inspect_head
from engine.hub.failures import HubError
from engine.model_files.model import Model, facts_of_config
from tests.engine.heads.golden import cases
from tests.engine.heads.golden.assistant_cases import CASES as ASSISTANT_CASES
from tests.engine.heads.golden.cases import CASES
from tests.engine.heads.golden.eagle_cases import CASES as EAGLE_CASES
from tests.engine.heads.golden.mtp_cases import CASES as MTP_CASES
from tests.engine.heads.heads_on_disk import tensors_of, write_head

LIMIT, CONTEXT = 32 * 2**30, 8192
MAIN_CONFIG = {"model_type": "qwen3", "num_hidden_layers": 7, "hidden_size": 64, "vocab_size": 256,
               "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 64}  # fmt: skip


def main_model(**changes: Any) -> Model:
    config = MAIN_CONFIG | changes
    return Model(
        "org/Main-8B-4bit", "cache", weight_bytes=10**8, active_bytes=10**8, config=config,
        vocabulary_size=config["vocab_size"],
    )  # fmt: skip


def head_model(folder: Path, name: str = "full", **changes: Any) -> Model:
    case = CASES[name]
    write_head(folder, {**case.config, **changes}, tensors_of(case))
    return with_files(describe_folder(folder, "org/head", "folder"))


def verdict(main: Model, head: Model) -> PairAdvice:
    return next(one for one in advise(main, [head], CONTEXT, LIMIT) if one.id == head.id)


@pytest.mark.parametrize(
    "name",
    ["full", *(pytest.param(name, marks=pytest.mark.full) for name in ("dspark_rnn", "domino", "dflash2", "laguna"))],
)
def test_a_head_of_the_main_models_shape_works(tmp_path: Path, name: str) -> None:
    one = verdict(main_model(), head_model(tmp_path, name))
    assert (one.verdict, one.arguments, one.works, one.best) == ("head", (), True, True)


@pytest.mark.parametrize(
    ("changes", "what", "theirs", "ours"),
    [
        ({"num_hidden_layers": 8}, "layers", 7, 8),
        ({"hidden_size": 128}, "width", 64, 128),
        ({"vocab_size": 300}, "vocabulary", 256, 300),
    ],
)
def test_a_head_of_another_shape_says_what_differs(
    tmp_path: Path, changes: dict[str, int], what: str, theirs: int, ours: int
) -> None:
    one = verdict(main_model(**changes), head_model(tmp_path))
    assert (one.verdict, one.works, one.best) == ("other-main", False, False)
    assert dict(one.arguments) == {"what": what, "head": theirs, "main": ours}


def test_a_head_that_does_not_say_how_many_layers_needs_those_it_taps(tmp_path: Path) -> None:
    head = head_model(tmp_path, "speculators_sliding")
    assert verdict(main_model(num_hidden_layers=6), head).verdict == "head-other"
    assert dict(verdict(main_model(num_hidden_layers=5), head).arguments) == {"what": "layers", "head": 6, "main": 5}


def test_a_head_for_another_model_of_the_same_shape_is_not_recommended(tmp_path: Path) -> None:
    """speculators' heads name the model that they were trained for."""
    head = head_model(tmp_path, "speculators_sliding")
    one = verdict(main_model(), head)
    assert (one.verdict, one.arguments, one.best) == ("head-other", (("model", "org/main"),), False)
    own = replace(main_model(), id="mlx-community/main-mlx-8bit")
    assert verdict(own, head).verdict == "head"


def test_a_damaged_head_and_one_that_does_not_fit_say_why(tmp_path: Path) -> None:
    damaged = verdict(main_model(), head_model(tmp_path / "damaged", num_hidden_layers=4))
    assert (damaged.verdict, dict(damaged.arguments)["reason"]) == ("not-mlx", "damaged")
    large = replace(head_model(tmp_path / "large"), weight_bytes=2**40)
    assert verdict(main_model(), large).verdict == "no-room"


def test_caches_of_fewer_bits_are_those_of_models_only(tmp_path: Path) -> None:
    """As they are loaded."""
    main, head = main_model(), head_model(tmp_path)
    sizes = (ModelSize("", one.weight_bytes, one.config, bytes_) for one, bytes_ in ((main, 0.5625), (head, 2.0)))
    needed = check_fit(*sizes, CONTEXT, LIMIT).needed
    for limit, works in ((needed - 1, False), (needed, True)):
        [one] = (one for one in advise(main, [head], CONTEXT, limit, element_bytes=0.5625) if one.id == head.id)
        assert one.works is works


def test_heads_and_draft_models_stand_by_their_speed_and_the_first_is_marked(tmp_path: Path) -> None:
    head = head_model(tmp_path)
    draft = Model(
        "org/draft", "cache", weight_bytes=10**6, active_bytes=10**6, config=MAIN_CONFIG, vocabulary_size=256,
        tokenizer="t",
    )  # fmt: skip
    main = replace(main_model(), tokenizer="t")
    advice = advise(main, [draft, head], CONTEXT, LIMIT)[:2]
    estimates = [one.expected.speedup for one in advice if one.expected is not None]
    assert estimates == sorted(estimates, reverse=True)
    assert [one.best for one in advice] == [True, False]
    measured = {"org/head": 1.1, "org/draft": 1.9}
    advice = advise(main, [draft, head], CONTEXT, LIMIT, measured=measured)
    assert [(one.id, one.best) for one in advice][:2] == [("org/draft", True), ("org/head", False)]


def test_the_same_model_is_known_in_any_packing() -> None:
    for one, other, same in (
        ("mlx-community/Qwen3-4B-4bit", "Qwen/Qwen3-4B", True),
        ("mlx-community/Qwen3.5-4B-MLX-4bit", "Qwen/Qwen3.5-4B", True),
        ("mlx-community/gpt-oss-20b-MXFP4-Q8", "openai/gpt-oss-20b", True),
        ("mlx-community/Meta-Llama-3.1-8B-Instruct-4bit", "meta-llama/Llama-3.1-8B-Instruct", True),
        ("mlx-community/gemma-4-31b-it-4bit", "google/gemma-4-31B-it", True),
        ("mlx-community/Qwen3-4B-Instruct-2507-4bit", "Qwen/Qwen3-4B", False),
        ("Qwen/Qwen3-8B", "Qwen/Qwen3-4B", False),
        ("org/4bit", "other/8bit", False),
    ):
        assert same_model(one, other) is same, (one, other)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


@pytest.mark.parametrize(
    ("main", "head"),
    [
        ("mlx-community/Qwen3-4B-4bit", "z-lab/Qwen3-4B-DFlash-b16"),
        ("mlx-community/gpt-oss-20b-MXFP4-Q8", "z-lab/gpt-oss-20b-DFlash"),
        ("mlx-community/Qwen3-14B-4bit", "AngelSlim/Qwen3-14B_eagle3"),
    ],
)
def test_published_heads_are_offered_first_and_marked_as_not_checked(catalog: Catalog, main: str, head: str) -> None:
    subject, found = candidates(catalog.models[main], [], catalog)
    first = advise(subject, found, CONTEXT, 64 * 2**30)[0]
    assert (first.id, first.source, first.verdict, first.works) == (head, "catalog", "head-unchecked", True)
    assert not first.best
    assert first.expected is None
    assert not any(head.facts.checked for head in catalog.heads.values())


def test_an_installed_head_hides_its_entry_of_the_catalog(tmp_path: Path, catalog: Catalog) -> None:
    case = CASES["full"]
    folder = write_head(tmp_path, case.config, tensors_of(case))
    installed: Model = describe_folder(folder, "z-lab/Qwen3-4B-DFlash-b16", "cache")
    subject, found = candidates(catalog.models["mlx-community/Qwen3-4B-4bit"], [installed], catalog)
    one = next(one for one in advise(subject, found, CONTEXT, 64 * 2**30) if one.id == installed.id)
    assert (one.source, one.verdict) == ("installed", "other-main")


@pytest.mark.parametrize(("chip", "verdict"), [("Apple M4 Pro", "head-best"), ("Apple M1 Max", "no-gain")])
def test_the_head_that_is_published_as_the_fastest_is_proposed_with_its_source(
    catalog: Catalog, set_chip: Callable[[str], None], chip: str, verdict: str
) -> None:
    set_chip(chip)
    subject, found = candidates(catalog.models["mlx-community/Qwen3.8-27B-4bit"], [], catalog)
    advice = advise(subject, found, CONTEXT, 64 * 2**30)
    best = next(one for one in advice if one.id == "incoai/Qwen3.8-27B-DFlash2")
    assert (best.verdict, best.best, best is advice[0]) == (verdict, *[verdict == "head-best"] * 2)
    assert ("source", "mlx-dspark 0.20.3") in best.arguments or verdict == "no-gain"


@pytest.mark.parametrize("damage", [{"checked": "no"}, {"kind": "magic"}, {"bytes": 0}, {"made_for": "nobody"}])
def test_a_wrong_head_in_the_catalog_is_refused(tmp_path: Path, damage: dict[str, object]) -> None:
    content = {"format": 1, "updated": "2026-01-01", "models": [], "heads": [
        {"id": "org/head", "name": "Head", "kind": "dflash", "made_for": "org/main", "bytes": 5, "checked": False}
    ]}  # fmt: skip
    path = tmp_path / "catalog.json"
    path.write_text(json.dumps(content))
    assert set(load_catalog(path).heads) == {"org/head"}
    content["heads"][0] |= damage  # type: ignore[index]
    path.write_text(json.dumps(content))
    with pytest.raises((ValueError, HubError)):
        load_catalog(path)


@pytest.mark.parametrize("name", ["full", "mixed", "sliding"])
def test_memory_of_a_head_ends_with_what_it_sees(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    head = inspect_head(write_head(tmp_path, case.config, tensors_of(case))).config
    shape = cache_shape(memory_config(head))
    assert (len(shape.windows), shape.elements_a_token) == (cases.LAYERS, 0)
    needs = {
        tokens: check_fit(ModelSize("main", 1, MAIN_CONFIG), ModelSize("head", 1, memory_config(head)), tokens, LIMIT)
        for tokens in (1000, 10**5, 10**6)
    }
    short, long, longer = (
        next(term.bytes for term in one.terms if (term.code, term.model) == ("cache", "draft"))
        for one in needs.values()
    )
    assert short <= long == longer
    assert (long < 10**6) is (name == "sliding")


def test_a_head_is_expected_to_help_less_the_larger_it_is() -> None:
    main = replace(main_model(), weight_bytes=10**10, active_bytes=10**10)
    speeds = [estimate_head_speedup(main, size).speedup for size in (10**8, 10**9, 10**10)]
    assert speeds == sorted(speeds, reverse=True)
    assert 1.5 < speeds[1] < 2.5
    # A head that chains pays a pass for each token.
    for size, speed in zip((10**8, 10**9, 10**10), speeds, strict=True):
        assert estimate_head_speedup(main, size, chained=True).speedup < speed


QWEN3_5 = {
    "model_type": "qwen3_5", "num_hidden_layers": 32, "hidden_size": 2560, "vocab_size": 248320, "head_dim": 256,
    "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 9216, "full_attention_interval": 4,
    "quantization": {"bits": 4, "group_size": 64},
}  # fmt: skip
REPOSITORY = "mlx-community/Qwen3.5-4B-MLX-4bit"


def installed_main(folder: Path, config: dict[str, Any], source: str = "cache") -> Model:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    return Model(REPOSITORY, source, path=str(folder), weight_bytes=2 * 10**9, active_bytes=2 * 10**9)


def test_the_head_that_makers_ship_with_a_model_is_offered_with_its_size(tmp_path: Path, catalog: Catalog) -> None:
    subject, found = candidates(installed_main(tmp_path, QWEN3_5), [], catalog)
    one = next(one for one in advise(subject, found, CONTEXT, 64 * 2**30) if one.verdict == "head-inside")
    assert (one.id, one.source, one.works, one.best) == (f"{REPOSITORY}-mtp-head", "catalog", True, False)
    # The 4-billion model has 32 such layers.
    assert 2 * 10**8 < one.weight_bytes < 4 * 10**8


DECLARED = [name for name, case in MTP_CASES.items() if case.text.get("num_nextn_predict_layers")]


@pytest.mark.parametrize("name", [DECLARED[0], *(pytest.param(name, marks=pytest.mark.full) for name in DECLARED[1:])])
def test_heads_of_families_that_declare_them_are_offered_too(tmp_path: Path, catalog: Catalog, name: str) -> None:
    text = dict(MTP_CASES[name].text)
    for config, offered in ((text, True), (text | {"num_nextn_predict_layers": 0}, False)):
        _, found = candidates(installed_main(tmp_path, config), [], catalog)
        inside = [one for one in found if one.facts.inside]
        assert [one.id for one in inside] == [f"{REPOSITORY}-mtp-head"] * offered
        assert all(one.weight_bytes > 10_000 for one in inside)


@pytest.mark.parametrize("main", ["mlx-community/gemma-4-31b-it-4bit", "google/gemma-4-31B-it"])
def test_the_assistant_of_gemma_4_is_offered_for_its_model(tmp_path: Path, catalog: Catalog, main: str) -> None:
    installed = replace(installed_main(tmp_path, MAIN_CONFIG | {"model_type": "gemma4"}), id=main)
    _, found = candidates(installed, [], catalog)
    assistants = [one for one in found if one.head == "mtp"]
    assert [one.id for one in assistants] == ["google/gemma-4-31B-it-assistant"]
    assert assistants[0].weight_bytes == 939_000_000


def test_an_assistant_reads_the_width_of_its_main_model() -> None:
    facts = facts_of_config(ASSISTANT_CASES["assistant_gemma4"].config)
    assert (facts.width, facts.vocabulary, facts.layers) == (64, 256, 0)
    assert against(facts, MAIN_CONFIG, 256) is None


@pytest.mark.parametrize(
    ("config", "source"),
    [
        (QWEN3_5, "folder"),
        ({**QWEN3_5, "model_type": "qwen3"}, "cache"),
        ({**QWEN3_5, "num_hidden_layers": -1}, "cache"),
    ],
)
def test_no_head_is_offered_where_none_is_shipped_or_nothing_says_from_where(
    tmp_path: Path, catalog: Catalog, config: dict[str, Any], source: str
) -> None:
    _, found = candidates(installed_main(tmp_path, config, source), [], catalog)
    assert not any(one.facts.inside for one in found)


@pytest.mark.parametrize("name", [f"{REPOSITORY}-mtp-head", f"{REPOSITORY}/mtp.safetensors", f"{REPOSITORY}/mtp"])
def test_a_head_that_is_there_is_not_offered_again(tmp_path: Path, catalog: Catalog, name: str) -> None:
    main = installed_main(tmp_path / "main", QWEN3_5)
    head = Model(name, "cache", path=str(tmp_path / "head"), problem="incomplete", head="mtp")
    _, found = candidates(main, [head], catalog)
    assert not any(one.facts.inside for one in found)


@pytest.mark.parametrize(
    ("name", "layers", "exact"),
    [("eagle_llama", 9, False), ("eagle_original", 12, True), ("eagle_default_ids", 12, True)],
)
def test_what_an_eagle_head_is_made_for_is_known_from_its_folder(
    tmp_path: Path, name: str, layers: int, exact: bool
) -> None:
    case = EAGLE_CASES[name]
    facts = facts_of(inspect_head(write_head(tmp_path, case.config, tensors_of(case))).config)
    assert (facts.layers, facts.exact, facts.width, facts.vocabulary) == (layers, exact, 64, 256)
    assert facts.made_for == ("org/main" if name == "eagle_llama" else "")
    main = {"num_hidden_layers": 12, "hidden_size": 64}
    assert against(facts, main, 256) is None
    assert against(facts, {**main, "num_hidden_layers": 8}, 256) == Mismatch("layers", layers, 8)
    # Without its tensors its configuration says the same.
    assert against(facts_of_config(case.config), {**main, "hidden_size": 32}, 256) == Mismatch("width", 64, 32)
