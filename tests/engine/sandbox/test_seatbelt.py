"""The profile for macOS refuses what Linux refuses, and allows what the tasks and their libraries need."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.sandbox.access import Access
from engine.sandbox.confinement import confine
from engine.sandbox.seatbelt import profile_of
from tests.engine.sandbox.seatbelt_profile import Profile, ProfileError, parse

HOME = Path("/Users/jane")
OWN = "/private/tmp/tandem-abc"
SECRET = "/Users/jane/secret.txt"
MODELS = "/Users/jane/Library/Caches/com.apple.e5rt.e5bundlecache/24A335/model"
SOCKET = "/private/tmp/OSL_PIPE_501_SingleOfficeIPC_0"


def profile(access: Access) -> Profile:
    return parse(profile_of(access, Path(OWN)))


@pytest.fixture(autouse=True)
def as_on_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(HOME))


@pytest.mark.parametrize(
    ("operation", "value"),
    [
        ("network-outbound", "192.0.2.1"),
        ("network-outbound", "/private/var/run/mDNSResponder"),
        ("network-bind", SOCKET),
        ("process-exec", "/bin/sh"),
        ("process-exec-interpreter", "/bin/sh"),
        ("process-fork", ""),
        ("file-read-data", SECRET),
        ("file-read-data", str(HOME)),
        ("file-read-data", "/Users/joe/secret.txt"),
        ("file-read-data", "/Volumes/Backup/secret.txt"),
        ("file-read-data", "/private/var/folders/zz/T/attachment.pdf"),
        ("file-write-data", SECRET),
        ("file-write-create", "/private/tmp/new"),
        ("file-write-create", "/Applications/Tandem.app/Contents/new"),
        ("file-write-mode", SECRET),
        ("lsopen", ""),
        ("appleevent-send", ""),
        ("job-creation", ""),
        ("mach-lookup", "com.apple.SecurityServer"),
        ("mach-lookup", "com.apple.nsurlsessiond"),
        ("signal", ""),
    ],
)
def test_tasks_are_refused(operation: str, value: str) -> None:
    assert not profile(Access()).allows(operation, value)


@pytest.mark.parametrize(
    ("operation", "value"),
    [
        ("file-read-data", f"{sys.prefix}/lib/python/module.py"),
        ("file-read-data", __file__),
        ("file-read-data", "/System/Library/Frameworks/Vision.framework/Vision"),
        ("file-read-data", f"{OWN}/page.ppm"),
        ("file-write-create", f"{OWN}/page.ppm"),
        ("file-write-data", "/dev/null"),
        # Vision compiles its models once.
        ("file-read-data", MODELS),
        ("file-write-create", MODELS),
        ("file-read-metadata", SECRET),
        ("iokit-open-user-client", "H11ANEInDirectPathClient"),
        ("mach-lookup", "com.apple.system.opendirectoryd.libinfo"),
        ("signal", "same-sandbox"),
    ],
)
def test_tasks_are_allowed(operation: str, value: str) -> None:
    assert profile(Access()).allows(operation, value)


@pytest.mark.parametrize(
    ("access", "operation", "value"),
    [
        (Access(reads=True), "file-read-data", SECRET),
        (Access(writes=True), "file-write-create", SECRET),
        (Access(programs=True), "process-exec", "/usr/bin/textutil"),
        (Access(programs=True), "process-fork", ""),
        (Access(programs=True), "mach-lookup", "com.apple.coreservices.launchservicesd"),
        (Access(programs=True), "network-bind", SOCKET),
    ],
)
def test_tasks_are_allowed_what_their_module_declares(access: Access, operation: str, value: str) -> None:
    assert profile(access).allows(operation, value)
    every = [Access(reads=True), Access(writes=True), Access(programs=True)]
    assert not any(profile(other).allows(operation, value) for other in every if other != access)
    assert not profile(access).allows("network-outbound", "192.0.2.1")


def test_a_program_makes_the_socket_by_which_a_second_one_would_find_it() -> None:
    assert profile(Access(programs=True)).allows("file-write-create", SOCKET)
    assert not profile(Access()).allows("file-write-create", SOCKET)


def test_a_folder_with_any_name_is_a_text_of_the_profile() -> None:
    folder = '/private/tmp/a "b" (c) \\d'
    assert parse(profile_of(Access(), Path(folder))).allows("file-write-create", f"{folder}/x")


@pytest.mark.parametrize("refuses", [False, True])
def test_a_process_sets_its_profile_or_reads_as_before(refuses: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles: list[Profile] = []

    def initialize(source: bytes, flags: int, reason: Any) -> int:
        try:
            profiles.append(parse(source.decode() + (")" if refuses else "")))
        except ProfileError as error:
            reason._obj.value = str(error).encode()
            return -1
        return flags

    library = SimpleNamespace(sandbox_init=initialize)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    monkeypatch.setattr(sys, "platform", "darwin")
    confine(Access(), Path(OWN))
    assert [profile.allows("process-fork") for profile in profiles] == [False] * (not refuses)


def test_a_mac_without_seatbelt_reads_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)
    monkeypatch.setattr(sys, "platform", "darwin")
    confine(Access(), Path(OWN))
