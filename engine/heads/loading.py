"""Loads a head's folder safely: everything is checked from its configuration and headers before it is computed with."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten
from mlx_lm.utils import dequantize_model

from engine.cpu_backend.narrow_products import use_narrow_products
from engine.disk_pool import DiskPool
from engine.errors import ModelNotUsable
from engine.heads.assistant_config import AssistantConfig
from engine.heads.assistant_loading import assistant_network
from engine.heads.assistant_network import AssistantHead, AssistantNetwork
from engine.heads.block_head import BlockHead, BlockNetwork
from engine.heads.block_loading import block_network
from engine.heads.config import HeadConfig
from engine.heads.depth_network import DepthHead, DepthNetwork
from engine.heads.eagle_config import EagleConfig
from engine.heads.eagle_loading import eagle_network
from engine.heads.eagle_network import EagleHead, EagleNetwork
from engine.heads.folder import HeadContent, identity_of, inspect_head
from engine.heads.head import Head
from engine.heads.mtp_config import MtpConfig
from engine.heads.mtp_loading import mtp_network
from engine.heads.mtp_network import MtpHead, MtpNetwork
from engine.steps import Steps, in_chunks, result_of, run_to_completion


def load_head(path: str | Path) -> Head:
    """Load the head in a folder; raises `ModelNotUsable`. It serves a main model once it is bound to it."""
    return run_to_completion(load_head_in_steps(path))


def load_head_in_steps(path: str | Path) -> Steps[Head]:
    """`load_head` in steps of some milliseconds."""
    folder = Path(path)
    with DiskPool() as disk:
        content = yield from result_of(disk.start(inspect_head, folder))
        identity = yield from result_of(disk.start(identity_of, content))
    try:
        network = _network(content)
        if mx.default_device() == mx.Device(mx.cpu):
            network = dequantize_model(network)
            network.set_dtype(mx.float32)
        if isinstance(network, BlockNetwork):
            network.backbone.join_products()
        elif isinstance(network, EagleNetwork):
            network.join_products()
        if mx.default_device() == mx.Device(mx.cpu):
            use_narrow_products(network.backbone if isinstance(network, BlockNetwork) else network)
    # Whatever the headers did not show, mlx raises as built-in errors.
    except Exception as error:
        raise ModelNotUsable(folder, "wrong-tensors", " ".join(str(error).split())[:120]) from error
    yield from _evaluate(network, folder)
    _check_targets(network, content.config.vocabulary, folder)
    return _head(content, network, identity)


def _network(content: HeadContent) -> nn.Module:
    if isinstance(content.config, AssistantConfig):
        return assistant_network(content.config, content.files)
    if isinstance(content.config, MtpConfig):
        return mtp_network(content.config, content.files, inner=content.inner)
    if isinstance(content.config, EagleConfig):
        return eagle_network(content.config, content)
    return block_network(content)


def _head(content: HeadContent, network: nn.Module, identity: str) -> Head:
    if isinstance(network, AssistantNetwork):
        assert isinstance(content.config, AssistantConfig)
        return AssistantHead(content.folder, content.config, network, identity)
    if isinstance(network, DepthNetwork):
        assert isinstance(content.config, MtpConfig)
        return DepthHead(content.folder, content.config, network, identity)
    if isinstance(network, MtpNetwork):
        assert isinstance(content.config, MtpConfig)
        return MtpHead(content.folder, content.config, network, identity)
    if isinstance(network, EagleNetwork):
        assert isinstance(content.config, EagleConfig)
        return EagleHead(content.folder, content.config, network, identity)
    assert isinstance(content.config, HeadConfig)
    return BlockHead(content.folder, content.config, network, identity)


def _check_targets(network: nn.Module, vocabulary: int, folder: Path) -> None:
    """Raise `ModelNotUsable` where a table stands for ids that the main model does not have."""
    if "d2t" in network:
        name, targets = "d2t", mx.arange(network.d2t.size) + network.d2t
    elif "masked_embedding" in network:
        name, targets = "token_ordering", network.masked_embedding.token_ordering
    else:
        return
    if bool(((targets < 0) | (targets >= vocabulary)).any().item()):
        raise ModelNotUsable(folder, "wrong-tensors", name)


def _evaluate(network: nn.Module, folder: Path) -> Steps[None]:
    """Read the weights piece by piece; raises `ModelNotUsable` for numbers that are none."""
    for chunk in in_chunks([array for _, array in tree_flatten(network.parameters())]):
        finite = [mx.isfinite(array).all() for array in chunk if mx.issubdtype(array.dtype, mx.floating)]
        try:
            mx.eval(chunk, finite)
        except Exception as error:
            raise ModelNotUsable(folder, "damaged", " ".join(str(error).split())[:120]) from error
        if not all(one.item() for one in finite):
            raise ModelNotUsable(folder, "not-finite", "NaN or infinity")
        yield None
