"""What macOS is told about Tandem.app."""

from __future__ import annotations

from typing import Any

IDENTIFIER = "chat.tandem.Tandem"
LEAST_MACOS = "14.0"
# As macOS names them; the window's own translations are in i18n/.
LOCALISATIONS = ["en", "ko", "ja", "zh-Hans"]


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
        "NSHumanReadableCopyright": "Copyright the Tandem authors. Apache License 2.0.",
        # Light and dark as the person chose.
        "NSRequiresAquaSystemAppearance": False,
        "NSSupportsAutomaticGraphicsSwitching": True,
    }
