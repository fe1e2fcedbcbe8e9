"""The Info.plist of Tandem.app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

IDENTIFIER = "chat.tandem.Tandem"
LEAST_MACOS = "14.0"
# macOS's names of the languages; the window's translations are in i18n/.
LOCALISATIONS = ["en", "ko", "ja", "zh-Hans"]
# macOS shows this when it asks whether Tandem may use the local network. Without it, macOS refuses without asking.
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
    """Return the Info.plist of a release. `version` is that of pyproject.toml, such as "0.2.0"."""
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
        # Follow the system's light or dark appearance.
        "NSRequiresAquaSystemAppearance": False,
        "NSSupportsAutomaticGraphicsSwitching": True,
    }


def write_translations(folder: Path) -> list[tuple[str, str]]:
    """Write the translations of Info.plist, and return pairs of file and folder in the bundle for PyInstaller."""
    written = []
    for language, text in LOCAL_NETWORK.items():
        file = folder / f"{language}.lproj" / "InfoPlist.strings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'NSLocalNetworkUsageDescription = "{text}";\n', encoding="utf-8")
        written.append((str(file), file.parent.name))
    return written
