"""The rules of macOS: what a test sees that runs under them, in pytest's process and in those that it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools import as_on_a_mac
from tests.tools.as_on_a_mac import RULES, main, run_pytest

# A compiler is not everywhere.
PLAYED = [name for name in RULES if name != "clang"]
SEEN = """
import errno, os, platform, resource, socket, tempfile
from pathlib import Path
import pytest

def test_cpu():
    import engine
    import mlx.core as mx
    assert os.environ["TANDEM_DEVICE"] == "cpu"
    assert mx.metal.is_available()
    from mlx_vlm.models import rope_utils
    assert not rope_utils._HAS_METAL

def test_loopback():
    socket.create_server(("127.0.0.1", 0)).close()
    with pytest.raises(OSError) as refused:
        socket.create_server(("127.0.0.2", 0))
    assert refused.value.errno == errno.EADDRNOTAVAIL
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.connect(("127.0.0.2", 9))
        assert probe.getsockname()[0].startswith("127.0.0.")

def test_temporary():
    folder = tempfile.mkdtemp()
    assert Path(folder).parents[4].is_symlink() and "/private/" not in folder
    assert "/private/var/" in str(Path(folder).resolve())
    assert len(os.environ["TMPDIR"]) == 49

def test_version():
    assert platform.mac_ver()[0] == "16.6"

def test_locale():
    assert not [name for name in os.environ if name == "LANG" or name.startswith("LC_") and name != "LC_CTYPE"]

def test_files():
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 256
"""


def test_a_test_sees_each_rule_that_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_pytest(PLAYED, arguments(tmp_path, SEEN)) == 0, capfd.readouterr().out
    assert f"{len(PLAYED)} passed" in capfd.readouterr().out


def test_where_no_namespace_is_allowed_the_process_of_pytest_binds_one_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(as_on_a_mac, "_NAMESPACE", ["false"])
    assert main(["loopback", "--", *arguments(tmp_path, SEEN), "-k", "loopback"]) == 0, capfd.readouterr().out


@pytest.mark.parametrize("given", [[], ["--", "tests"], ["loopbakc", "--", "tests"]])
def test_without_a_known_rule_the_rules_are_listed(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(given) == 2
    assert "loopback: 127.0.0.1 is the only IPv4 address" in capsys.readouterr().out


def test_a_rule_that_this_machine_cannot_play_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert main(["clang", "--", "tests"]) == 2
    assert "ziglang" in capsys.readouterr().err


def arguments(folder: Path, text: str) -> list[str]:
    """Return pytest's arguments for a file with this text, without the settings of the project."""
    file = folder / "test_seen.py"
    file.write_text(text)
    settings = folder / "pytest.ini"
    settings.write_text("[pytest]\n")
    return ["-q", "-c", str(settings), "--noconftest", "-p", "no:cacheprovider", str(file)]
