"""Sign Tandem.app, after its last file was written, or its disk image, have Apple notarise it, and ask Gatekeeper.

    python packaging/sign.py APP_OR_IMAGE

TANDEM_SIGNING_IDENTITY is the name of a Developer ID certificate in the keychain, and TANDEM_NOTARY_PROFILE that of the
credentials stored with `xcrun notarytool store-credentials`, in the keychain TANDEM_NOTARY_KEYCHAIN or else the default
one. Without the first, this prints a warning and signs the app without an identity; without the second the app is
signed but not notarised.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ENTITLEMENTS = Path(__file__).resolve().parent / "bundle" / "entitlements.plist"
# The first bytes of code: Mach-O of 32 and 64 bits, and files for several processors.
_MACH_O = (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")
# codesign's name for no identity.
_AD_HOC = "-"
# Apple's service of time stamps often answers nobody for some seconds. An app needs some 90 stamps, and one without
# another try ends a release after an hour.
_TRIES = 5
_PAUSE_S = 10
# How long Apple's notaries may take: minutes as a rule, hours for the first products of a new account. notarytool ends
# by itself then, but for a connection that hangs.
_NOTARIES = "40m"
_NOTARIES_S = 45 * 60


def main(product: str) -> None:
    """Sign the app or the image, and have Apple notarise it, as far as the environment allows."""
    identity = os.environ.get("TANDEM_SIGNING_IDENTITY")
    profile = os.environ.get("TANDEM_NOTARY_PROFILE")
    is_image = product.endswith(".dmg")
    if not is_image:
        sign(Path(product), identity or _AD_HOC)
    if not identity:
        warn("Not signed: TANDEM_SIGNING_IDENTITY is not set. macOS will refuse the app until the user allows it.")
        return
    if is_image:
        run_codesign("--force", "--timestamp", "--sign", identity, product)
    if not profile:
        warn("Not notarised: TANDEM_NOTARY_PROFILE is not set. macOS will warn about the app.")
        return
    notarise(Path(product), profile)
    opened = ("--type", "open", "--context", "context:primary-signature") if is_image else ("--type", "execute")
    run("spctl", "--assess", *opened, "--verbose=2", product)


def warn(sentence: str) -> None:
    """Print a warning, which GitHub shows at the top of the run."""
    print(f"::warning::{sentence}" if "GITHUB_ACTIONS" in os.environ else sentence)


def run(*command: str | Path) -> None:
    subprocess.run([str(part) for part in command], check=True)


def run_codesign(*arguments: str | Path) -> None:
    """Run codesign, some times more if there was no time stamp. Raises subprocess.CalledProcessError if it fails."""
    command = ["codesign", *map(str, arguments)]
    for left in reversed(range(_TRIES)):
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        print(done.stderr, end="", file=sys.stderr, flush=True)
        if done.returncode == 0 or not left or "timestamp" not in done.stderr.lower():
            break
        time.sleep(_PAUSE_S)
    done.check_returncode()


def _is_code(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(4) in _MACH_O


def _depth(file: Path) -> int:
    """Return how deep that is which a signature of this code seals: the code or, for a bundle's program, the bundle."""
    bundle = next((folder for folder in file.parents if folder.suffix), file)
    return len(bundle.parts if bundle.stem == file.name else file.parts)


def nested_code(app: Path) -> list[Path]:
    """Return every file with code except the app's program, the deepest first: outer code is signed last."""
    files = [file for file in app.rglob("*") if file.is_file() and not file.is_symlink() and _is_code(file)]
    program = app / "Contents" / "MacOS" / "Tandem"
    return sorted((file for file in files if file != program), key=lambda file: (-_depth(file), file))


def sign(app: Path, identity: str) -> None:
    """Sign the deepest code first and the app last, and verify it.

    Without an identity there is no hardened runtime, in which an app loads only libraries of its own team.
    """
    signing: list[str | Path] = ["--force", "--sign", identity]
    if identity != _AD_HOC:
        signing += ["--timestamp", "--options", "runtime"]
    for file in nested_code(app):
        run_codesign(*signing, file)
    run_codesign(*signing, "--entitlements", ENTITLEMENTS, app)
    run_codesign("--verify", "--deep", "--strict", "--verbose=2", app)


def notarise(product: Path, profile: str) -> None:
    """Wait for Apple's ticket and attach it, so that a Mac without a network accepts the product too.

    The submission's number is printed before the wait. Raises `SystemExit` if Apple does not accept the product; what
    Apple has found wrong in it is printed first.
    """
    submitted = product
    if product.is_dir():
        submitted = product.with_suffix(".zip")
        run("ditto", "-c", "-k", "--keepParent", product, submitted)
    account = ["--keychain-profile", profile]
    if keychain := os.environ.get("TANDEM_NOTARY_KEYCHAIN"):
        account += ["--keychain", keychain]
    answer = notarytool("submit", str(submitted), *account)
    if submitted != product:
        submitted.unlink()
    number = answer.get("id")
    if not isinstance(number, str):
        raise SystemExit(f"Apple's notaries have not taken {product.name}: {answer.get('message', answer)}")
    print(f"Apple's notaries have {product.name} as {number}.", flush=True)
    # It ends also when its time is over; the status is asked for then.
    notarytool("wait", number, *account, "--timeout", _NOTARIES)
    status = notarytool("info", number, *account).get("status")
    if status != "Accepted":
        if status != "In Progress":
            print(json.dumps(notarytool("log", number, *account), indent=2, ensure_ascii=False))
        raise SystemExit(
            f"Apple has not accepted {product.name}: {status}. If its notaries were only slow, "
            f"`xcrun notarytool info {number}` says how far they are; after Accepted, run this step again."
        )
    run("xcrun", "stapler", "staple", product)


def notarytool(*arguments: str) -> dict[str, object]:
    """Return the answer of notarytool; "message" has its output if that is no answer.

    Raises subprocess.TimeoutExpired if it does not end.
    """
    command = ["xcrun", "notarytool", *arguments]
    if arguments[0] != "log":
        command += ["--output-format", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=_NOTARIES_S)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return {"message": done.stdout.strip() or f"exit code {done.returncode}"}
    return answer if isinstance(answer, dict) else {"message": done.stdout.strip()}


if __name__ == "__main__":
    main(sys.argv[1])
