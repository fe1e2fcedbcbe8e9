"""Info.plist and the entitlements of Tandem.app."""

from __future__ import annotations

import plistlib
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
info_plist = runpy.run_path(str(ROOT / "packaging" / "bundle" / "info_plist.py"))
# Keys that PyInstaller adds itself.
BY_PYINSTALLER = {"CFBundleExecutable", "CFBundlePackageType", "CFBundleInfoDictionaryVersion", "CFBundleIconFile"}


@pytest.fixture
def told() -> dict[str, Any]:
    content: dict[str, Any] = plistlib.loads(plistlib.dumps(info_plist["content"]("1.2.3")))
    return content


def test_it_says_which_app_in_which_version_runs_where(told: dict[str, Any]) -> None:
    assert info_plist["IDENTIFIER"] == "chat.tandem.Tandem"
    assert told["CFBundleName"] == told["CFBundleDisplayName"] == "Tandem"
    assert told["CFBundleShortVersionString"] == told["CFBundleVersion"] == "1.2.3"
    assert told["LSApplicationCategoryType"] == "public.app-category.productivity"
    assert "Apache" in told["NSHumanReadableCopyright"]
    assert not BY_PYINSTALLER & told.keys()
    assert told["LSMinimumSystemVersion"] == "15.0"
    assert told["LSArchitecturePriority"] == ["arm64"]
    assert told["NSHighResolutionCapable"] is True
    assert told["NSRequiresAquaSystemAppearance"] is False


def test_it_names_each_language_of_the_window_as_macos_does(told: dict[str, Any]) -> None:
    of_macos = {"en": "en", "ko": "ko", "ja": "ja", "zh_CN": "zh-Hans"}
    spoken = {file.stem.partition("_")[2] for file in (ROOT / "i18n").glob("tandem_*.ts")}
    assert told["CFBundleLocalizations"] == [of_macos[language] for language in ("en", "ko", "ja", "zh_CN")]
    assert spoken == {*of_macos}
    assert told["CFBundleDevelopmentRegion"] == "en"


def test_it_offers_the_app_for_every_file_but_never_first(told: dict[str, Any]) -> None:
    [kind] = told["CFBundleDocumentTypes"]
    # PDF, pictures, GGUF, and exported chats in JSON and ZIP are all data.
    assert kind["LSItemContentTypes"] == ["public.data"]
    assert (kind["CFBundleTypeRole"], kind["LSHandlerRank"]) == ("Viewer", "Alternate")
    assert kind["CFBundleTypeName"]


def test_it_says_in_each_language_what_each_permission_is_for(told: dict[str, Any], tmp_path: Path) -> None:
    written = info_plist["write_translations"](tmp_path)
    assert [folder for _, folder in written] == [f"{language}.lproj" for language in told["CFBundleLocalizations"]]
    keys = {key for key in told if key.endswith("UsageDescription")}
    assert {"NSLocalNetworkUsageDescription", "NSRemovableVolumesUsageDescription"} <= keys
    texts: dict[str, list[str]] = {}
    for file, folder in written:
        assert Path(file) == tmp_path / folder / "InfoPlist.strings"
        for line in Path(file).read_text(encoding="utf-8").splitlines():
            key, text = line.removesuffix(";").split(" = ")
            texts.setdefault(key, []).append(text.strip('"'))
    assert texts.keys() == keys
    for key, translations in texts.items():
        assert len(set(translations)) == 4
        assert translations[0] == told[key]


def test_there_is_one_entitlement_with_its_reason() -> None:
    file = ROOT / "packaging" / "bundle" / "entitlements.plist"
    assert plistlib.loads(file.read_bytes()) == {"com.apple.security.cs.allow-unsigned-executable-memory": True}
    assert "<!--" in file.read_text(encoding="utf-8")


def test_the_version_is_in_one_place() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for folder in ("app", "engine", "packaging"):
        for file in (ROOT / folder).rglob("*.py"):
            assert f'"{version}"' not in file.read_text(encoding="utf-8"), file
