"""Finds the bytes of a repository's MTP head from its small files and the headers of its shards.

Makers ship these heads inside the main model's files, and most conversions drop them. The head's tensors are a small
part of one or two shards, so only their ranges are fetched, and joined in one file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.files.bounded_json import CONFIG, INDEX, JsonLimits, UntrustedJsonError, parse
from engine.heads.mtp_config import DECLARED, family_of
from engine.hub.client import HubClient
from engine.hub.failures import HubError, InterruptedTransferError
from engine.hub.listing import describe, list_model
from engine.hub.repository_names import parse_repository
from engine.hub.values import ByteRange, Listing, RemoteFile
from engine.model_files.config import text_config
from engine.model_files.head_kinds import mtp_tensors
from engine.model_files.model_folder import INDEX_NAME
from engine.model_files.safetensors_header import (
    CutOffFileError,
    DamagedHeaderError,
    TensorHeader,
    header_length,
    parse_header,
)

_FLOATS = ("F32", "F16", "BF16", "F8_E4M3")
_MOST_SHARDS = 16


def find_head(client: HubClient, repository: str, revision: str = "main") -> Listing:
    """Find the head for the model in a repository: in its files, or in the files of the model that it was made from.

    Reads small files and headers only. Raises `HubError`, among others no-head, head-not-shipped and head-unknown.
    """
    commit, answer = describe(client, repository, revision)
    try:
        return list_head(client, repository, commit)
    except HubError as error:
        base = base_of(answer)
        if error.reason not in ("no-head", "head-not-shipped") or base in ("", repository):
            raise
    return list_head(client, base, describe(client, base)[0])


def base_of(answer: Mapping[str, Any]) -> str:
    """Return the repository that, by the Hub, a conversion was made from; "" if the Hub does not say."""
    card = answer.get("cardData")
    tags = answer.get("tags")
    named = card.get("base_model") if isinstance(card, Mapping) else None
    candidates = list(named) if isinstance(named, list) else [named]
    if isinstance(tags, list):
        candidates += [str(tag).rpartition(":")[2] for tag in tags if str(tag).startswith("base_model:")]
    for candidate in candidates:
        try:
            return parse_repository(str(candidate))
        except HubError:
            continue
    return ""


def list_head(client: HubClient, repository: str, commit: str) -> Listing:
    """List the two files of the head of a repository at a commit. Raises `HubError`.

    These are a config.json, which names the repository and the commit, and the weights, joined from spans of shards.
    """
    listing = list_model(client, repository, commit)
    config = _object(client, listing, "config.json", CONFIG)
    layers = text_config(config).get("num_hidden_layers")
    shards = _shards_with_head(client, listing, layers if type(layers) is int else 0)
    tensors = {name: tensor for shard in shards.values() for name, (_, tensor) in shard.items()}
    if not tensors:
        declared = any(text_config(config).get(name) for name in DECLARED)
        raise HubError("head-not-shipped" if declared else "no-head", repository)
    if family_of(config) is None or any(tensor.dtype not in _FLOATS for tensor in tensors.values()):
        raise HubError("head-unknown", repository, family=str(config.get("model_type", ""))[:80])
    return _joined(listing, config, shards)


def read_range(client: HubClient, listing: Listing, name: str, start: int, stop: int) -> bytes:
    """Read bytes `start` to `stop - 1` of a file.

    Raises `HubError` as `list_head` does, and `InterruptedTransferError` if the answer ends before `stop`.
    """
    address = client.file_address(listing.repository, listing.commit, name)
    headers = {"Range": f"bytes={start}-{stop - 1}"}
    content = bytearray()
    with client.stream(address, listing.repository, headers, accept=(200, 206), whole=True) as response:
        skip = start if response.status_code == 200 else 0
        for chunk in response.iter_raw():
            content += chunk[skip:]
            skip = max(0, skip - len(chunk))
            if len(content) >= stop - start:
                break
    if len(content) < stop - start:
        raise InterruptedTransferError("offline", listing.repository)
    return bytes(content[: stop - start])


_HeadTensors = dict[str, tuple[int, TensorHeader]]


def _shards_with_head(client: HubClient, listing: Listing, layers: int) -> dict[str, _HeadTensors]:
    """Map each shard to the head's tensors in it, each with the start of the shard's data, in the order of bytes."""
    files = {file.name: file for file in listing.files if file.name.endswith(".safetensors") and "/" not in file.name}
    if any(file.name == INDEX_NAME for file in listing.files):
        index = _object(client, listing, INDEX_NAME, INDEX).get("weight_map")
        if not isinstance(index, dict):
            raise HubError("not-mlx", listing.repository)
        wanted = sorted({str(index[name]) for name in mtp_tensors(map(str, index), layers)})
        # A file that the index does not name may hold the head.
        wanted += sorted(files.keys() - set(map(str, index.values())))
    else:
        wanted = sorted(files)
    shards: dict[str, _HeadTensors] = {}
    for name in wanted[:_MOST_SHARDS]:
        if name not in files:
            raise HubError("file-missing", listing.repository, file=name[:80])
        data, tensors = _header(client, listing, files[name])
        of_head = {tensor: (data, tensors[tensor]) for tensor in mtp_tensors(tensors, layers)}
        known = {tensor for shard in shards.values() for tensor in shard}
        if of_head and not known & of_head.keys():
            shards[name] = dict(sorted(of_head.items(), key=lambda item: item[1][1].begin))
    return shards


def _header(client: HubClient, listing: Listing, file: RemoteFile) -> tuple[int, dict[str, TensorHeader]]:
    """Return the position at which a shard's data begins, and its tensors."""
    try:
        length = header_length(read_range(client, listing, file.name, 0, 8))
        raw = read_range(client, listing, file.name, 8, 8 + length)
        return 8 + length, parse_header(raw, file.size - 8 - length)
    except (DamagedHeaderError, CutOffFileError) as error:
        raise HubError("checksum", listing.repository, file=file.name) from error


def _joined(listing: Listing, config: Mapping[str, Any], shards: Mapping[str, _HeadTensors]) -> Listing:
    entries: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    spans: list[ByteRange] = []
    position = 0
    for shard, tensors in shards.items():
        for name, (data, tensor) in tensors.items():
            entries[name] = {
                "dtype": tensor.dtype,
                "shape": list(tensor.shape),
                "data_offsets": [position, position + tensor.nbytes],
            }
            position += tensor.nbytes
            start = data + tensor.begin
            if spans and spans[-1].name == shard and spans[-1].stop == start:
                start = spans.pop().start
            spans.append(ByteRange(shard, start, data + tensor.begin + tensor.nbytes))
    raw = json.dumps(entries, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)
    named = json.dumps({**config, "base_model": listing.repository, "base_revision": listing.commit}, indent=1).encode()
    settings = RemoteFile("config.json", len(named), hashlib.sha256(named).hexdigest(), named)
    header = len(raw).to_bytes(8, "little") + raw
    name = hashlib.sha256(listing.commit.encode() + header).hexdigest()
    weights = RemoteFile("model.safetensors", len(header) + position, name, header, tuple(spans))
    return replace(listing, files=(settings, weights))


def _object(client: HubClient, listing: Listing, name: str, limits: JsonLimits) -> dict[str, Any]:
    address = client.file_address(listing.repository, listing.commit, name)
    try:
        value = parse(client.get_bytes(address, listing.repository, limits.size), limits)
    except (UntrustedJsonError, ValueError) as error:
        raise HubError("checksum", listing.repository, file=name) from error
    if not isinstance(value, dict):
        raise HubError("not-mlx", listing.repository)
    return value
