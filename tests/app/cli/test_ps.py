"""`tandem ps`: the models in memory of the local API that serves, or why there is nothing to list."""

from __future__ import annotations

import pytest

from app.__main__ import main
from app.agents.table import KEY_VARIABLE
from app.settings.store import SettingsStore
from app.system.paths import settings_folder
from engine import starter_pair
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


def test_it_says_how_to_start_the_api_that_is_off(capsys: pytest.CaptureFixture[str]) -> None:
    use_port(free_port())
    assert main(["ps"]) == 1
    assert "is off: `tandem serve` starts it" in capsys.readouterr().err
