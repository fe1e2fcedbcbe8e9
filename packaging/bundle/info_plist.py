"""What macOS is told about Tandem.app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

IDENTIFIER = "chat.tandem.Tandem"
LEAST_MACOS = "14.0"
# As macOS names them; the window's own translations are in i18n/.
LOCALISATIONS = ["en", "ko", "ja", "zh-Hans"]
# What macOS shows when it asks whether Tandem may use the local network. Without this it refuses, and asks nobody.
LOCAL_NETWORK = {
    "en": "Tandem connects to other computers to run a model on several Macs, to use a draft model on another "
    "computer, and to let other devices use its models.",
    "ko": "여러 Mac에서 모델을 함께 실행하거나, 다른 컴퓨터의 초안 모델을 사용하거나, 다른 기기에서 Tandem의 모델을 "
    "사용할 수 있게 하려면 로컬 네트워크에 연결해야 해요.",
    "ja": "複数の Mac で 1 つのモデルを実行するとき、ほかのコンピュータのドラフトモデルを使うとき、ほかのデバイスから "
    "Tandem のモデルを使えるようにするときに、ローカルネットワークに接続します。",
    "zh-Hans": "在多台 Mac 上运行同一个模型、使用另一台电脑上的草稿模型，或让其他设备使用 Tandem 的模型时，"
    "需要连接本地网络。",
}


def content(version: str) -> dict[str, Any]:
    """The Info.plist of a release. `version` is that of pyproject.toml, such as "0.2.0"."""
    return {
        "CFBundleName": "Tandem",
        "CFBundleDisplayName": "Tandem",
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "CFBundleDevelopmentRegion": "en",
        "CFBundleLocalizations": LOCALISATIONS,
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "Exported chats",
                "CFBundleTypeRole": "Viewer",
                # Never the first choice for other people's JSON files.
                "LSHandlerRank": "Alternate",
                "LSItemContentTypes": ["public.json", "public.zip-archive"],
            }
        ],
        "LSApplicationCategoryType": "public.app-category.productivity",
        "LSArchitecturePriority": ["arm64"],
        "LSMinimumSystemVersion": LEAST_MACOS,
        "NSHighResolutionCapable": True,
        "NSLocalNetworkUsageDescription": LOCAL_NETWORK["en"],
        "NSHumanReadableCopyright": "Copyright the Tandem authors. Apache License 2.0.",
        # Light and dark as the person chose.
        "NSRequiresAquaSystemAppearance": False,
        "NSSupportsAutomaticGraphicsSwitching": True,
    }


def write_translations(folder: Path) -> list[tuple[str, str]]:
    """Write what macOS shows of Info.plist in each language; returns (file, folder in the bundle) for PyInstaller."""
    written = []
    for language, text in LOCAL_NETWORK.items():
        file = folder / f"{language}.lproj" / "InfoPlist.strings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'NSLocalNetworkUsageDescription = "{text}";\n', encoding="utf-8")
        written.append((str(file), file.parent.name))
    return written
