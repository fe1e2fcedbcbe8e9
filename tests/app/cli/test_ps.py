"""`tandem ps` and `tandem stop`: the models in memory of the local API that serves, or why there are none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.__main__ import main
from app.agents.table import KEY_VARIABLE
from app.settings.store import SettingsStore
from app.system.paths import settings_folder
from engine import Engine, starter_pair
from tests.app.api.serving import Served
from tests.app.free_port import free_port
from tests.app.scripted_engine import ScriptedEngine


def use_port(port: int) -> None:
    SettingsStore(settings_folder() / "settings.json").change(api_port=port)


@pytest.mark.parametrize("key", [None, "tandem-TOPSECRET"])
def test_it_lists_what_is_in_memory(
    key: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ScriptedEngine()
    served = Served(engine, main=str(starter_pair()[0]), draft=None, key=key)
    use_port(int(served.address.rsplit(":", 1)[1]))
    if key:
        assert main(["ps"]) == 1
        assert KEY_VARIABLE in capsys.readouterr().err
        monkeypatch.setenv(KEY_VARIABLE, key)
    assert main(["ps"]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["MODEL", "IN", "MEMORY", "CONTEXT"]
    assert row.split() == ["starter/main", "20.0", "MB", "4,096"]
    served.close()
    engine.close()


def test_a_model_of_a_program_is_taken_out_of_memory_and_that_of_the_window_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = Path(shutil.copytree(starter_pair()[1], tmp_path / "other"))
    with Engine() as engine:
        served = Served(engine, str(starter_pair()[0]), None)
        served.host.folders = (tmp_path,)
        served.chat({"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 2, "model": other.name})
        use_port(int(served.address.rsplit(":", 1)[1]))
        codes = [main(["stop", name]) for name in ("other", "other", "starter")]
        served.close()
    assert codes == [0, 1, 1]
    missing, stays = capsys.readouterr().err.splitlines()
    assert missing == "tandem: other is not in memory. In memory: starter/main"
    assert stays.startswith("tandem: starter/main stays: ")


@pytest.mark.parametrize(("command", "code"), [(["ps"], 0), (["stop", "starter"], 1)])
def test_it_says_how_to_start_the_api_that_is_off(
    command: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    use_port(free_port())
    assert main(command) == code
    assert "is off: `tandem serve` starts it" in capsys.readouterr().err
