"""Opens model folders in a process of their own, and reports what it read and started."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.engine.model_files.model_folders import model_files, write_folder
from tests.patience import PATIENCE_S

# Opens one folder after another and reports each: the error, the seconds, the growth of memory so far, every file
# opened outside the folder, Python and the installed packages, and every program started.
OPENER = """
import json, os, re, resource, sys, time

opener, root = sys.argv[1], os.path.realpath(sys.argv[2])
if opener == "load":
    from engine.main_model.loading import load as open_folder
else:
    from engine.model_files.inspection import check_folder as open_folder
from engine.errors import ModelNotUsable

try:
    open_folder(os.path.join(root, "good"))
except ModelNotUsable as error:
    sys.exit(f"the good one: {error}")
places = (sys.prefix, sys.base_prefix, os.getcwd(), "/usr/lib", "/usr/share", "/dev/null")
allowed = [os.path.realpath(place) for place in places]
events = []
folder = ""

def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        places = [folder, *allowed]
        # The prompt process's use of time and memory is read here.
        ours = re.fullmatch(r"/proc/\\d+/(stat|statm|status)", path)
        if not ours and not any(path == place or path.startswith(place + os.sep) for place in places):
            events.append(path)
    elif event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect"):
        # The prompt process may be started again.
        if "engine.sandbox" not in str(arguments):
            events.append(event)

sys.addaudithook(watch)
start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for name in sorted(os.listdir(root)):
    folder, answer = os.path.join(root, name), "opened"
    events.clear()
    began = time.perf_counter()
    try:
        open_folder(folder)
    except ModelNotUsable as error:
        answer = error.reason
    seconds = time.perf_counter() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / (2**20 if sys.platform == "darwin" else 1024)
    print(json.dumps([name, answer, seconds, grown, sorted(set(events))]), flush=True)
"""


def open_all(root: Path, opener: str) -> list[list[Any]]:
    (root / "good").mkdir(parents=True, exist_ok=True)
    write_folder(root / "good", model_files())
    result = subprocess.run(
        [sys.executable, "-c", OPENER, opener, str(root)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=Path(__file__).parents[3],
        timeout=5 * PATIENCE_S,
    )
    assert result.returncode == 0, result.stdout[-300:] + result.stderr[-3000:]
    return [json.loads(line) for line in result.stdout.splitlines()]
