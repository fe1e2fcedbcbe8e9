"""Heads that draft token by token, in the whole engine: same text, and caches as after one pass over it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.finding.discovery import installed_models
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.upkeep.memory import size_on_disk
from tests.engine.lossless.chain_sessions import Told, assert_as_read_anew, session_of
from tests.engine.lossless.oracle_serving import HEAD, teach
from tests.engine.serving_requests import load_models, plain, request, run, user
from tests.engine.speculation.families import stored_for
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.tiers import by_tier
from tests.tiny_assistant import write_assistant
from tests.tiny_eagle import write_eagle_head
from tests.tiny_models import QWEN3, write_model
from tests.tiny_mtp import STEP_LAYERS, mtp_tensors, write_mtp_head

DRAFTED = 64
WRITERS = {"eagle": write_eagle_head, "mtp": write_mtp_head, "assistant": write_assistant}
# Settings that a head needs and its main model does not.
OF_HEADS = {"nemotron_h": {"mtp_hybrid_override_pattern": "*"}}
# How many states are not in the cache yet, if not one.
WAITING = {**dict.fromkeys(("step3p5", "mimo_v2_flash"), STEP_LAYERS), "gemma4": 0}
HYBRIDS = ["qwen3_5", "qwen3_next", "qwen3_5_moe"]
# Families whose kinds of caches other families cover.
OTHERS = ["deepseek_v3", "deepseek_v32", "glm_moe_dsa", "glm4_moe", "glm4_moe_lite", "mimo", "nemotron_h"]
BY_DEPTH = ["step3p5", "mimo_v2_flash"]

# (kind, family, n): every n-th draft token is rejected. The first of each kind and family are the default tier's.
PATTERNS = [("mtp", family, wrong) for family in ["qwen3", *HYBRIDS, *BY_DEPTH] for wrong in (2, 1, 3, 5)]
PATTERNS += [("mtp", family, 2 + index % 2) for index, family in enumerate(OTHERS)]
PATTERNS += [("eagle", family, wrong) for family in ("qwen3", "qwen3_next") for wrong in (2, 1, 5)]
PATTERNS += [("assistant", "gemma4", wrong) for wrong in (3, 1, 2, 5)]
DEFAULT = {("mtp", "step3p5", 2), ("eagle", "qwen3_next", 2), ("assistant", "gemma4", 3)}
TURNS = [("mtp", "qwen3"), ("mtp", "qwen3_5"), ("assistant", "gemma4")]


def marked(*values: Any, default: bool = False) -> Any:
    """Return a parameter of the full or the `default` tier. Transformers warns of MiMo's configuration."""
    marks = [*[pytest.mark.full] * (not default), *[pytest.mark.expects_log] * ("mimo" in values)]
    return pytest.param(*values, marks=marks)


def serve(scheduler: Scheduler, folder: Path, kind: str = "mtp", family: str = "qwen3", **changes: Any) -> None:
    config = {**FAMILIES.get(family, QWEN3), **OF_HEADS.get(family, {}), "model_type": family}
    main = write_model(folder / "main", seed=1, config=config, stored=stored_for(family))
    pair = load_models(scheduler, main, WRITERS[kind](folder / "head", main, **changes))
    assert pair.draft_problem is None
    assert pair.draft is not None
    assert (pair.draft.kind, pair.draft.architecture) == ("head", "eagle3" if kind == "eagle" else "mtp")
    [listed] = [model for model in installed_models(folder / "none", [folder]) if model.id == "head"]
    assert (listed.head, listed.kinds) == (pair.draft.architecture, ("head",))


@pytest.mark.parametrize(
    ("kind", "family", "changes", "temperature"),
    [
        marked(*values, temperature)
        for temperature in (0.0, 0.8)
        for values in (
            *(("eagle", family, {"drafted": DRAFTED}) for family in ("qwen3", "gemma3_text", "qwen3_next")),
            *(("mtp", family, {}) for family in ("qwen3", *HYBRIDS, *OTHERS, *BY_DEPTH)),
            *(("assistant", "gemma4", {"ordered": ordered}) for ordered in (False, True)),
        )
    ],
)
def test_the_text_is_the_same_with_the_head_as_without(
    scheduler: Scheduler, tmp_path: Path, kind: str, family: str, changes: dict[str, Any], temperature: float
) -> None:
    serve(scheduler, tmp_path, kind, family, **changes)
    for depth in (1, 4):
        asked = request(max_tokens=24, temperature=temperature, speculation=replace(HEAD, depth=depth))
        expected = plain(scheduler, asked)
        [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert client.finished.stats.drafted > 0
    assert_as_read_anew(scheduler, WAITING.get(family, 1))


@pytest.mark.parametrize(
    ("kind", "family", "wrong"), [marked(*pattern, default=pattern in DEFAULT) for pattern in PATTERNS]
)
def test_rounds_accepted_in_part_leave_every_cache_as_if_read_at_once(
    scheduler: Scheduler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, family: str, wrong: int
) -> None:
    told = Told(monkeypatch)
    serve(scheduler, tmp_path, kind, family)
    asked = request(max_tokens=24, speculation=HEAD)
    expected = teach(scheduler, told, asked)
    told.answers = [(t + 1) % 90 if i % wrong == 0 else t for i, t in enumerate(told.answers)]
    [client] = run(scheduler, asked)
    assert client.finished.ids == expected.ids
    stats = client.finished.stats
    assert stats.drafted > stats.accepted
    assert (stats.accepted > 0) == (wrong > 1)
    monkeypatch.undo()
    assert_as_read_anew(scheduler, WAITING.get(family, 1))


@pytest.mark.parametrize(
    ("kind", "changes", "sampling", "acceptance"),
    [
        marked(
            kind,
            changes,
            sampling,
            acceptance,
            default=(acceptance, kind) == ("match", "eagle") and "temperature" in sampling,
        )
        for kind, changes in (("mtp", {}), ("eagle", {"drafted": 170}))
        for sampling in ({"temperature": 0.9, "top_p": 0.8, "top_k": 20}, {"repetition_penalty": 1.3})
        for acceptance in ("match", "rejection")
    ],
)
def test_ids_that_the_head_knows_are_accepted_and_others_change_nothing(
    scheduler: Scheduler,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    changes: dict[str, Any],
    sampling: dict[str, Any],
    acceptance: str,
) -> None:
    """The EAGLE head knows every other id; a seeded draw sees the main model's noise of those."""
    told = Told(monkeypatch)
    serve(scheduler, tmp_path, kind, **changes)
    asked = request(max_tokens=32, speculation=replace(HEAD, acceptance=acceptance, depth=2), **sampling)
    expected = teach(scheduler, told, asked)
    [client] = run(scheduler, asked)
    stats = client.finished.stats
    assert stats.drafted > 0
    if acceptance == "match":
        assert client.finished.ids == expected.ids
        assert stats.accepted == stats.drafted if kind == "mtp" else 0 < stats.accepted < stats.drafted


@pytest.mark.parametrize(("kind", "family"), by_tier(TURNS, TURNS[:1]))
def test_the_next_turn_and_an_edited_question_find_what_the_head_has_read(
    scheduler: Scheduler, tmp_path: Path, kind: str, family: str
) -> None:
    serve(scheduler, tmp_path, kind, family)
    edited = request("the quick brown fox jumps over a cat", speculation=HEAD)
    expected = plain(scheduler, edited)
    first = request("the quick brown fox jumps over the lazy dog", speculation=HEAD)
    [client] = run(scheduler, first)
    answered = [*first.messages, {"role": "assistant", "content": client.finished.text}]
    [again] = run(scheduler, replace(first, messages=[*answered, {"role": "user", "content": "and then"}]))
    [client] = run(scheduler, edited)

    assert again.finished.stats.cached_tokens > 0
    for finished in (again.finished, client.finished):
        assert finished.stats.drafted > 0
    assert client.finished.ids == expected.ids
    assert session_of(scheduler).start == 0
    if family == "qwen3":
        # A hybrid goes back to checkpoints only, and here there is none.
        assert client.finished.stats.cached_tokens > 0
        assert_as_read_anew(scheduler)


CALLERS = [("mtp", family) for family in ("qwen3", *BY_DEPTH, "qwen3_next")]
CALLERS += [("eagle", "qwen3"), ("eagle", "qwen3_next"), ("assistant", "gemma4")]
SYSTEM = {"role": "system", "content": "lazy dog jumps over the fox"}
BARE_TEMPLATE = "{% for m in messages %}{{ m['content'] }}<|im_end|>{% endfor %}"


@pytest.mark.parametrize(
    ("kind", "family"), [marked(*values, default=values == ("mtp", "step3p5")) for values in CALLERS]
)
def test_a_head_knows_nothing_of_what_another_caller_has_asked(
    scheduler: Scheduler, tmp_path: Path, kind: str, family: str
) -> None:
    """A row of a shared system message that was made with the first token of another question would tell it."""
    serve(scheduler, tmp_path, kind, family)
    # Its template has nothing between system message and question.
    (tmp_path / "main" / "chat_template.jinja").write_text(BARE_TEMPLATE)
    load_models(scheduler, tmp_path / "main", tmp_path / "head")
    for caller, words in (("Kim", "the quick brown fox jumps over the lazy dog"), ("Lee", "over and over again")):
        asked = request(max_tokens=24, speculation=HEAD)
        [client] = run(scheduler, replace(asked, messages=[SYSTEM, user(words)], caller=caller))
        assert client.finished.stats.drafted > 0
    assert client.finished.stats.cached_tokens > 0
    assert_as_read_anew(scheduler, WAITING.get(family, 1))


@pytest.mark.parametrize("kind", by_tier(["eagle", "mtp"], ["mtp"]))
def test_a_reopened_chat_is_not_blind(scheduler: Scheduler, tmp_path: Path, kind: str) -> None:
    scheduler.configure(EngineSettings(prefix_cache_folder=tmp_path / "prefixes"))
    serve(scheduler, tmp_path, kind)
    asked = replace(request("the quick brown fox jumps over the lazy dog", speculation=HEAD), conversation="chat")
    [client] = run(scheduler, asked)
    # Saves what is in memory.
    load_models(scheduler, tmp_path / "main", tmp_path / "head")
    more = [*asked.messages, {"role": "assistant", "content": client.finished.text}, {"role": "user", "content": "go"}]
    [again] = run(scheduler, replace(asked, messages=more))

    assert again.finished.stats.cached_tokens > 20
    assert session_of(scheduler).start == 0
    assert_as_read_anew(scheduler)


NAMES = ["mtp.safetensors", "model-mtp.safetensors", "mtp/weights.safetensors"]


@pytest.mark.parametrize("name", by_tier(NAMES, NAMES[1:]))
@pytest.mark.parametrize("family", by_tier(["qwen3", "qwen3_5"], ["qwen3"]))
def test_a_head_beside_its_main_model_is_listed_and_drafts(
    scheduler: Scheduler, tmp_path: Path, family: str, name: str
) -> None:
    """mlx-lm would read model-mtp.safetensors with the main model, and refuse what it does not know."""
    config = QWEN3 if family == "qwen3" else {"model_type": family, **FAMILIES[family]}
    main = write_model(tmp_path / "models" / "main", config=config)
    load_models(scheduler, main, None)
    asked = request(max_tokens=16, speculation=HEAD)
    expected = plain(scheduler, asked)
    size = size_on_disk(main, None)
    (main / name).parent.mkdir(exist_ok=True)
    tensors = {f"mtp.{key}": array for key, array in mtp_tensors(main).items()}
    mx.save_safetensors(str(main / name), tensors)

    found = {model.id: model for model in installed_models(tmp_path / "none", [tmp_path / "models"])}
    assert set(found) == {"main", f"main/{name}"}
    assert found["main"].complete
    assert size_on_disk(main, None).weight_bytes == size.weight_bytes
    head = found[f"main/{name}"]
    assert (head.head, head.kinds) == ("mtp", ("head",))
    assert load_models(scheduler, main, Path(head.path)).draft_problem is None
    [client] = run(scheduler, asked)
    assert client.finished.ids == expected.ids
    assert client.finished.stats.drafted > 0


def put_inside(main: Path, tensors: dict[str, mx.array]) -> None:
    """Write the head's tensors between those of the main model, in two shards and an index, as makers publish them."""
    whole: dict[str, mx.array] = mx.load(str(main / "model.safetensors"))  # type: ignore[assignment]
    mx.eval(whole)
    names, weight_map = sorted(whole | tensors), {}
    for number in (1, 2):
        shard = f"model-0000{number}-of-00002.safetensors"
        weight_map |= dict.fromkeys(names[number - 1 :: 2], shard)
        held = {name: (whole | tensors)[name] for name in names[number - 1 :: 2]}
        mx.save_safetensors(str(main / shard), held, metadata={"format": "mlx"})
    (main / "model.safetensors").unlink()
    (main / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


def appended_name(name: str, layers: int) -> str:
    """Return the published name of a head's tensor if the head is an additional layer."""
    published = {"fc": "eh_proj", "pre_fc_norm_embedding": "enorm", "pre_fc_norm_hidden": "hnorm"}
    stem, _, leaf = name.rpartition(".")
    stem = (published | {"norm": "shared_head.norm"}).get(stem, stem.removeprefix("layers.0."))
    return f"model.layers.{layers}.{stem}.{leaf}"


@pytest.mark.parametrize("family", by_tier(["qwen3_5", "glm4_moe"], ["glm4_moe"]))
def test_a_head_among_its_main_model_s_own_weights_is_listed_and_drafts(
    scheduler: Scheduler, tmp_path: Path, family: str
) -> None:
    config = {"model_type": family, **FAMILIES[family]}
    main = write_model(tmp_path / "models" / "main", config=config)
    load_models(scheduler, main, None)
    asked = request(max_tokens=16, speculation=HEAD)
    expected = plain(scheduler, asked)
    layers = config["num_hidden_layers"] if family == "glm4_moe" else 0
    tensors = {
        appended_name(name, layers) if layers else f"mtp.{name}": array for name, array in mtp_tensors(main).items()
    }
    put_inside(main, tensors)

    found = {model.id: model for model in installed_models(tmp_path / "none", [tmp_path / "models"])}
    assert set(found) == {"main", "main/mtp"}
    assert "main" in found["main"].kinds
    head = found["main/mtp"]
    assert (head.head, head.kinds) == ("mtp", ("head",))
    assert head.bytes == head.weight_bytes == sum(array.nbytes for array in tensors.values())
    pair = load_models(scheduler, main, Path(head.path))
    assert pair.draft_problem is None
    assert pair.draft is not None
    assert (pair.draft.name, pair.draft.kind) == ("main/mtp", "head")
    [client] = run(scheduler, asked)
    assert client.finished.ids == expected.ids
    assert client.finished.stats.drafted > 0
    assert_as_read_anew(scheduler)
