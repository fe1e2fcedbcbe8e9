"""The machines of a cluster from names, and the settings of its ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cluster.cluster import places_of, settings_of_ranks
from engine.computers.errors import ClusterError
from engine.computers.hosts import parse_machines
from engine.settings import EngineSettings


@pytest.mark.first
def test_ranks_of_one_machine_get_names_of_their_own() -> None:
    machines = parse_machines("127.0.0.1,127.0.0.1")
    assert machines.labels == ("127.0.0.1 (0)", "127.0.0.1 (1)")
    assert {machine.address for machine in machines.all} == {"127.0.0.1"}


def test_this_machine_comes_first_and_joins_one_that_is_named_alone() -> None:
    for names in ("127.0.0.2,127.0.0.1", "127.0.0.2"):
        machines = parse_machines(names)
        assert [machine.name for machine in machines.all] == ["127.0.0.1", "127.0.0.2"]
        assert [machine.is_local for machine in machines.all] == [True, False]


def test_the_ring_is_told_where_each_rank_listens() -> None:
    places = places_of(parse_machines("127.0.0.1,127.0.0.1"), [5001, 5002])
    assert places == [["127.0.0.1:5001"], ["127.0.0.1:5002"]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("127.0.0.1", "too-few"), ("127.0.0.1,-oProxyCommand=x", "bad-host"), ("127.0.0.1,no such name", "bad-host")],
)
def test_a_list_that_cannot_be_used_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(ClusterError) as refused:
        parse_machines(text)
    assert refused.value.reason == reason


def test_what_speculation_costs_is_learned_apart_and_nothing_is_kept_on_disk() -> None:
    settings = EngineSettings(learned_file=Path("x") / "learned.json", prefix_cache_folder=Path("y"))
    found = settings_of_ranks(settings, 3)
    assert found.learned_file == Path("x") / "learned-3-machines.json"
    assert found.prefix_cache_folder is None
