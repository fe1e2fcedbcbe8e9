"""The Info.plist of Tandem.app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

IDENTIFIER = "chat.tandem.Tandem"
# The oldest macOS of each disk image. MLX's library for 26.2 has kernels for the neural accelerators of an M5, and does
# not load on an older system; on other chips both are as fast. PySide6's own libraries are built for 15.0.
WITH_NAX = "26.2"
OLDEST = "15.0"
# macOS's names of the languages; the window's translations are in i18n/.
LOCALISATIONS = ["en", "ko", "ja", "zh-Hans"]
# macOS shows these when it asks for permission. Without the first, it refuses the local network without asking; the
# others are for chats and models that Settings > Storage moves to such a disk.
_DISKS = {
    "en": "Tandem keeps chats and models on this disk if you choose it in the settings.",
    "ko": "설정에서 이 디스크를 선택하면 Tandem이 대화와 모델을 여기에 보관해요.",
    "ja": "設定でこのディスクを選ぶと、Tandemはチャットとモデルをここに保存します。",
    "zh-Hans": "如果你在设置中选择了这个磁盘，Tandem 会把对话和模型存放在这里。",
}
PURPOSES = {
    "NSLocalNetworkUsageDescription": {
        "en": "Tandem connects to other computers to run a model on several Macs, to use a draft model on another "
        "computer, and to let other devices use its models.",
        "ko": "여러 Mac에서 모델을 함께 실행하거나, 다른 컴퓨터의 초안 모델을 사용하거나, 다른 기기에서 "
        "Tandem의 모델을 사용할 수 있게 하려면 로컬 네트워크에 연결해야 해요.",
        "ja": "複数のMacで1つのモデルを実行するとき、ほかのコンピュータのドラフトモデルを使うとき、ほかの"
        "デバイスからTandemのモデルを使えるようにするときに、ローカルネットワークに接続します。",
        "zh-Hans": "在多台 Mac 上运行同一个模型、使用另一台电脑上的草稿模型，或让其他设备使用 Tandem 的模型时，"
        "需要连接本地网络。",
    },
    "NSRemovableVolumesUsageDescription": _DISKS,
    "NSNetworkVolumesUsageDescription": _DISKS,
}


def content(version: str, macos: str = OLDEST) -> dict[str, Any]:
    """Return the Info.plist of a release for `macos` or newer. `version` comes from pyproject.toml, such as "0.2.0"."""
    return {
        "CFBundleName": "Tandem",
        "CFBundleDisplayName": "Tandem",
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "CFBundleDevelopmentRegion": "en",
        "CFBundleLocalizations": LOCALISATIONS,
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "Documents, pictures, models and exported chats",
                "CFBundleTypeRole": "Viewer",
                # Never the first choice for other people's files.
                "LSHandlerRank": "Alternate",
                # Every file: the icon in the Dock takes any file, like the window, which says why it cannot use one.
                "LSItemContentTypes": ["public.data"],
            }
        ],
        "LSApplicationCategoryType": "public.app-category.productivity",
        "LSArchitecturePriority": ["arm64"],
        "LSMinimumSystemVersion": macos,
        "NSHighResolutionCapable": True,
        **{key: texts["en"] for key, texts in PURPOSES.items()},
        "NSHumanReadableCopyright": "Copyright the Tandem authors. Apache License 2.0.",
        # No UIDesignRequiresCompatibility: of what macOS 26 draws in its new design, Qt's own macOS style fails, which
        # Tandem does not use. Tandem from pip could not have it, nor an app that is linked with the SDK of macOS 27.
        # Follow the system's light or dark appearance.
        "NSRequiresAquaSystemAppearance": False,
        "NSSupportsAutomaticGraphicsSwitching": True,
    }


def write_translations(folder: Path) -> list[tuple[str, str]]:
    """Write the translations of Info.plist, and return pairs of file and folder in the bundle for PyInstaller."""
    written = []
    for language in LOCALISATIONS:
        file = folder / f"{language}.lproj" / "InfoPlist.strings"
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [f'{key} = "{texts[language]}";\n' for key, texts in PURPOSES.items()]
        file.write_text("".join(lines), encoding="utf-8")
        written.append((str(file), file.parent.name))
    return written
