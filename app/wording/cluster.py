"""Sentences for the errors of several machines that compute one model together."""

from __future__ import annotations

from app.wording.sentences import Sentences

CLUSTER_REASONS = Sentences(
    "Cluster",
    {
        "too-few": "At least two computers are needed, but only {detail} is listed. Add another one.",
        "bad-host": "“{detail}” isn't a name or an address of a computer. Change it and try again.",
        "no-address": "The other computers cannot reach {host}. Enter the address that it has on the shared network.",
        "network-denied": (
            "macOS does not let Tandem connect to {host}. Open System Settings > Privacy & Security > Local Network, "
            "turn on Tandem, and try again."
        ),
        "unreachable": (
            "{host} cannot be reached over SSH: {detail}. Allow remote login there, and set up a key that needs no "
            "password."
        ),
        "no-tandem": "Tandem was not found on {host}: {detail}. Install it there.",
        "other-version": (
            "{host} has different versions: {detail}. Install the same version of Tandem on all computers."
        ),
        "no-model": "{host} does not have the model: {detail}. Download or copy it there.",
        "download": "{host} still needs to download {detail} of the model.",
        "no-download": "{host} could not download the model: {detail}. Check its connection and try again.",
        "other-model": "{host} has different files for the model {detail}. Download or copy it there again.",
        "no-memory": "{host} does not have enough memory: {detail}. Choose a smaller model.",
        "cannot-split": (
            "The model cannot be divided among these computers: {detail}. Choose another model or another number of "
            "computers."
        ),
        "slow-start": "{host} did not start within {detail} seconds. Check it and try again.",
        "ended": "{host} disconnected: {detail}. Start again, or continue with a smaller model.",
        "silent": (
            "{host} has not responded for {detail} seconds. Wake it up and check its connection, then start again."
        ),
        "out-of-step": "{host} computed something different from the other computers: {detail}. Start again.",
    },
)
"""One sentence for each reason of the engine's ClusterError, with the fields {host} and {detail}."""
