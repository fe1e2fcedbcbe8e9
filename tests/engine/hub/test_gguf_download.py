"""GGUF models of the Hub: listed, chosen by a tag, downloaded on their own, found, and removed on their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.finding.discovery import installed_models
from engine.gguf.names import change_of, proposed, tag_of
from engine.hub.downloads import DownloadQueue
from engine.hub.listing import gguf_listing, left_out, list_files
from engine.hub.remove import plan_removal, remove
from engine.hub.repository_names import parse_name, split_tag
from tests.engine.hub.downloading import Site, download, finish, pages, refused
from tests.engine.model_files.model_folders import model_files
from tests.patience import wait_until
from tests.tiny_gguf import write_gguf

TAGS = ("IQ2_M", "Q2_K", "Q3_K_M", "IQ4_XS", "Q4_0", "Q4_K_S", "Q4_K_M", "UD-Q4_K_XL", "Q5_K_M", "Q6_K", "Q8_0", "F16")
SPLIT = [f"BF16/Tiny-1B-BF16-{part:05}-of-00003.gguf" for part in (1, 2, 3)]
SPLIT += [f"tiny-1b-q4_1-{part:05}-of-00002.gguf" for part in (1, 2)]
ODD = ["mmproj-F16.gguf", "Tiny-1B.imatrix.gguf", ".hidden-Q8_0.gguf", "a/b/c/deep-Q8_0.gguf"]
PLAIN = [f"Tiny-1B-{tag}.gguf" for tag in TAGS]


def listing(*names: str) -> Any:
    entries = [{"type": "file", "path": name, "size": 10 + n, "oid": "c" * 64} for n, name in enumerate(names)]
    return list_files(pages(entries), "org/tiny", "a" * 40)


@pytest.mark.parametrize(("wanted", "files"), [
    ("Q4_K_M", ["Tiny-1B-Q4_K_M.gguf"]), ("q8_0", ["Tiny-1B-Q8_0.gguf"]), ("", ["Tiny-1B-Q4_K_M.gguf"]),
    ("q4_k_xl", ["Tiny-1B-UD-Q4_K_XL.gguf"]), ("bf16", SPLIT[:3]), ("Q4_1", SPLIT[3:]),
    ("Tiny-1B-IQ4_XS.gguf", ["Tiny-1B-IQ4_XS.gguf"]), ("tiny-1b-f16.GGUF", ["Tiny-1B-F16.gguf"]),
    (SPLIT[1], SPLIT[:3]), ("BF16/Tiny-1B-BF16", SPLIT[:3]),
])  # fmt: skip
def test_a_tag_or_a_file_name_means_one_quantisation_whatever_its_case(wanted: str, files: list[str]) -> None:
    name, found = gguf_listing(listing(*PLAIN, *SPLIT, *ODD), wanted)
    assert [file.name for file in found.files] == files
    # The name of a download means the same files.
    assert gguf_listing(listing(*PLAIN, *SPLIT, *ODD), name) == (name, found)


def test_what_holds_no_model_is_named_and_left_out() -> None:
    assert sorted(left_out(listing(*PLAIN, *ODD))) == sorted(ODD)
    with refused("no-quantisation"):
        gguf_listing(listing(*PLAIN, *ODD), "mmproj-F16")


@pytest.mark.parametrize(("names", "wanted", "reason", "said"), [
    (PLAIN[:2], "Q9_K", "no-quantisation", {"tag": "Q9_K", "tags": "IQ2_M, Q2_K"}),
    (["Tiny-1B-Q8_0.gguf", "Tiny-3B-Q8_0.gguf"], "Q8_0", "no-quantisation", {"tags": "Tiny-1B-Q8_0, Tiny-3B-Q8_0"}),
    ([SPLIT[0], SPLIT[2]], "BF16", "file-missing", {"file": SPLIT[1]}),
    ([SPLIT[0], SPLIT[2]], "", "not-mlx", {}), (ODD, "", "not-mlx", {}), ([], "Q8_0", "not-mlx", {}),
])  # fmt: skip
def test_a_quantisation_that_is_not_there_is_refused_with_those_that_are(
    names: list[str], wanted: str, reason: str, said: dict[str, str]
) -> None:
    with refused(reason) as caught:
        gguf_listing(listing(*names), wanted)
    assert said.items() <= caught.value.arguments.items()


@pytest.mark.parametrize("name", ["../x-Q8_0.gguf", "/x-Q8_0.gguf", "a\nb-Q8_0.gguf", "a//b.gguf", "c:x.gguf"])
def test_a_repository_with_a_hostile_name_is_refused(name: str) -> None:
    with refused("unsafe-name"):
        listing(*PLAIN, name)


@pytest.mark.full
def test_ten_thousand_files_are_listed_and_a_name_that_turns_text_around_is_left_out() -> None:
    names = [f"part/{number}-Q8_0.gguf" for number in range(10_000)]
    assert gguf_listing(listing(*names, "x\u202eQ4_0.gguf"), "7-Q8_0")[0] == "part/7-Q8_0"
    assert left_out(listing("x\u202eQ4_0.gguf")) == ("x\u202eQ4_0.gguf",)


@pytest.mark.parametrize(("names", "best"), [
    (("m-Q4_K_S", "m-Q8_0"), "m-Q4_K_S"), (("m-IQ1_S", "m-IQ4_XS", "m-Q6_K"), "m-IQ4_XS"), (("model",), "model"),
])  # fmt: skip
def test_without_the_usual_quantisation_the_middle_one_is_proposed(names: tuple[str, ...], best: str) -> None:
    assert proposed(names) == best


@pytest.mark.parametrize(("file", "tag"), [
    ("Tiny.i1-Q4_K_M", "Q4_K_M"), ("UD-Q2_K_XL/Tiny-UD-Q2_K_XL", "UD-Q2_K_XL"), ("Q8_0/model", "Q8_0"),
    ("gpt-oss-20b-mxfp4", "mxfp4"), ("Tiny-F16-Q8_0", "Q8_0"), ("SmolQ", "SmolQ"), ("Qwen3-8B", "Qwen3-8B"),
])  # fmt: skip
def test_the_tag_of_a_file_is_how_it_is_quantised(file: str, tag: str) -> None:
    assert tag_of(file) == tag


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("org/a/a-Q4_K_M", 0.0),
        ("org/a/a-Q8_0", 0.0),
        ("org/a/a-TQ1_0", 0.0),
        ("org/a/a-Q6_K", 0.004),
        ("org/a/UD-IQ2_XXS", 0.062),
        ("org/a/a-Q3_K_M", 0.032),
        ("org/a/a-IQ4_NL", 0.016),
    ],
)
def test_what_a_conversion_changes_is_told_by_the_name(file: str, change: float) -> None:
    assert change_of(file) == change


@pytest.mark.parametrize(("typed", "name", "tag"), [
    ("org/name:Q4_K_M", "org/name", "Q4_K_M"), (" hf.co/org/name:q8_0 ", "hf.co/org/name", "q8_0"),
    ("https://huggingface.co/org/name:Q8_0", "https://huggingface.co/org/name", "Q8_0"),
    ("org/name:dir/x-Q8_0.gguf", "org/name", "dir/x-Q8_0.gguf"), ("org/name:latest", "org/name", ""),
    ("https://hf.co/org/name/blob/main/a/x%20y.gguf?download=1", "https://hf.co/org/name", "a/x y.gguf"),
    ("org/name", "org/name", ""), ("https://hf.co/org/name/tree/main", "https://hf.co/org/name/tree/main", ""),
])  # fmt: skip
def test_a_tag_is_found_in_what_is_typed_or_pasted(typed: str, name: str, tag: str) -> None:
    assert split_tag(typed) == (name, tag)


@pytest.mark.parametrize("name", ["org/name/../x", "org/name/a//b", "../name/x", "org/name/a\0b", "hf.co/../x"])
def test_a_name_in_a_queue_file_cannot_leave_its_repository(name: str) -> None:
    with refused("bad-name"):
        parse_name(name)


@pytest.fixture
def tiny(site: Site, tmp_path: Path) -> dict[str, bytes]:
    """Serve a repository with three quantisations, one of them split in two, and what is left out."""
    files = {"mmproj-F16.gguf": b"GGUF", "README.md": b"#"}
    for number, kind in enumerate(("Q4_0", "Q8_0")):
        files[f"Tiny-{kind}.gguf"] = write_gguf(tmp_path / "made" / f"{kind}.gguf", kind, seed=number).read_bytes()
    for part in (1, 2):
        file = write_gguf(tmp_path / f"made/{part}.gguf", "Q8_0", split__count=2, split__no=part - 1, seed=part)
        files[f"F16/Tiny-F16-{part:05}-of-00002.gguf"] = file.read_bytes()
    site.hub.add("org/Tiny-GGUF", files, tags=("gguf",))
    return files


def found(cache: Path, **more: Any) -> dict[str, Any]:
    return {model.id: model for model in installed_models(cache, **more)}


NAME = "org/Tiny-GGUF/Tiny-Q8_0"


def test_one_quantisation_is_downloaded_cut_resumed_and_found(site: Site, tiny: dict[str, bytes]) -> None:
    site.hub.fault("org/Tiny-GGUF", "Tiny-Q8_0.gguf", cut_after=50_000, times=1)
    status = download(site.queue(), NAME)
    assert (status.state, status.bytes_done) == ("ready", len(tiny["Tiny-Q8_0.gguf"]))
    assert [(sent.name, sent.start) for sent in site.hub.sent] == [("Tiny-Q8_0.gguf", 0), ("Tiny-Q8_0.gguf", 50_000)]
    [(name, model)] = found(site.cache).items()
    assert (name, model.source, model.is_gguf_file, model.kinds) == (NAME, "cache", True, ("main",))
    assert Path(model.path).read_bytes() == tiny["Tiny-Q8_0.gguf"]


def test_a_wrong_checksum_is_refused_and_a_queue_is_kept_by_name(
    site: Site, tiny: dict[str, bytes], tmp_path: Path
) -> None:
    site.hub.fault("org/Tiny-GGUF", "Tiny-Q4_0.gguf", wrong_bytes=True)
    queue = site.queue(state_path=tmp_path / "downloads.json")
    error = download(queue, "org/Tiny-GGUF/Tiny-Q4_0").error
    assert error is not None
    assert (error.reason, error.arguments["file"]) == ("checksum", "Tiny-Q4_0.gguf")
    assert found(site.cache).keys() <= {"org/Tiny-GGUF"}
    queue.close()
    site.hub.faults.clear()
    again = site.queue(state_path=tmp_path / "downloads.json")
    again.resume("org/Tiny-GGUF/Tiny-Q4_0")
    assert finish(again, "org/Tiny-GGUF/Tiny-Q4_0").state == "ready"
    assert tiny


def test_a_split_file_is_complete_once_all_its_parts_are_here(
    site: Site, tiny: dict[str, bytes], tmp_path: Path
) -> None:
    name, index = "org/Tiny-GGUF/F16/Tiny-F16", tmp_path / "index.json"
    site.hub.fault("org/Tiny-GGUF", "F16/Tiny-F16-00002-of-00002.gguf", stall_after=1_000)
    queue = site.queue()
    queue.add(name)
    wait_until(lambda: name in found(site.cache, index_path=index))
    partial = found(site.cache, index_path=index)[name]
    assert (partial.problem, partial.detail) == ("incomplete", "Tiny-F16-00002-of-00002.gguf")
    queue.pause(name)
    site.hub.faults.clear()
    queue.resume(name)
    assert finish(queue, name).state == "ready"
    # The two parts of this test have the same tensors.
    assert found(site.cache, index_path=index)[name].problem == "damaged"
    assert tiny


@pytest.mark.full
def test_quantisations_of_two_commits_and_weights_of_mlx_are_all_found(site: Site, tiny: dict[str, bytes]) -> None:
    site.hub.add("org/Tiny-GGUF", {**model_files(), **tiny})
    for number, name in enumerate(("org/Tiny-GGUF", NAME, "org/Tiny-GGUF/Tiny-Q4_0")):
        site.hub.repositories["org/Tiny-GGUF"].commit = str(number) * 40
        assert download(site.queue(), name).state == "ready"
    assert {name: model.problem for name, model in found(site.cache).items()} == dict.fromkeys(
        ("org/Tiny-GGUF", NAME, "org/Tiny-GGUF/Tiny-Q4_0"), ""
    )


@pytest.fixture
def two(site: Site, tiny: dict[str, bytes]) -> DownloadQueue:
    """Return a queue that has downloaded two quantisations."""
    queue = site.queue()
    for kind in ("Q4_0", "Q8_0"):
        assert download(queue, f"org/Tiny-GGUF/Tiny-{kind}").state == "ready"
    assert tiny
    return queue


def test_removing_one_quantisation_frees_its_file_and_keeps_the_others(site: Site, two: DownloadQueue) -> None:
    other = "org/Tiny-GGUF/Tiny-Q4_0"
    model = found(site.cache)[NAME]
    plan = plan_removal(model, site.cache)
    assert plan.freed_bytes == Path(model.path).resolve().stat().st_blocks * 512
    assert plan.shared
    remove(plan)
    assert list(found(site.cache)) == [other]
    remove(plan_removal(found(site.cache)[other], site.cache))
    assert not (site.cache / "models--org--Tiny-GGUF").exists()
    assert two


def test_cancelling_one_quantisation_keeps_the_others(site: Site, two: DownloadQueue) -> None:
    site.hub.fault("org/Tiny-GGUF", "F16/Tiny-F16-00002-of-00002.gguf", stall_after=1_000)
    name = two.add("org/Tiny-GGUF/F16/Tiny-F16")
    wait_until(lambda: name in found(site.cache))
    two.cancel(name)
    wait_until(lambda: name not in found(site.cache))
    assert len(found(site.cache)) == 2


def test_the_space_of_one_quantisation_is_asked_for(
    site: Site, tiny: dict[str, bytes], free: Callable[[int], Any]
) -> None:
    size = len(tiny["Tiny-Q4_0.gguf"])
    for room, state in ((size - 1, "failed"), (size, "ready")):
        assert download(site.queue(settings=free(room)), "org/Tiny-GGUF/Tiny-Q4_0").state == state


@pytest.fixture
def free() -> Callable[[int], Any]:
    from engine.hub.download_job import JobSettings

    return lambda room: JobSettings(space_margin=0, free_bytes=lambda _: room)
