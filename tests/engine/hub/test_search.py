"""Searching the Hub, pasted names, and the description of a repository before any weight is fetched."""

from __future__ import annotations

import json
import os
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.advice.catalog import load_catalog
from engine.advice.pairing import advise, with_files
from engine.advice.suggestion import suggest_draft
from engine.files.paths import resources
from engine.finding.discovery import installed_models
from engine.hub.client import HubAccess, HubClient
from engine.hub.failures import HubError
from engine.hub.repository_names import is_plain_path, is_revision, parse_repository
from engine.hub.search import find_model, read_repository, search_models
from tests.engine.hub.downloading import refused
from tests.engine.model_files.model_folders import llama_config, model_files, tokenizer_json, write_snapshot
from tests.fakehub.server import FakeHub, Fault
from tests.patience import PATIENCE_S


@pytest.fixture
def client(hub: FakeHub) -> Iterator[HubClient]:
    with HubClient(HubAccess(hub.endpoint, stall_s=PATIENCE_S)) as client:
        yield client


@pytest.mark.parametrize("text", [
    "org/name", "  org/name ", '"org/name"', "https://huggingface.co/org/name", "models--org--name",
    "https://huggingface.co/org/name/tree/main", "https://huggingface.co/org/name/blob/main/config.json?x=1#y",
    "huggingface.co/org/name", "hf.co/org/name", "https://hf-mirror.com/org/name",
])  # fmt: skip
def test_a_name_is_found_in_whatever_is_pasted(text: str) -> None:
    assert parse_repository(text) == "org/name"


@pytest.mark.parametrize("text", [
    "", "name", "a/b/c", "../x", "org/..", "org/na me", "https://huggingface.co/datasets/org/name", "/etc/passwd",
    "a/" + "b" * 200, "https://[org/name",
])  # fmt: skip
def test_what_is_no_name_is_refused(text: str) -> None:
    with refused("bad-name"):
        parse_repository(text)


def test_revisions_and_file_names_stay_where_they_are_put() -> None:
    assert is_revision("main")
    assert is_revision("refs/pr/1")
    assert not any(is_revision(text) for text in ("", "../x", "a..b", "-x", "a b", "a//b"))
    assert is_plain_path("a/b.json")
    paths = ("", "/a", "../a", "a/../b", "a//b", "a\\b", "c:b", "a\nb", "x" * 500, 4)
    assert not any(is_plain_path(name) for name in paths)


def test_a_search_lists_what_the_hub_says(hub: FakeHub, client: HubClient) -> None:
    hub.add("org/wanted-4bit", model_files(), gated=True, downloads=12)
    hub.add("org/other", model_files())
    hub.add("org/wanted-gguf", model_files(), tags=("gguf",))
    (found,) = search_models(client, "wanted")
    assert (found.id, found.gated, found.downloads, found.licence) == ("org/wanted-4bit", True, 12, "apache-2.0")
    assert found.bytes == sum(map(len, model_files().values()))


@pytest.mark.parametrize(
    ("ask", "fault", "reason"),
    [
        (search_models, Fault(status=500), "server-error"),
        (search_models, Fault(status=429), "rate-limited"),
        (search_models, Fault(wrong_bytes=True), "wrong-mirror"),
        (search_models, Fault(status=404), "wrong-mirror"),
        (find_model, Fault(status=401), "missing"),
        (find_model, Fault(status=403), "forbidden"),
        (find_model, Fault(status=404), "wrong-mirror"),
        (find_model, Fault(status=503), "server-error"),
    ],
)
def test_a_search_that_fails_says_why(
    hub: FakeHub, client: HubClient, ask: Callable[[HubClient, str], object], fault: Fault, reason: str
) -> None:
    hub.add("org/model", model_files())
    hub.api_faults["/api/models"] = fault
    with refused(reason):
        ask(client, "org/model")


@pytest.mark.parametrize("tags", [5, "mlx", {"license:mit": 1}, None, [5, "license:mit"]])
def test_a_result_with_odd_tags_is_listed_all_the_same(
    client: HubClient, monkeypatch: pytest.MonkeyPatch, tags: object
) -> None:
    monkeypatch.setattr(HubClient, "get_json", lambda *_, **__: ([{"id": "org/model", "tags": tags}], None))
    assert [found.id for found in search_models(client, "x")] == ["org/model"]


def test_reading_a_repository_fetches_the_small_files_only_and_once(
    hub: FakeHub, client: HubClient, tmp_path: Path
) -> None:
    files = model_files(tokenizer=tokenizer_json({"a": 0, "b": 1}))
    hub.add("org/model", files)
    remote = read_repository(client, "org/model", tmp_path)
    assert (remote.config["model_type"], remote.licence) == ("llama", "apache-2.0")
    assert remote.weight_bytes == len(files["model.safetensors"])
    assert {sent.name for sent in hub.sent} == {"config.json"}
    assert remote.read_vocabulary is not None
    assert remote.read_vocabulary() == {"a": 0, "b": 1}
    again = read_repository(client, "org/model", tmp_path).read_vocabulary
    assert again is not None
    assert again() == {"a": 0, "b": 1}
    assert [sent.name for sent in hub.sent] == ["config.json", "tokenizer.json"]


def test_a_repository_is_read_without_a_folder_to_cache_in_or_with_a_pipe_in_place_of_a_kept_file(
    hub: FakeHub, client: HubClient, tmp_path: Path
) -> None:
    repository = hub.add("org/model", model_files())
    (tmp_path / "file").write_text("not a folder")
    os.mkfifo(tmp_path / repository.etag("config.json"))
    for keep_in in (tmp_path / "file", tmp_path):
        assert read_repository(client, "org/model", keep_in).config["model_type"] == "llama"


@pytest.mark.parametrize(
    ("architecture", "kinds", "problem"),
    [
        ("DFlashDraftModel", ("head",), ""),
        ("LlamaForCausalLMEagle3", ("head",), ""),
        ("PEagleDraftModel", (), "unknown-head"),
    ],
)
def test_a_head_is_no_main_model(
    hub: FakeHub, client: HubClient, architecture: str, kinds: tuple[str, ...], problem: str
) -> None:
    """Its model type is that of a model that mlx-lm knows."""
    hub.add("org/head", model_files({**llama_config(), "architectures": [architecture]}))
    head = read_repository(client, "org/head")
    assert (head.kinds, head.problem, bool(head.head)) == (kinds, problem, True)


def test_until_its_files_are_read_a_name_tells_a_head(hub: FakeHub, client: HubClient) -> None:
    for name, kind in (
        ("z-lab/Qwen3.8-27B-DFlash2", "dflash2"),
        ("org/Qwen3-8B_eagle3", "eagle3"),
        ("org/Qwen3-8B", ""),
    ):
        hub.add(name, model_files())
        assert find_model(client, name).head == kind


def test_a_tokenizer_that_cannot_be_fetched_is_unknown_and_no_error(hub: FakeHub, client: HubClient) -> None:
    hub.add("org/model", model_files())
    remote = read_repository(client, "org/model")
    hub.fault("org/model", "*", wrong_bytes=True)
    assert remote.read_vocabulary is not None
    assert remote.read_vocabulary() is None
    # Without its configuration a model cannot be described.
    with refused("checksum"):
        read_repository(client, "org/model")


def test_equal_tokenizer_files_are_enough_and_nothing_more_is_fetched(
    hub: FakeHub, client: HubClient, tmp_path: Path
) -> None:
    files = model_files()
    write_snapshot(tmp_path, "org/main", model_files(llama_config(num_hidden_layers=40)))
    hub.add("org/draft", files)
    (main,) = installed_models(tmp_path)
    advice = advise(with_files(main), [read_repository(client, "org/draft")], 4096, 2**60)
    assert next(one.verdict for one in advice if one.id == "org/draft") == "same"
    assert [sent.name for sent in hub.sent] == ["config.json"]


def test_a_proxy_that_does_not_answer_is_no_missing_model(hub: FakeHub) -> None:
    access = HubAccess(hub.endpoint, proxy="http://127.0.0.1:9")
    with HubClient(access) as client, pytest.raises(HubError, match=r"proxy|offline"):
        search_models(client, "x")


def test_a_curated_draft_is_suggested_for_a_fine_tune_with_the_same_tokenizer(
    hub: FakeHub, client: HubClient, tmp_path: Path
) -> None:
    catalog = load_catalog()
    words = {f"w{number}": number for number in range(60)}
    qwen = {"config": llama_config(model_type="qwen3", vocab_size=151936), "tokenizer": tokenizer_json(words)}
    big = llama_config(model_type="qwen3", vocab_size=151936, num_hidden_layers=3)
    for name, config in (("someone/tuned", big), ("mlx-community/Qwen3-0.6B-4bit", qwen["config"])):
        files = model_files(llama_config(), qwen["tokenizer"]) | {"config.json": json.dumps(config).encode()}
        if name == "someone/tuned":
            files["model.safetensors"] += bytes(10**6)
        hub.add(name, files)
    assert suggest_draft(client, "someone/tuned", catalog, tmp_path) == "mlx-community/Qwen3-0.6B-4bit"


def test_for_a_curated_model_the_catalog_answers_without_a_network() -> None:
    catalog = load_catalog()
    with HubClient(HubAccess("http://127.0.0.1:9")) as client:
        assert suggest_draft(client, "mlx-community/Qwen3-8B-4bit", catalog) == "mlx-community/Qwen3-0.6B-4bit"
        assert suggest_draft(client, "mlx-community/gpt-oss-20b-MXFP4-Q8", catalog) is None


@pytest.mark.full
@pytest.mark.parametrize("name", ["mlx-community/Llama-3.2-1B-Instruct-4bit", "mlx-community/MiniCPM5-2B-bf16"])
def test_refreshing_the_catalog_takes_its_figures_from_the_hub(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Also for a model that nobody had read."""
    content = json.loads((resources() / "catalog.json").read_text(encoding="utf-8"))
    entry = next(model for model in content["models"] if model["id"] == name)
    content["models"], content["heads"] = [entry], []
    copy = tmp_path / "catalog.json"
    copy.write_text(json.dumps(content))
    files = model_files()
    hub.add(entry["id"], files)
    monkeypatch.setattr(sys, "path", [*sys.path])
    refresh = runpy.run_path(str(Path(__file__).parents[3] / "packaging" / "refresh_catalog.py"))["main"]
    arguments = ["refresh_catalog.py", "--endpoint", hub.endpoint, "--catalog", str(copy)]
    codes = []
    for more in (["--check"], [], ["--check"]):
        monkeypatch.setattr(sys, "argv", [*arguments, *more])
        codes.append(refresh())
    assert codes == [1, 0, 0]
    (model,) = load_catalog(copy).models.values()
    assert (model.bytes, model.context) == (len(files["model.safetensors"]), 512)
    assert model.config["num_hidden_layers"]
    assert json.loads(copy.read_text())["models"][0]["bytes_source"] == "hub"


def test_a_model_for_embeddings_alone_is_said_to_be_one(hub: FakeHub, client: HubClient) -> None:
    hub.add("org/bge", model_files({**llama_config(), "model_type": "bert"}))
    assert read_repository(client, "org/bge").problem == "is-embedding"
