"""Tasks reach no network, no file and no program that they do not need: the system refuses it, also to native code."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from engine.sandbox.errors import TaskFailed
from engine.sandbox.landlock import landlock_version
from engine.sandbox.process import Sandbox
from tests.engine.sandbox import reaching, writing
from tests.engine.sandbox import starting as tasks
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
REFUSED = "PermissionError"
SECRET = "zanzibar"
TRUE = shutil.which("true") or ""
HAS_FILES = sys.platform == "darwin" or landlock_version() > 0
HAS_SIGNALS = sys.platform == "darwin" or landlock_version() >= 6

needs_landlock = pytest.mark.skipif(not HAS_FILES, reason="files are restricted by the kernel (`Landlock`)")
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="Seatbelt refuses to connect, not to open (Linux)")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox("tests.engine.sandbox.reaching", has_folder=True)
    yield sandbox
    sandbox.end()


@pytest.fixture(scope="module")
def starting() -> Iterator[Sandbox]:
    """A sandbox whose tasks start programs."""
    sandbox = Sandbox("tests.engine.sandbox.starting", has_folder=True)
    yield sandbox
    sandbox.end()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the person."""
    file = tmp_path / "secret.txt"
    file.write_text(SECRET)
    return file


@pytest.fixture
def listening() -> Iterator[str]:
    """The path of a socket at which a program listens."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(path := os.path.join(folder, "socket"))
        server.listen()
        yield path


def found(sandbox: Sandbox, reach: Callable[..., object], *arguments: object) -> object:
    return sandbox.run(partial(reach, *arguments), PATIENCE_S)


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_no_task_reaches_the_network(
    sandbox: Sandbox, family: socket.AddressFamily, host: str, kind: socket.SocketKind
) -> None:
    assert found(sandbox, reaching.connect, int(family), int(kind), host, 9) == REFUSED


def test_no_task_reaches_a_program_that_listens_in_a_folder(sandbox: Sandbox, listening: str) -> None:
    assert found(sandbox, reaching.connect, int(socket.AF_UNIX), int(socket.SOCK_STREAM), listening, 0) == REFUSED


@only_linux
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6, socket.AF_UNIX])
def test_no_native_code_opens_a_socket(sandbox: Sandbox, family: socket.AddressFamily) -> None:
    assert found(sandbox, reaching.open_socket_by_libc, int(family)) == -1


@needs_landlock
@pytest.mark.first
def test_no_task_reads_a_file_of_the_person(sandbox: Sandbox, secret: Path) -> None:
    assert found(sandbox, reaching.read, str(secret)) == REFUSED
    assert found(sandbox, reaching.read_by_libc, str(secret)) == -1
    assert found(sandbox, reaching.entries, str(secret.parent)) == REFUSED
    assert found(sandbox, reaching.entries, os.path.expanduser("~")) == REFUSED


@needs_landlock
def test_no_task_reads_files_where_tandem_was_started(secret: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python looks for modules there: `python -m app` in a folder of documents must not make these readable."""
    monkeypatch.chdir(secret.parent)
    monkeypatch.syspath_prepend(secret.parent)
    sandbox = Sandbox("tests.engine.sandbox.reaching", has_folder=True)
    try:
        assert found(sandbox, reaching.read, str(secret)) == REFUSED
    finally:
        sandbox.end()


@pytest.mark.full
@pytest.mark.parametrize("inside", [True, False])
def test_a_task_reads_what_comes_with_tandem(inside: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT if inside else tmp_path)
    sandbox = Sandbox("tests.engine.sandbox.reaching", has_folder=True)
    try:
        assert "mlx_vlm" in str(found(sandbox, reaching.read, str(ROOT / "resources" / "loadable.json")))
    finally:
        sandbox.end()


@needs_landlock
def test_no_task_reads_through_a_link_of_its_own_folder(sandbox: Sandbox, secret: Path) -> None:
    assert found(sandbox, reaching.read_through_link, str(secret)) == REFUSED


@needs_landlock
def test_no_task_changes_a_file_of_the_person(sandbox: Sandbox, secret: Path) -> None:
    assert found(sandbox, reaching.write, str(secret)) == REFUSED
    assert found(sandbox, reaching.write, str(secret.with_name("new.txt"))) == REFUSED
    assert found(sandbox, reaching.make_folder, str(secret.with_name("new"))) == REFUSED
    assert found(sandbox, reaching.delete, str(secret)) == REFUSED
    assert found(sandbox, reaching.change_mode, str(secret)) == REFUSED
    assert os.listdir(secret.parent) == [secret.name]
    assert secret.read_text() == SECRET


@only_linux
@needs_landlock
def test_no_task_reads_what_another_process_knows(sandbox: Sandbox) -> None:
    assert found(sandbox, reaching.read, f"/proc/{os.getpid()}/environ") == REFUSED


@pytest.mark.skipif(not HAS_SIGNALS, reason="signals are restricted by Linux 6.12 (`Landlock`)")
def test_no_task_sends_a_signal_to_another_process(sandbox: Sandbox) -> None:
    assert found(sandbox, reaching.signal_to, os.getpid()) == REFUSED


@pytest.mark.parametrize("start", [reaching.run, reaching.spawn, reaching.fork_and_replace, reaching.replace])
@pytest.mark.parametrize("program", [TRUE, sys.executable])
def test_no_task_starts_a_program(sandbox: Sandbox, start: Callable[[str], str], program: str) -> None:
    assert found(sandbox, start, program) == REFUSED


def test_a_task_imports_what_it_needs_when_it_needs_it(sandbox: Sandbox) -> None:
    late = ["pypdf", "PIL.Image", "selectolax.lexbor", "pypdfium2", "numpy", "sqlite3"]
    assert found(sandbox, reaching.import_late, late) == late


def test_a_task_has_threads_and_temporary_files_that_are_deleted_with_it() -> None:
    sandbox = Sandbox("tests.engine.sandbox.reaching", has_folder=True)
    try:
        assert found(sandbox, reaching.count_in_thread) == 2
        folder = Path(str(found(sandbox, reaching.write_temporary)))
        assert folder.is_dir()
    finally:
        sandbox.end()
    assert not folder.exists()


@pytest.mark.full
def test_a_task_that_writes_no_files_is_run_where_none_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: str) -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    sandbox = Sandbox("tests.engine.sandbox.reaching", has_folder=True)
    try:
        assert found(sandbox, reaching.count_in_thread) == 2
        with pytest.raises(TaskFailed, match="No usable temporary directory"):
            found(sandbox, reaching.write_temporary)
    finally:
        sandbox.end()


@pytest.mark.full
def test_a_task_that_may_starts_programs(starting: Sandbox) -> None:
    assert found(starting, tasks.start, [TRUE]) == 0
    # A second LibreOffice would find the first one by such a socket.
    socket_path = Path("/tmp/OSL_PIPE_of_a_test_of_Tandem")
    assert found(starting, tasks.listen, str(socket_path)) == "listens"
    socket_path.unlink(missing_ok=True)


@needs_landlock
def test_a_program_reaches_no_more_than_the_task(starting: Sandbox, secret: Path, listening: str) -> None:
    assert found(starting, tasks.start, [shutil.which("cat"), str(secret)]) == 1
    assert found(starting, tasks.start, [shutil.which("touch"), str(secret.with_name("new"))]) == 1
    for address in (("127.0.0.1", 9), listening):
        family = "AF_UNIX" if address is listening else "AF_INET"
        code = (
            f"import socket\ntry: socket.socket(socket.{family}).connect({address!r})\nexcept PermissionError: exit(7)"
        )
        assert found(starting, tasks.start, [sys.executable, "-c", code]) == 7


def test_a_task_that_may_changes_files(secret: Path) -> None:
    sandbox = Sandbox("tests.engine.sandbox.writing")
    try:
        assert found(sandbox, writing.move, str(secret), str(secret.with_name("new"))) == SECRET
    finally:
        sandbox.end()
    assert os.listdir(secret.with_name("new")) == ["moved"]


def test_a_task_may_ask_for_one_that_may_do_more(starting: Sandbox) -> None:
    asking = Sandbox("tests.engine.sandbox.reaching", other=starting)
    try:
        assert found(asking, reaching.start_elsewhere, TRUE) == "0"
        assert found(asking, reaching.fail_elsewhere) == "TaskFailed: it failed"
        # It is a process of its own.
        assert asking.pid != starting.pid
    finally:
        asking.end()


def test_a_task_without_another_sandbox_is_told_so(sandbox: Sandbox) -> None:
    assert found(sandbox, reaching.start_elsewhere, TRUE) == "TaskFailed: there is no other sandbox"


@only_linux
@pytest.mark.full
@pytest.mark.parametrize(
    "module",
    [
        *("app.transcript.drawing", "engine.documents.document", "engine.documents.pdf.scans", "engine.gguf.writing"),
        *("engine.grammars.compiling", "engine.model_files.cache_counting", "engine.pictures.picture_file"),
        "engine.tokenizers.tasks",
    ],
)
def test_every_thread_of_a_sandbox_is_confined(module: str) -> None:
    sandbox = Sandbox(module)
    try:
        sandbox.start()
        threads = list(Path(f"/proc/{sandbox.pid}/task").iterdir())
        assert all("\nSeccomp:\t2\n" in (thread / "status").read_text() for thread in threads)
    finally:
        sandbox.end()
