"""The result of a check of several Macs, for pictures of the window."""

from __future__ import annotations

from app.session.cluster_service import CheckResults
from engine.cluster.checks import HostCheck
from engine.cluster.plan import ClusterPlan, RankPart
from engine.computers.errors import ClusterError


def found_machines(split: str, ready: bool = False) -> CheckResults:
    """Return three machines that divide a model by `split`; unless `ready`, one lacks a file and memory."""
    gb = 10**9
    versions = ("tandem-chat", "0.1.0"), ("mlx", "0.32.2")
    lacking = None if ready else ClusterError("download", "mini.local", "12.3 GB")
    lacks, least = ((), 36) if ready else (("model-3",), 24)
    checks = (
        HostCheck("127.0.0.1", None, "macOS 26.1", versions, 64 * gb, 48 * gb),
        HostCheck("studio.local", None, "macOS 26.1", versions, 128 * gb, 96 * gb, 0.0004, 1.1e9),
        HostCheck("mini.local", lacking, "macOS 26.1", versions, 48 * gb, least * gb, lacks=lacks),
    )
    places = zip(checks, ((40, 60), (20, 40), (0, 20)), strict=True)
    parts = (
        RankPart(rank, check.host, (rank * 8, rank * 8 + 8), layers, 20 * gb, 25 * gb, check.free)
        for rank, (check, layers) in enumerate(places)
    )
    return CheckResults(checks, ClusterPlan("large", split, tuple(parts)))
