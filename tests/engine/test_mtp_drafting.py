"""MTP heads in the whole engine: the text stays as it is, and rounds leave the head's cache as one pass would."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.events import Finished
from engine.memory import size_on_disk
from engine.model_files.discovery import installed_models
from engine.requests import ChatRequest, SpeculationSettings
from engine.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.engine.chain_sessions import assert_as_read_anew, session_of
from tests.engine.serving import PLAIN, alone, load_models, request, run
from tests.engine.speculation.family_configs import FAMILIES
from tests.tiny_models import QWEN3, write_model
from tests.tiny_mtp import STEP_LAYERS, Told, mtp_tensors, write_mtp_head

pytestmark = pytest.mark.usefixtures("without_compilation")

HEAD = SpeculationSettings(method="draft", depth=3)
HYBRIDS = ["qwen3_5", "qwen3_next", "qwen3_5_moe"]


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    scheduler = Scheduler()
    yield scheduler
    scheduler.close()


# What a main model does not need, and its head does.
OF_HEADS = {"nemotron_h": {"mtp_hybrid_override_pattern": "*"}}
# How many states wait for later tokens.
WAITING = dict.fromkeys(("step3p5", "mimo_v2_flash"), STEP_LAYERS)
# Besides the hybrids: all families of which every kind of main model drafts in the tests above.
OTHERS = ["deepseek_v3", "deepseek_v32", "glm_moe_dsa", "glm4_moe", "glm4_moe_lite", "mimo", "nemotron_h"]
BY_DEPTH = ["step3p5", "mimo_v2_flash"]

# Which draft tokens are rejected: every one, each second, and so on; hybrids carry what a rejection leaves to read.
PATTERNS = [(family, wrong) for family in ["qwen3", *HYBRIDS, *BY_DEPTH] for wrong in (1, 2, 3, 5)]
PATTERNS += [(family, 2 + index % 2) for index, family in enumerate(OTHERS)]


def marked(family: str, *more: Any) -> Any:
    """transformers warns of MiMo's configuration, which it does not know."""
    marks = [pytest.mark.expects_log] if family == "mimo" else []
    return pytest.param(family, *more, marks=marks)


def serve(scheduler: Scheduler, folder: Path, family: str = "qwen3") -> None:
    config = {**FAMILIES.get(family, QWEN3), **OF_HEADS.get(family, {}), "model_type": family}
    main = write_model(folder / "main", config=config)
    pair = load_models(scheduler, main, write_mtp_head(folder / "head", main))
    assert pair.draft_problem is None
    assert pair.draft is not None
    assert (pair.draft.kind, pair.draft.architecture) == ("head", "mtp")


def teach(scheduler: Scheduler, told: Told, asked: ChatRequest) -> Finished:
    """The plain answer, which the head knows from now on."""
    finished = alone(scheduler, replace(asked, speculation=PLAIN))
    prompt: list[int] = scheduler.models.main.tokenizer.apply_chat_template(
        list(asked.messages), add_generation_prompt=True, tokenize=True, return_dict=False
    )
    told.answers = [*prompt, *finished.ids]
    return finished


@pytest.mark.parametrize("family", ["qwen3", *HYBRIDS])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_the_text_is_the_same_with_the_head_as_without(
    scheduler: Scheduler, tmp_path: Path, family: str, temperature: float
) -> None:
    serve(scheduler, tmp_path, family)
    for depth in (1, 4):
        asked = request(max_tokens=24, temperature=temperature, speculation=replace(HEAD, depth=depth))
        expected = alone(scheduler, replace(asked, speculation=PLAIN))
        [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert client.finished.stats.drafted > 0
    assert_as_read_anew(scheduler)


@pytest.mark.parametrize("family", [marked(family) for family in (*OTHERS, *BY_DEPTH)])
def test_heads_of_every_family_draft_and_leave_the_text_as_it_is(
    scheduler: Scheduler, tmp_path: Path, family: str
) -> None:
    serve(scheduler, tmp_path, family)
    asked = request(max_tokens=16, temperature=0.8, speculation=HEAD)
    expected = alone(scheduler, replace(asked, speculation=PLAIN))
    [client] = run(scheduler, asked)
    assert client.finished.ids == expected.ids
    assert client.finished.stats.drafted > 0
    assert_as_read_anew(scheduler, WAITING.get(family, 1))


@pytest.mark.parametrize(("family", "wrong"), [marked(*pattern) for pattern in PATTERNS])
def test_rounds_accepted_in_part_leave_every_cache_as_if_read_at_once(
    scheduler: Scheduler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str, wrong: int
) -> None:
    """Every `wrong`-th draft token is rejected: all, each second, and so on."""
    told = Told(monkeypatch)
    serve(scheduler, tmp_path, family)
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
    "sampling", [{"temperature": 0.9, "top_p": 0.8, "top_k": 20}, {"repetition_penalty": 1.3, "temperature": 0.7}]
)
@pytest.mark.parametrize("acceptance", ["match", "rejection"])
def test_a_right_head_is_accepted(
    scheduler: Scheduler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sampling: dict[str, Any], acceptance: str
) -> None:
    told = Told(monkeypatch)
    serve(scheduler, tmp_path)
    asked = request(max_tokens=24, speculation=replace(HEAD, acceptance=acceptance), **sampling)
    expected = teach(scheduler, told, asked)
    [client] = run(scheduler, asked)
    assert client.finished.stats.drafted > 0
    if acceptance == "match":
        assert client.finished.ids == expected.ids
        assert client.finished.stats.accept_rate == 1.0


@pytest.mark.parametrize("family", ["qwen3", "qwen3_5"])
def test_the_next_turn_and_an_edited_question_find_what_the_head_has_read(
    scheduler: Scheduler, tmp_path: Path, family: str
) -> None:
    serve(scheduler, tmp_path, family)
    edited = request("the quick brown fox jumps over a cat", speculation=HEAD)
    expected = alone(scheduler, replace(edited, speculation=PLAIN))
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


@pytest.mark.parametrize("name", ["mtp.safetensors", "model-mtp.safetensors", "mtp/weights.safetensors"])
@pytest.mark.parametrize("family", ["qwen3", "qwen3_5"])
def test_a_head_beside_its_main_model_is_listed_and_drafts(
    scheduler: Scheduler, tmp_path: Path, family: str, name: str
) -> None:
    """mlx-lm would read model-mtp.safetensors with the main model, and refuse what it does not know."""
    config = QWEN3 if family == "qwen3" else {"model_type": family, **FAMILIES[family]}
    main = write_model(tmp_path / "models" / "main", config=config)
    load_models(scheduler, main, None)
    asked = request(max_tokens=16, speculation=HEAD)
    expected = alone(scheduler, replace(asked, speculation=PLAIN))
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
    """Publish the head as makers do: its tensors between those of the main model, in two shards and an index."""
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
    """The published name of a tensor of a head that is one layer more."""
    published = {"fc": "eh_proj", "pre_fc_norm_embedding": "enorm", "pre_fc_norm_hidden": "hnorm"}
    stem, _, leaf = name.rpartition(".")
    stem = (published | {"norm": "shared_head.norm"}).get(stem, stem.removeprefix("layers.0."))
    return f"model.layers.{layers}.{stem}.{leaf}"


@pytest.mark.parametrize("family", ["qwen3_5", "glm4_moe"])
def test_a_head_among_its_main_model_s_own_weights_is_listed_and_drafts(
    scheduler: Scheduler, tmp_path: Path, family: str
) -> None:
    """In the folders that makers publish, wherever they came from."""
    config = {"model_type": family, **FAMILIES[family]}
    main = write_model(tmp_path / "models" / "main", config=config)
    load_models(scheduler, main, None)
    asked = request(max_tokens=16, speculation=HEAD)
    expected = alone(scheduler, replace(asked, speculation=PLAIN))
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
    assert head.disk_bytes == head.weight_bytes == sum(array.nbytes for array in tensors.values())
    pair = load_models(scheduler, main, Path(head.path))
    assert pair.draft_problem is None
    assert pair.draft is not None
    assert (pair.draft.name, pair.draft.kind) == ("main/mtp", "head")
    [client] = run(scheduler, asked)
    assert client.finished.ids == expected.ids
    assert client.finished.stats.drafted > 0
    assert_as_read_anew(scheduler)


def test_a_reopened_chat_is_not_blind(scheduler: Scheduler, tmp_path: Path) -> None:
    scheduler.configure(EngineSettings(prefix_cache_folder=tmp_path / "prefixes"))
    serve(scheduler, tmp_path)
    asked = replace(request("the quick brown fox jumps over the lazy dog", speculation=HEAD), conversation="chat")
    [client] = run(scheduler, asked)
    # Saves what is in memory.
    load_models(scheduler, tmp_path / "main", tmp_path / "head")
    more = [*asked.messages, {"role": "assistant", "content": client.finished.text}, {"role": "user", "content": "go"}]
    [again] = run(scheduler, replace(asked, messages=more))

    assert again.finished.stats.cached_tokens > 20
    assert session_of(scheduler).start == 0
    assert_as_read_anew(scheduler)
