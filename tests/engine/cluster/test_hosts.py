"""The machines of a cluster from names and files, and the settings of its ranks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cluster.cluster import environment_of, settings_of_ranks
from engine.cluster.errors import ClusterError
from engine.cluster.hosts import Machine, arranged, parse_machines
from engine.settings import EngineSettings


def test_ranks_of_one_machine_get_names_of_their_own() -> None:
    machines = parse_machines("127.0.0.1,127.0.0.1")
    assert machines.labels == ("127.0.0.1 (0)", "127.0.0.1 (1)")
    assert {machine.address for machine in machines.all} == {"127.0.0.1"}
    assert machines.backend == "ring"


def test_this_machine_comes_first_and_joins_one_that_is_named_alone() -> None:
    machines = arranged([Machine("10.0.0.7", "10.0.0.7"), Machine("127.0.0.1", "10.0.0.2")])
    assert [machine.name for machine in machines.all] == ["127.0.0.1", "10.0.0.7"]
    assert [machine.is_local for machine in arranged([Machine("127.0.0.2", "127.0.0.2")]).all] == [True, False]


def test_a_file_of_mlx_launch_is_understood(tmp_path: Path) -> None:
    file = tmp_path / "hosts.json"
    hosts = [
        {"ssh": "127.0.0.1", "ips": ["10.0.0.1"], "rdma": [None, "rdma_en2"]},
        {
            "ssh": "me@studio.local",
            "ips": ["10.0.0.2"],
            "rdma": ["rdma_en2", None],
            "command": ["python3", "-m", "app"],
        },
    ]
    file.write_text(json.dumps({"hosts": hosts}))
    machines = parse_machines(str(file))
    assert machines.backend == "jaccl"
    assert machines.all[1].command == ("python3", "-m", "app")
    variables, files = environment_of(machines, [7, 8])
    assert variables == {"MLX_JACCL_COORDINATOR": "10.0.0.1:7"}
    assert json.loads(files["MLX_IBV_DEVICES"]) == [[None, "rdma_en2"], ["rdma_en2", None]]


def test_the_ring_is_told_where_each_rank_listens() -> None:
    variables, files = environment_of(parse_machines("127.0.0.1,127.0.0.1"), [5001, 5002])
    assert variables == {}
    assert json.loads(files["MLX_HOSTFILE"]) == [["127.0.0.1:5001"], ["127.0.0.1:5002"]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("127.0.0.1", "too-few"),
        ("127.0.0.1,-oProxyCommand=x", "bad-host"),
        ("/no/such.json", "bad-hosts-file"),
    ],
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
