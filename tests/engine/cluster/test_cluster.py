"""Two ranks on this machine give the texts, the events and the errors of one process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine import ChatRequest, Engine, Event, Failed, Finished, SamplingSettings, SpeculationSettings
from engine.cluster.cluster import Cluster
from engine.computers.errors import ClusterError
from engine.computers.hosts import parse_machines
from engine.errors import ModelNotUsable
from engine.events import TokensCommitted
from engine.grammars.grammar import Grammar
from engine.status import LoadedPair
from tests.engine.cluster.families import rank_processes, write_family
from tests.engine.serving_requests import ask, finished
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S, wait_until
from tests.tiny_heads import write_head
from tests.tiny_models import FLOAT32, FOUR_BITS, write_disturbed_copy, write_model

TWO = parse_machines("127.0.0.1,127.0.0.1")


class Both:
    """Two ranks and an engine in this process, with the same models; `ended` has the error of ranks that ended."""

    def __init__(self, cluster: Cluster, engine: Engine, ended: list[ClusterError]) -> None:
        self.cluster, self.engine, self.ended = cluster, engine, ended
        self._loaded: tuple[Path, Path] | None = None

    def load(self, main: Path, draft: Path) -> LoadedPair | None:
        """Load these models; return None if they are loaded already."""
        if self._loaded == (main, draft):
            return None
        self._loaded = None
        loading = self.engine.load(main, draft)
        pair = self.cluster.engine.load(main, draft).result(timeout=PATIENCE_S)
        loading.result(timeout=PATIENCE_S)
        self._loaded = main, draft
        return pair

    def compare(self, method: str = "draft", depth: int | None = 3, temperature: float = 0.8) -> Finished:
        """Return the ranks' answer, which has to be that of plain decoding in this process."""
        expected = finished(ask(self.engine, temperature=temperature, method="off", max_tokens=16))
        found = ask(self.cluster.engine, temperature=temperature, method=method, depth=depth, max_tokens=16)
        assert finished(found).ids == expected.ids
        return finished(found)


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    ended: list[ClusterError] = []
    with Cluster(TWO, on_end=ended.append) as cluster, Engine() as engine:
        yield Both(cluster, engine, ended)


@pytest.fixture(scope="module")
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A pair of a family with recurrent state, which mlx-lm can only split by layers."""
    folder = tmp_path_factory.mktemp("hybrid")
    main = write_family("qwen3_next", folder / "main", 2, FOUR_BITS)
    return main, write_disturbed_copy(main, folder / "draft", amount=0.005)


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A pair in float32: in bfloat16, a sum whose parts are rounded on each rank is not that of one process."""
    folder = tmp_path_factory.mktemp("exact")
    main = write_model(folder / "main", seed=1, stored=FLOAT32)
    return main, write_disturbed_copy(main, folder / "draft", amount=0.02, stored=FLOAT32)


@pytest.fixture
def by_heads(both: Both, exact: tuple[Path, Path]) -> Both:
    both.load(*exact)
    return both


@pytest.fixture
def by_layers(both: Both, hybrid: tuple[Path, Path]) -> Both:
    both.load(*hybrid)
    return both


@pytest.fixture
def split(request: pytest.FixtureRequest) -> Both:
    """The ranks with models that are split as the parameter says."""
    found: Both = request.getfixturevalue(request.param)
    return found


def request(
    text: str, speculation: SpeculationSettings, max_tokens: int = 16, grammar: Grammar | None = None
) -> ChatRequest:
    messages = [{"role": "user", "content": text}]
    return ChatRequest(messages, SamplingSettings(), speculation, max_tokens=max_tokens, grammar=grammar)


EITHER = pytest.mark.parametrize("split", by_tier(["by_heads", "by_layers"], ["by_heads"]), indirect=True)
PLAIN, DRAFTED = SpeculationSettings(method="off"), SpeculationSettings(method="draft", depth=3)


@pytest.mark.parametrize(
    ("method", "temperature"), by_tier([("draft", 0.8), ("off", 0.8), ("draft", 0.0), ("auto", 0.8)], [("draft", 0.8)])
)
def test_two_ranks_write_what_one_process_writes(by_heads: Both, method: str, temperature: float) -> None:
    # Without a depth, the speed of the machine decides whether anything is drafted.
    found = by_heads.compare(method, 3 if method == "draft" else None, temperature)
    assert method != "draft" or found.stats.drafted > 0


@pytest.mark.full
@pytest.mark.usefixtures("as_on_linux")
def test_ranks_on_cpus_compile_nothing(exact: tuple[Path, Path], users_temporary_folder: Path) -> None:
    with Cluster(TWO) as cluster:
        cluster.engine.load(*exact).result(timeout=PATIENCE_S)
        assert finished(ask(cluster.engine, method="draft", depth=3, max_tokens=8)).ids
    assert not list(users_temporary_folder.iterdir())


@pytest.mark.full
@EITHER
def test_several_requests_are_answered_together(split: Both) -> None:
    requests = [request(text, DRAFTED) for text in ("the quick brown fox", "jumps over the lazy dog", "hello")]
    expected = [finished(list(split.engine.submit(one))).ids for one in requests]
    streams = [split.cluster.engine.submit(one) for one in requests]
    assert [finished(list(stream)).ids for stream in streams] == expected


@pytest.mark.full
@EITHER
def test_the_next_turn_finds_the_caches_of_the_last(split: Both) -> None:
    chat = [{"role": "user", "content": "a question that is new"}]
    first = finished(ask(split.cluster.engine, messages=chat, max_tokens=8))
    chat += [{"role": "assistant", "content": first.text}, {"role": "user", "content": "and more"}]
    found = finished(ask(split.cluster.engine, messages=chat, max_tokens=8))
    assert found.stats.cached_tokens > 0
    assert found.ids == finished(ask(split.engine, messages=chat, method="off", max_tokens=8)).ids


@pytest.mark.full
def test_an_answer_follows_a_schema(by_heads: Both) -> None:
    asked = request("say it", PLAIN, grammar=Grammar("regex", "(ab|cd){3}"))
    expected = finished(list(by_heads.engine.submit(asked)))
    assert finished(list(by_heads.cluster.engine.submit(asked))).ids == expected.ids


def test_a_request_can_be_cancelled(by_heads: Both) -> None:
    stream = by_heads.cluster.engine.submit(request("long", PLAIN, 400))
    events: list[Event] = []
    for event in stream:
        events.append(event)
        if isinstance(event, TokensCommitted):
            stream.cancel()
    assert finished(events).reason in ("cancelled", "stop")


@pytest.mark.full
def test_an_answer_speculates_otherwise_from_its_next_round_on(by_heads: Both) -> None:
    # Long enough for the change to arrive at the other process.
    engine, asked = by_heads.cluster.engine, request("the quick brown fox", PLAIN, 120)
    plain = finished(list(engine.submit(asked)))
    stream = engine.submit(asked)
    stream.speculate(SpeculationSettings(method="draft", depth=2))
    changed = finished(list(stream))
    assert changed.ids == plain.ids
    assert changed.stats.drafted > plain.stats.drafted == 0


def test_a_model_that_is_missing_or_cannot_be_divided_is_refused_and_the_other_stays(
    by_heads: Both, tmp_path: Path
) -> None:
    engine = by_heads.cluster.engine
    with pytest.raises(ModelNotUsable):
        engine.load("/no/such/model").result(timeout=PATIENCE_S)
    assert finished(ask(engine, max_tokens=4)).ids
    # Each rank would have one kind of layer.
    main = write_family("qwen3_next", tmp_path / "main", 1)
    with pytest.raises(ClusterError, match=r"cannot-split, KVCache on .*, ArraysCache on "):
        engine.load(main).result(timeout=PATIENCE_S)
    assert finished(ask(engine, max_tokens=4)).ids


@pytest.mark.full
def test_a_family_with_experts_writes_what_one_process_writes(both: Both, tmp_path: Path) -> None:
    main = write_family("gpt_oss", tmp_path / "main")
    both.load(main, write_disturbed_copy(main, tmp_path / "draft", amount=0.02, stored=FLOAT32))
    assert both.compare().stats.accepted > 0


@pytest.mark.full
def test_a_head_drafts_from_the_states_of_a_model_whose_heads_are_divided(
    both: Both, exact: tuple[Path, Path], tmp_path: Path
) -> None:
    both.load(exact[0], write_head(tmp_path / "head", exact[0]))
    assert both.compare().stats.drafted > 0


@pytest.mark.full
def test_what_ranks_write_with_a_quantised_model_does_not_depend_on_drafts(
    both: Both, tiny_main: Path, tiny_draft: Path
) -> None:
    both.load(tiny_main, tiny_draft)
    engine = both.cluster.engine
    plain, drafted = (finished(list(engine.submit(request("fox", way, 24)))) for way in (PLAIN, DRAFTED))
    assert drafted.ids == plain.ids
    assert drafted.stats.accepted > 0


def test_a_head_cannot_read_the_layers_of_other_machines(both: Both, hybrid: tuple[Path, Path], tmp_path: Path) -> None:
    pair = both.load(hybrid[0], write_head(tmp_path / "head", hybrid[0]))
    assert pair is not None
    assert isinstance(pair.draft_problem, ModelNotUsable)
    assert pair.draft_problem.reason == "no-taps"


@pytest.mark.full
def test_a_hybrid_writes_what_one_process_writes(by_layers: Both) -> None:
    assert by_layers.compare().stats.accepted > 0


@pytest.mark.parametrize(
    "there", [pytest.param({}, marks=pytest.mark.full), {"tandem-chat": "", "mlx": "0.1", "mlx-lm": "0.1"}]
)
def test_machines_with_other_versions_do_not_start(there: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.cluster.cluster.versions", lambda: {"mlx": "0.2"})
    monkeypatch.setattr("engine.cluster.launch.RankProcess.wait_for", lambda *_: {"ring": 1, "versions": there})
    with pytest.raises(ClusterError, match="other-version"):
        Cluster(TWO)


@pytest.mark.expects_log
def test_a_rank_that_is_killed_ends_the_answer_and_leaves_nothing_behind(by_layers: Both) -> None:
    """This test has to be the last one, as it ends the ranks that all tests share."""
    cluster = by_layers.cluster
    processes = rank_processes(cluster)
    texts: list[str] = []
    for event in cluster.engine.submit(request("x", SpeculationSettings(), 400)):
        if isinstance(event, TokensCommitted):
            # The first tokens may have no text yet.
            if not texts:
                processes[1].kill()
            texts.append(event.text)
    assert isinstance(event, Failed)
    assert isinstance(event.error, ClusterError)
    assert event.error.host == "127.0.0.1 (1)"
    assert event.text == "".join(texts)
    gone, alive = psutil.wait_procs(processes, timeout=PATIENCE_S)
    assert (len(gone), alive) == (2, [])
    with pytest.raises(ClusterError):
        cluster.engine.status().result(timeout=PATIENCE_S)
    wait_until(lambda: by_layers.ended)
    assert by_layers.ended == [event.error]
