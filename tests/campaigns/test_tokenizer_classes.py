"""A tokenizer_config.json that chooses any class of transformers: none runs code of the folder or reads beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiny_models import write_model

pytestmark = pytest.mark.campaign
EVIL = "import pathlib; pathlib.Path({!r}).write_text('code ran')\n"
PICKLE = b"cos\nsystem\n(S'touch %s'\ntR."
ESCAPE = "{{{{ cycler.__init__.__globals__.os.system('touch {}') }}}}"
# Reads the folder with each class, and writes what Python was asked to do meanwhile that no tokenizer needs.
READING = """
import json, sys, warnings
from pathlib import Path
from engine.main_model.loading import load
from engine.model_files.inspection import check_folder
from engine.tokenizers.loading import make_tokenizer
from engine.files.disk_pool import DiskPool
import transformers, transformers.models.auto.tokenization_auto as auto
from engine.errors import ModelNotUsable
folder, secret = Path(sys.argv[1]), sys.argv[2]
settings = json.loads((folder / "tokenizer_config.json").read_text())
names = sorted({name for name in auto.TOKENIZER_MAPPING_NAMES.values() if name} | {
    name for name in dir(transformers) if "Token" in name})
asked, watching = [], False
def watch(event, arguments):
    if watching and (event in ("os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "pickle.find_class",
                               "socket.connect", "os.fork") or (event == "open" and str(arguments[0]) == secret)
                     or (event == "open" and str(arguments[0]).startswith(str(folder))
                         and str(arguments[0]).endswith((".py", ".pkl", ".pt", ".bin")))):
        asked.append((name, event, str(arguments)[:200]))
sys.addaudithook(watch)
found = {}
with DiskPool() as disk:
    for name in names:
        for more in json.loads(sys.argv[3]):
            (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "tokenizer_class": name, **more}))
            try:
                check_folder(folder)
                # The class is built in the prompt process first; here it is built where it can be watched.
                watching = True
                make_tokenizer(folder, disk)
                key = "made"
            except ModelNotUsable as error:
                key = error.reason
            finally:
                watching = False
            found[key] = found.get(key, 0) + 1
print(json.dumps([found, [one for one in asked if "engine.sandbox" not in one[2]]]))
"""


def test_no_class_runs_code_or_reads_beside_the_folder(tmp_path: Path) -> None:
    folder, secret, ran = write_model(tmp_path / "model"), tmp_path / "secret", tmp_path / "ran"
    secret.write_text('{"a": 1}')
    for name in ("tokenization_evil.py", "tokenizer.py", "modeling_evil.py", "__init__.py", "chat_template.py"):
        (folder / name).write_text(EVIL.format(str(ran)))
    for name in (
        "vocab.pkl",
        "vocab.bin",
        "tokenizer.pkl",
        "tokenizer.model",
        "spiece.model",
        "vocab.txt",
        "source.spm",
    ):
        (folder / name).write_bytes(PICKLE % os.fsencode(ran))
    hostile = [
        {},
        {"sp_model_kwargs": {"model_file": str(secret)}, "mecab_kwargs": {"mecab_option": f"-r {secret}"}},
        {"auto_map": {"AutoTokenizer": ["tokenization_evil.T", None]}, "trust_remote_code": True},
        {"name_or_path": str(secret), "backend": "tokenization_evil", "processor_class": "tokenization_evil.T"},
        {"gguf_file": "vocab.pkl", "subfolder": "..", "vocab_file": "vocab.pkl", "cache_dir": str(tmp_path)},
        {"chat_template": {"default": ESCAPE.format(ran)}},
    ]  # fmt: skip
    command = [sys.executable, "-c", READING, str(folder), str(secret), json.dumps(hostile)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3_000:]
    found, asked = json.loads(done.stdout.splitlines()[-1])
    print(found)
    assert not asked
    assert not ran.exists()
