"""A hundred ways in which a Hub, a mirror or the connection to it can misbehave."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.engine.hub.downloading import NAME, SHARD
from tests.fakehub.server import FakeHub, Fault

REVISION, TREE = f"/api/models/{NAME}/revision", f"/api/models/{NAME}/tree"


@dataclass(frozen=True)
class Behaviour:
    """A way to misbehave; `arrange` makes the Hub do it. `long` ones take a second or more."""

    name: str
    arrange: Callable[[FakeHub], object]
    long: bool = False


def answer(body: bytes, head: bytes = b"", status: bytes = b"200 OK", length: int | None = None) -> bytes:
    length = len(body) if length is None else length
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n%s" % (status, length, head, body)


def gzipped(body: bytes) -> bytes:
    pack = zlib.compressobj(1, wbits=zlib.MAX_WBITS | 16)
    return pack.compress(body) + pack.flush()


def behaviours() -> list[Behaviour]:
    found = [*_raw_answers(), *_odd_lists(), *_odd_revisions(), *_broken_files(), *_statuses(), *_xet_answers()]
    assert len({one.name for one in found}) == len(found)
    return found


def _of_api(path: str, **fault: object) -> Callable[[FakeHub], object]:
    return lambda hub: hub.api_faults.update({path: Fault(**fault)})  # type: ignore[arg-type]


def _of_file(**fault: object) -> Callable[[FakeHub], object]:
    return lambda hub: hub.fault(NAME, SHARD, **fault)


def _redirect_elsewhere(hub: FakeHub) -> None:
    location = f"Location: {hub.other_endpoint}{TREE}/main\r\n".encode()
    hub.api_faults[TREE] = Fault(raw=answer(b"", location, b"307 Temporary Redirect"))


def _raw_answers() -> Iterator[Behaviour]:
    """Yield whole answers, broken as HTTP or as JSON, in place of each of the two API answers and of a file."""
    kinds: dict[str, dict[str, object]] = {
        "closes at once": {"raw": b""},
        "hangs": {"raw": b"", "hang": True},
        "a slow head": {"raw": b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 9999, "drip": 40},
        "half a head": {"raw": b"HTTP/1.1 200 OK\r\nContent-Le"},
        "no HTTP": {"raw": b"SSH-2.0-OpenSSH_9.9\r\n"},
        "a head of a megabyte": {"raw": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 2**20},
        "a negative length": {"raw": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"},
        "two lengths": {"raw": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\n[1]"},
        "a bad chunk": {"raw": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]"},
        "gzip that is none": {"raw": answer(b"[]", b"Content-Encoding: gzip\r\n")},
        "a gzip bomb": {"raw": answer(gzipped(bytes(2**26)), b"Content-Encoding: gzip\r\n")},
        "an unknown encoding": {"raw": answer(b"[]", b"Content-Encoding: br\r\n")},
        "less than promised": {"raw": answer(b"[", length=10**6)},
        "an empty body": {"raw": answer(b"")},
        "a redirect to itself": {"raw": answer(b"", b"Location: /again\r\n", b"302 Found")},
        "a redirect to a file": {"raw": answer(b"", b"Location: file:///etc/passwd\r\n", b"302 Found")},
        "a redirect to nowhere": {"raw": answer(b"", b"", b"302 Found")},
        "a redirect to no port": {"raw": answer(b"", b"Location: http://127.0.0.1:9/\r\n", b"302 Found")},
        "a switch of protocols": {"raw": answer(b"", b"", b"101 Switching Protocols")},
    }
    for name, fault in kinds.items():
        long = "hang" in fault or "drip" in fault
        for where, path in (("revision", REVISION), ("list", TREE)):
            yield Behaviour(f"{where}: {name}", _of_api(path, **fault), long)
        yield Behaviour(f"file: {name}", _of_file(**fault), long)


def _odd_lists() -> Iterator[Behaviour]:
    """Yield answers to the request for the files, all of them JSON or nearly."""
    good = {"type": "file", "size": 3, "oid": "a" * 40}
    entries: dict[str, list[object]] = {
        "nothing": [],
        "numbers": [1, 2, 3],
        "no weights": [good | {"path": "config.json"}],
        "a name that leads out": [good | {"path": "../../evil.json"}],
        "an absolute name": [good | {"path": "/etc/evil.json"}],
        "a name of control characters": [good | {"path": "\x1b]0;evil\x07.json"}],
        "a name of 100,000 letters": [good | {"path": "x" * 100_000 + ".json"}],
        "a backslash": [good | {"path": "a\\b.json"}],
        "a size below zero": [good | {"path": "config.json", "size": -1}],
        "a size as text": [good | {"path": "config.json", "size": "3"}],
        "a size of 2**70": [good | {"path": name, "size": 2**70} for name in ("config.json", "model.safetensors")],
        "a sum that is a path": [good | {"path": "config.json", "oid": "../../../evil"}],
        "a sum of another length": [good | {"path": "config.json", "oid": "ab"}],
        "10,000 files": [good | {"path": f"{number}.json"} for number in range(10_000)],
        "a wrong sum": [
            good | {"path": name, "oid": hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()}
            for name in ("config.json", SHARD)
        ],
    }
    for name, value in entries.items():
        yield Behaviour(f"list of {name}", _of_api(TREE, raw=answer(json.dumps(value).encode())))
    for name, body in {
        "an object": b"{}",
        "null": b"null",
        "a number": b"1" * 5000,
        "a million lists": b"[" + b"[]," * 10**6 + b"[]]",
        "lists a million deep": b"[" * 10**6,
        "a page": b"<html>Sign in</html>",
        "bytes": bytes(range(256)) * 40,
        "17 megabytes": b'["' + b"x" * 17 * 2**20 + b'"]',
        "surrogates": b'["\\ud800"]',
    }.items():
        yield Behaviour(f"list as {name}", _of_api(TREE, raw=answer(body)))
    yield Behaviour("list: a redirect to another port", _redirect_elsewhere)
    link = b'Link: <http://127.0.0.1:9/next?x=1>; rel="next"\r\n'
    yield Behaviour("a list whose next page is on another host", _of_api(TREE, raw=answer(b"[]", link)))


def _odd_revisions() -> Iterator[Behaviour]:
    for name, value in {
        "no commit": {},
        "a commit that is a path": {"sha": "../../evil"},
        "a commit as number": {"sha": 5},
        "another commit": {"sha": "b" * 40},
    }.items():
        yield Behaviour(f"revision with {name}", _of_api(REVISION, raw=answer(json.dumps(value).encode())))


def _broken_files() -> Iterator[Behaviour]:
    kinds: dict[str, dict[str, object]] = {
        "cut once": {"cut_after": 1000, "times": 1},
        "cut always": {"cut_after": 0},
        "a wrong byte once": {"wrong_bytes": True, "times": 1},
        "a wrong byte always": {"wrong_bytes": True},
        "too short": {"wrong_length": -100},
        "too long": {"wrong_length": 100},
        "no ranges": {"ignore_range": True, "cut_after": 1500, "times": 1},
        "from another port": {"to_other_port": True},
        "silent once": {"stall_after": 500, "times": 1},
        "an endless body": {"raw": b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2**20},
        "another range": {"raw": answer(b"x" * 10, b"Content-Range: bytes 5-14/99\r\n", b"206 Partial Content")},
    }
    for name, fault in kinds.items():
        yield Behaviour(f"file: {name}", _of_file(**fault), long="stall_after" in fault)


def _statuses() -> Iterator[Behaviour]:
    for status in (204, 400, 401, 403, 404, 408, 410, 418, 429, 451, 500, 503):
        yield Behaviour(f"revision: status {status}", _of_api(REVISION, status=status))
        yield Behaviour(f"file: status {status}", _of_file(status=status))


# As the Hub sends them with each file that it keeps in xet, for clients that fetch its chunks.
_XET = {
    "X-Xet-Hash": "b" * 64,
    "X-Xet-Refresh-Route": f"/api/models/{NAME}/xet-read-token/main",
    "X-Linked-Size": "2000",
    "Link": '<https://127.0.0.1:9/reconstruction>; rel="xet-reconstruction-info", </t>; rel="xet-auth"',
}
_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 2001\n" % (b"a" * 64)
_PLAN = b'{"offset_into_first_range": 0, "terms": [], "fetch_info": {"a": [{"url": "file:///etc/passwd"}]}}'


def _with_xet(hub: FakeHub, **changed: object) -> None:
    """Let the list of files name xet's hashes, and change the entries of files that are large."""
    entries = [hub.repositories[NAME].entry(name) for name in hub.repositories[NAME].files]
    for entry in entries:
        if "lfs" in entry:
            entry |= {"xetHash": "b" * 64} | changed
    kept = [{key: value for key, value in entry.items() if value is not None} for entry in entries]
    hub.api_faults[TREE] = Fault(raw=answer(json.dumps(kept).encode()))


def _xet_answers() -> Iterator[Behaviour]:
    """Yield what a Hub that keeps files in xet, or claims to, may list and answer."""
    for name, changed in {
        "a list with xet": {},
        "a list with odd hashes of xet": {"xetHash": ["../../evil"]},
        "a list without LFS": {"lfs": None},
        "a list without sums": {"lfs": None, "oid": None},
        "a list with xet's hash as the sum": {"lfs": {"oid": "b" * 64, "size": 2000}},
        "a list with LFS that is text": {"lfs": "b" * 64},
        "a list with the size of the pointer": {"lfs": None, "size": 134},
    }.items():
        yield Behaviour(f"xet: {name}", lambda hub, changed=changed: _with_xet(hub, **changed))  # type: ignore[misc]
    head = "".join(f"{key}: {value}\r\n" for key, value in _XET.items()).encode()
    bodies = {"a pointer": _POINTER, "a plan": _PLAN, "nothing": b"", "a page": b"<html>", "chunks": bytes(2001)}
    for name, body in bodies.items():
        for kind in (b"", b"Content-Encoding: xet\r\n", b"Content-Type: multipart/byteranges; boundary=x\r\n"):
            yield Behaviour(f"xet: {name} {kind[8:24].decode()}", _of_file(raw=answer(body, head + kind)))
    for status in (202, 206, 300, 302, 307, 401, 403, 404, 406, 409, 416, 421, 501):
        yield Behaviour(f"xet: status {status}", _of_file(status=status, headers=_XET))
    for name, address in {
        "an address of xet": "xet://cas/evil", "a file": "file:///etc/passwd", "no host": "https://", "itself": "",
        "a port of no number": "http://127.0.0.1:x/", "a plan": "/api/models/org/model/xet-read-token/main",
        "10,000 letters": "/" + "x" * 10_000, "a name and a password": "http://hf:evil@127.0.0.1:9/",
    }.items():  # fmt: skip
        yield Behaviour(f"xet: sent to {name}", _of_file(status=302, headers=_XET | {"Location": address}))
