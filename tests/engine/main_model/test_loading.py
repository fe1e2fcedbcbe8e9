"""Loads main models again and again."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx

from engine.main_model.loading import load


def test_random_numbers_wait_for_no_layer_of_a_loaded_model(tiny_main: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph.dot"
    for _ in range(2):
        load(tiny_main)
        mx.export_to_dot(str(graph), *mx.random.state)
        assert "->" not in graph.read_text()
