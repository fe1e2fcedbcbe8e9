"""Write the notices and the bill of materials of a bundle into it.

    python packaging/notices.py BUNDLE VERSION

NOTICES.txt, which the window shows, has the licence of every package in its authors' words. tandem.cdx.json is a
software bill of materials in CycloneDX's format. Both come from the metadata of this Python's environment.
"""

from __future__ import annotations

import os
import re
import sys
import uuid
from datetime import UTC, datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement

sys.path.insert(0, str(Path(__file__).resolve().parent / "bundle"))

from contents import BESIDE, UNUSED_MODULES

# By its name, or in the folder for the texts of a wheel: a library may come with the licences of all its parts.
_LICENCE_FILE = re.compile(r"\.dist-info/licen[sc]es/|(^|/)(licen[sc]e|copying|notice|copyright)[^/]*$", re.IGNORECASE)

# Texts of licences that have to be passed on but are missing in the wheels, as the authors' repositories have them.
_FOLDER = Path(__file__).resolve().parent / "licences"
# Qt's libraries are passed on under the LGPL, which adds to the GPL: both texts belong to it.
_OF_QT = ("lgpl-3.0", "gpl-3.0")
# The texts by the names of the packages. A package without any text stops the build.
_ADDED = {
    "latex2mathml": ("latex2mathml",),
    "pyside6-essentials": _OF_QT,
    "sentencepiece": ("apache-2.0",),
    "shiboken6": _OF_QT,
    "tokenizers": ("apache-2.0",),
}


def main(bundle: str, version: str) -> None:
    """Write both files into the bundle."""
    inside = sorted(needed_by("tandem-chat", *BESIDE), key=name_of)
    folder = resources(Path(bundle))
    (folder / "NOTICES.txt").write_text("\n".join(map(notice, inside)), encoding="utf-8")
    (folder / "tandem.cdx.json").write_text(bill_of_materials(inside, version), encoding="utf-8")


def resources(bundle: Path) -> Path:
    """Return the folder `resources` inside a bundle."""
    return bundle / ("Contents/Resources/resources" if bundle.suffix == ".app" else "_internal/resources")


def needed_by(*names: str) -> list[Distribution]:
    """Return the packages and all that they need on this system, without packages that the bundle leaves out."""
    distributions: dict[str, Distribution] = {}
    wanted = [*names]
    while wanted:
        try:
            package = distribution(wanted.pop())
        except PackageNotFoundError:
            # It is for another system, or the bundle does without it.
            continue
        if name_of(package) in distributions or is_left_out(package):
            continue
        distributions[name_of(package)] = package
        requirements = [Requirement(line) for line in package.requires or ()]
        wanted += [
            requirement.name
            for requirement in requirements
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        ]
    return list(distributions.values())


def is_left_out(package: Distribution) -> bool:
    """Return whether the bundle leaves out all modules of a package."""
    modules = {file.parts[0].removesuffix(".py") for file in package.files or () if file.suffix == ".py"}
    return bool(modules) and modules <= {*UNUSED_MODULES}


def name_of(package: Distribution) -> str:
    """Return the normalised name of a package, as registries write it."""
    return re.sub(r"[-_.]+", "-", package.metadata["Name"]).lower()


def licence_of(package: Distribution) -> str:
    """Return the name of a licence, as an SPDX expression if there is one."""
    metadata = package.metadata
    classified = [
        line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier") or () if line.startswith("License ::")
    ]
    # Where `importlib_metadata` is imported, a field that a package lacks is an error instead of None.
    expression, licence = ("".join(metadata.get_all(name) or ()) for name in ("License-Expression", "License"))
    stated = expression or ", ".join(classified) or licence or "see its authors' page"
    return stated.partition("\n")[0]


def notice(package: Distribution) -> str:
    """Return the name of a package, its licence, and the texts of its licence files, or the texts in `_ADDED`.

    Raises `SystemExit` if there is no text.
    """
    files = [file for file in package.files or () if _LICENCE_FILE.search(str(file))]
    texts = [text_of(Path(str(file.locate()))).strip() for file in files]
    if not any(texts):
        names = _ADDED.get(name_of(package), ())
        texts = [(_FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip() for name in names]
    if not any(texts):
        raise SystemExit(f"{name_of(package)} has no text of its licence")
    head = f"{package.metadata['Name']} {package.version}: {licence_of(package)}"
    return "\n\n".join([f"{'=' * 80}\n{head}", *dict.fromkeys(texts), ""])


def text_of(file: Path) -> str:
    """Return a text; some that are older than UTF-8, such as FreeType's licence, are in Latin-1."""
    content = file.read_bytes()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def bill_of_materials(inside: list[Distribution], version: str) -> str:
    """Return CycloneDX 1.6 as JSON, always the same for the same packages."""
    application = Component(name="Tandem", version=version, type=ComponentType.APPLICATION, bom_ref="tandem")
    bom = Bom(
        components=[
            Component(
                name=package.metadata["Name"],
                version=package.version,
                type=ComponentType.LIBRARY,
                purl=PackageURL("pypi", None, name_of(package), package.version),
                bom_ref=f"{name_of(package)}@{package.version}",
            )
            for package in inside
        ]
    )
    bom.metadata.component = application
    # Neither the clock nor chance may change the file.
    bom.serial_number = uuid.uuid5(
        uuid.NAMESPACE_URL, " ".join([version, *(component.bom_ref.value or "" for component in bom.components)])
    )
    bom.register_dependency(application, bom.components)
    bom.metadata.timestamp = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC)
    return str(JsonV1Dot6(bom).output_as_string(indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
