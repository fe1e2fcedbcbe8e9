"""Sign Tandem.app, after its last file was written, or its disk image, have Apple notarise it, and ask Gatekeeper.

    python packaging/sign.py APP_OR_IMAGE

TANDEM_SIGNING_IDENTITY is the name of a Developer ID certificate in the keychain, and TANDEM_NOTARY_PROFILE that of the
credentials stored with `xcrun notarytool store-credentials`. Without the first, this prints a warning and signs the app
without an identity; without the second the app is signed but not notarised.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ENTITLEMENTS = Path(__file__).resolve().parent / "bundle" / "entitlements.plist"
# The first bytes of code: Mach-O of 32 and 64 bits, and files for several processors.
_MACH_O = (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")
# codesign's name for no identity.
_AD_HOC = "-"
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
        run("codesign", "--force", "--timestamp", "--sign", identity, product)
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
    signing = ["codesign", "--force", "--sign", identity]
    if identity != _AD_HOC:
        signing += ["--timestamp", "--options", "runtime"]
    for file in nested_code(app):
        run(*signing, file)
    run(*signing, "--entitlements", ENTITLEMENTS, app)
    run("codesign", "--verify", "--deep", "--strict", "--verbose=2", app)


def notarise(product: Path, profile: str) -> None:
    """Wait for Apple's ticket and attach it, so that a Mac without a network accepts the product too.

    Raises `SystemExit` if Apple does not accept the product; what Apple has found wrong in it is printed first.
    """
    submitted = product
    if product.is_dir():
        submitted = product.with_suffix(".zip")
        run("ditto", "-c", "-k", "--keepParent", product, submitted)
    answer = notarytool("submit", str(submitted), "--keychain-profile", profile, "--wait", "--timeout", _NOTARIES)
    if submitted != product:
        submitted.unlink()
    # Its exit code is 0 also for what Apple refuses.
    if answer.get("status") != "Accepted":
        submission = str(answer.get("id", ""))
        if submission:
            log = notarytool("log", submission, "--keychain-profile", profile)
            print(json.dumps(log, indent=2, ensure_ascii=False))
        raise SystemExit(
            f"Apple has not accepted {product.name}: {answer.get('status', answer)}. If its notaries were only slow, "
            f"`xcrun notarytool info {submission or 'ID'}` says how far they are; after Accepted, run this step again."
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
