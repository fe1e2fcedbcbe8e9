"""Play one program of a release: `tools.py NAME ARGUMENT...`.

PLAYED_STATE is a folder: its file "faults" names what goes wrong, one a line, its file "commands" gets each command,
"releases" has what was drafted, and "certificate.p12" is what signs. A signature is a line at the end of code, a seal
the checksums of an app's files, a ticket of Apple a file or a line, and a disk image a tar archive. What happens on a
machine is noted in RUNNER_TEMP, as each job has one of its own.
"""

import hashlib
import itertools
import json
import os
import shutil
import sys
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

STATE = Path(os.environ.get("PLAYED_STATE", ""))
MACH_O = b"\xcf\xfa\xed\xfe"
PASSWORD, APP_PASSWORD = "of the export", "abcd-efgh-ijkl-mnop"
IDENTITY = "Developer ID Application: Somebody (ABCDE12345)"
TICKET = b"\nTICKET"
SIGNATURE = b"\nSIGNED "
# Of the time stamps of one machine, each of this number is not to be had at first.
EVERY = 3


def is_faulty(fault: str) -> bool:
    """Whether a fault is seeded for this image, such as "copy --macos 26.2", or for the Linux bundle, "verify "."""
    seeded = f"{fault} {os.environ.get('OPTIONS', '')}"
    return seeded in (STATE / "faults").read_text(encoding="utf-8").splitlines()


def history() -> Path:
    """The file of what has happened on this machine: what its keychain got, and what was tried."""
    return Path(os.environ["RUNNER_TEMP"], "played.json")


def times(what: str) -> int:
    """How often something has happened on this machine."""
    return json.loads(history().read_text(encoding="utf-8")).count(what) if history().exists() else 0


def note(what: str) -> None:
    """Note that something has happened on this machine."""
    before = json.loads(history().read_text(encoding="utf-8")) if history().exists() else []
    history().write_text(json.dumps([*before, what]), encoding="utf-8")


def window_packages() -> set[str]:
    """The packages that docs/installing.md names for a window on Linux."""
    lines = (Path.cwd() / "docs" / "installing.md").read_text(encoding="utf-8").splitlines()
    return {*lines[lines.index("<!-- window-packages -->") + 2].partition(" install ")[2].split()}


def installed() -> Path:
    """The file with the packages of the system that were installed on this machine, which begins without any."""
    return Path(os.environ["RUNNER_TEMP"], "played-packages.txt")


def sudo(program: str, command: str, *arguments: str) -> int:
    """Ubuntu's packages."""
    if program != "apt-get":
        return 1
    if command == "install":
        packages = [word for word in arguments if not word.startswith("-")]
        installed().write_text("\n".join(packages), encoding="utf-8")
    return 0


def can_open_windows() -> bool:
    """Whether this machine has what Qt needs for a window: a Mac has it."""
    packages = installed().read_text(encoding="utf-8").splitlines() if installed().exists() else []
    return bool(os.environ.get("OPTIONS")) or window_packages() <= {*packages}


def security(command: str, *arguments: str) -> int:
    """macOS's keychains."""
    if command == "import":
        value = dict(itertools.pairwise(arguments))
        if Path(arguments[0]).read_bytes() != (STATE / "certificate.p12").read_bytes() or value["-P"] != PASSWORD:
            print("SecKeychainItemImport: the user name or passphrase is not correct.", file=sys.stderr)
            return 1
        note("certificate")
    # With options, it would lock itself.
    if command == "set-keychain-settings" and len(arguments) > 1:
        return 1
    if command == "find-identity" and times("certificate"):
        print(f'  1) 0123456789ABCDEF "{IDENTITY}"\n     1 valid identities found')
    return 0


def code_of(app: Path) -> list[Path]:
    """The files of an app that have to be signed."""
    files = [file for file in app.rglob("*") if file.is_file() and not file.is_symlink()]
    return [file for file in files if file.read_bytes().startswith(MACH_O)]


def seal_of(app: Path) -> dict[str, str]:
    """The checksum of each file of an app that a seal holds: all but itself and Apple's ticket."""
    files = sorted(file for file in app.rglob("*") if file.is_file())
    outside = ("Contents/_CodeSignature/CodeResources", "Contents/CodeResources")
    names = [file.relative_to(app).as_posix() for file in files]
    return {name: hashlib.sha256((app / name).read_bytes()).hexdigest() for name in names if name not in outside}


def codesign(*arguments: str) -> int:
    """Sign code, an app or an image, or verify an app."""
    product = Path(arguments[-1])
    seal = product / "Contents" / "_CodeSignature" / "CodeResources"
    if "--verify" in arguments:
        is_signed = all(SIGNATURE in file.read_bytes() for file in code_of(product))
        if not is_signed or not seal.exists() or json.loads(seal.read_text(encoding="utf-8")) != seal_of(product):
            print(f"{product}: a sealed resource is missing or invalid", file=sys.stderr)
            return 1
        return 0
    if "--timestamp" in arguments:
        note("a try for a time stamp")
        if is_faulty("no-stamps") or times("a try for a time stamp") % EVERY == 0:
            print(f"{product}: The timestamp service is not available.", file=sys.stderr)
            return 1
    identity = arguments[arguments.index("--sign") + 1]
    if identity != "-" and not (identity == IDENTITY and times("certificate")):
        print(f"{identity}: no identity found", file=sys.stderr)
        return 1
    program = product / "Contents" / "MacOS" / "Tandem" if product.is_dir() else product
    content = program.read_bytes()
    # An image has signed code in it.
    unsigned = content if product.suffix == ".dmg" else content.partition(SIGNATURE)[0]
    program.write_bytes(unsigned + SIGNATURE + identity.encode())
    if product.is_dir():
        seal.parent.mkdir(exist_ok=True)
        seal.write_text(json.dumps(seal_of(product)), encoding="utf-8")
    return 0


def has_ticket(product: Path) -> bool:
    """Whether Apple's ticket is attached to an app or an image."""
    return (
        (product / "Contents" / "CodeResources").exists() if product.is_dir() else product.read_bytes().endswith(TICKET)
    )


def xcrun(tool: str, command: str, *arguments: str) -> int:
    """Apple's notaries, and what attaches their ticket."""
    if tool == "stapler":
        product = Path(arguments[0])
        if command == "validate":
            return int(not has_ticket(product))
        if product.is_dir():
            (product / "Contents" / "CodeResources").write_bytes(TICKET)
        else:
            product.write_bytes(product.read_bytes() + TICKET)
        return 0
    if command == "store-credentials":
        if arguments[-1] != APP_PASSWORD:
            return 1
        note(f"notaries in {arguments[arguments.index('--keychain') + 1]}")
        return 0
    # The default keychain has none.
    if "--keychain" not in arguments or not times(f"notaries in {arguments[arguments.index('--keychain') + 1]}"):
        print("Error: No Keychain password item found for profile: tandem", file=sys.stderr)
        return 69
    return notaries(command, arguments[0])


def notaries(command: str, product: str) -> int:
    """Apple's notaries, who have as much time as `wait` gives them; their exit code does not tell what they found."""
    if command == "submit":
        number = Path(product).suffix.removeprefix(".")
        print(json.dumps({"id": number, "message": "Successfully uploaded file", "path": product}))
    kind = "image" if product == "dmg" else "app"
    if command == "wait":
        print("Current status: In Progress......")
        return int(is_faulty(f"slow-{kind}"))
    if command == "info":
        refused = "Invalid" if is_faulty(f"refused-{kind}") else "Accepted"
        print(json.dumps({"id": product, "status": "In Progress" if is_faulty(f"slow-{kind}") else refused}))
    if command == "log":
        print(json.dumps({"status": "Invalid", "issues": [{"message": "The signature of the binary is invalid."}]}))
    return 0


def spctl(*arguments: str) -> int:
    """Gatekeeper: a product opens that has Apple's ticket."""
    return 0 if has_ticket(Path(arguments[-1])) else 3


def ditto(*arguments: str) -> int:
    """Copy a folder, or put it into an archive."""
    source, target = arguments[-2:]
    if "-c" in arguments:
        Path(target).write_bytes(b"PK")
        return 0
    shutil.copytree(source, target, symlinks=True)
    if is_faulty("copy"):
        Path(target, "Contents", "Resources", "words.txt").unlink()
        return 1
    return 0


def hdiutil(command: str, *arguments: str) -> int:
    """Disk images."""
    image = Path(arguments[-1])
    if command == "create":
        note("a try for an image")
        if times("a try for an image") == 1:
            print("hdiutil: create failed - Resource busy", file=sys.stderr)
            return 1
        with tarfile.open(image, "w") as packed:
            packed.add(arguments[arguments.index("-srcfolder") + 1], ".")
        if is_faulty("image"):
            image.write_bytes(image.read_bytes()[: image.stat().st_size // 2])
    elif command == "verify":
        # An archive ends with two empty blocks.
        return int(bytes(1024) not in image.read_bytes())
    elif command == "attach":
        with tarfile.open(image) as packed:
            packed.extractall(arguments[arguments.index("-mountpoint") + 1], filter="fully_trusted")
    elif command == "detach":
        for entry in image.iterdir():
            entry.unlink() if entry.is_symlink() else shutil.rmtree(entry)
    return 0


def gh(group: str, command: str, *arguments: str) -> int:
    """GitHub's releases."""
    if group != "release" or not os.environ.get("GH_TOKEN"):
        return 4
    releases = STATE / "releases"
    if command == "list":
        named = itertools.pairwise(arguments)
        if dict(named).get("--jq") != ".[] | select(.isLatest).tagName":
            return 1
        if releases.exists():
            print(max(folder.name for folder in releases.iterdir()))
        return 0
    tag, *options = arguments
    folder = releases / tag
    values = {"--title", "--notes-file"}
    named = dict(itertools.pairwise(options))
    files = [
        word for place, word in enumerate(options) if not word.startswith("--") and options[place - 1] not in values
    ]
    if command == "create":
        folder.mkdir(parents=True)
        about = {"draft": "--draft" in options, "title": named["--title"]}
        (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")
        shutil.copy(named["--notes-file"], folder / "text.md")
    if command == "upload" and is_faulty("immutable"):
        print("HTTP 422: Cannot upload assets to an immutable release.", file=sys.stderr)
        return 1
    (folder / "files").mkdir(exist_ok=True)
    for file in files:
        shutil.copy(file, folder / "files")
    return 0


def make_bundle(dist: Path, version: str, macos: str) -> None:
    """What PyInstaller makes, as far as later steps look at it."""
    folder = dist / ("Tandem.app/Contents" if macos else "Tandem")
    shutil.rmtree(dist, ignore_errors=True)
    program = "MacOS/Tandem" if macos else "Tandem"
    library = "Frameworks/libmlx.dylib" if macos else "_internal/libmlx.so.1"
    contents = {program: MACH_O + macos.encode(), library: MACH_O, "Resources/words.txt": version.encode()}
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / program).chmod(0o755)
    (folder / "Resources" / "link").symlink_to("words.txt")


def python_module(module: str, *arguments: str) -> int:
    """What Python runs with `-m`: what would ask a registry, or take minutes."""
    value = dict(itertools.pairwise(arguments))
    if module == "venv":
        Path(arguments[0], "bin").mkdir(parents=True)
        Path(arguments[0], "bin", "python").symlink_to(os.environ["PLAYED_PYTHON"])
    elif module == "pip" and arguments[0] == "download":
        Path(value["-d"]).mkdir(parents=True)
        Path(value["-d"], f"mlx-0.32.4-cp312-cp312-{value['--platform']}.whl").touch()
    elif module == "PyInstaller":
        make_bundle(Path(value["--distpath"]), os.environ["TANDEM_VERSION"], os.environ["TANDEM_MACOS"])
    elif module == "build":
        Path(value["--outdir"], f"tandem_chat-{os.environ['GITHUB_REF_NAME'][1:]}-py3-none-any.whl").touch()
    return 0


def python(*arguments: str) -> int:
    """Run a script as it is, but those that look into what PyInstaller made of real packages."""
    script = Path(arguments[0]).name
    if arguments[0] == "-m":
        return python_module(*arguments[1:])
    if script == "icon.py":
        return 0 if can_open_windows() else 1
    if script == "icu_data.py":
        return 0
    if script == "notices.py":
        resources = "Contents/Resources" if arguments[1].endswith(".app") else "Resources"
        Path(arguments[1], resources, "NOTICES.txt").touch()
        return 0
    if script == "verify.py":
        is_app = arguments[1].endswith(".app")
        is_whole = codesign("--verify", arguments[1]) == 0 if is_app else can_open_windows()
        return int(is_faulty("verify") or not is_whole)
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    real = os.environ["PLAYED_REAL_PYTHON"]
    return os.execv(real, [real, *arguments])


TOOLS: dict[str, Callable[..., int]] = {
    "codesign": codesign,
    "ditto": ditto,
    "gh": gh,
    "hdiutil": hdiutil,
    "pip": lambda *_: 0,
    "python": python,
    "security": security,
    "spctl": spctl,
    "strip": lambda *_: 0,
    "sudo": sudo,
    "xcrun": xcrun,
}


def main(name: str, arguments: Sequence[str]) -> int:
    """Play a program; returns its exit code."""
    with (STATE / "commands").open("a", encoding="utf-8") as log:
        log.write(f"{' '.join([name, *arguments])}\n")
    return TOOLS[name](*arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
