"""The program in a process of its own, forked from one that has loaded it.

Loading takes most of the time of a short command, and the tests run thousands of them. What a process of its
own is for stays: its own folder, environment, streams and exit code, and no state of the tests. How the
program starts is tested where ``sys.executable`` is run.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import gc
import importlib
import marshal
import os
import pkgutil
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

PROJECT = Path(__file__).resolve().parents[2]
LIBRARIES = ("numpy", "pyarrow", "pydantic", "openai", "mcp", "lance_namespace_urllib3_client")
"""What commands load beside the program's own modules."""
_ENDS_WITHIN_SECONDS = 600.0
_STARTS_WITHIN_SECONDS = 120.0
_FIELD = 16
"""Bytes of what comes back: first the number of the process, and in its end its exit code."""
_INTERFACE = ("screens", "themes")
"""What the process has loaded besides that those are forked from which show the interface."""
_SHIM = """#!{python} -SI
import marshal, os, socket, sys
with socket.socket(socket.AF_UNIX) as call:
    call.connect({address!r})
    folder, arguments = os.fsencode(os.getcwd()), [os.fsencode(word) for word in sys.argv[1:]]
    socket.send_fds(call, [b"."], [0, 1, 2])
    call.sendall(marshal.dumps(("workbench", folder, arguments, dict(os.environb), False)))
    call.shutdown(socket.SHUT_WR)
    call.recv({field}, socket.MSG_WAITALL)
    code = int(call.recv({field}, socket.MSG_WAITALL))
sys.exit(code if code >= 0 else 128 - code)
"""


class Request(NamedTuple):
    """What a process begins with."""

    module: str
    folder: bytes
    arguments: list[bytes]
    environment: dict[bytes, bytes]
    on_terminal: bool
    """Whether its input is the terminal that it is to have for its own."""


def run(
    *arguments: str | bytes | Path,
    module: str = "workbench",
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """What ``python -m MODULE`` prints and ends with; nothing comes on its input."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with start(*arguments, module=module, cwd=cwd, env=env, out=out.fileno(), err=err.fileno()) as child:
            code = child.wait(timeout)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(list(arguments), code, out.read(), err.read())


class Child(NamedTuple):
    """A process that goes on."""

    pid: int
    call: socket.socket

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.call.close()

    def kill(self) -> None:
        """Whatever it is at."""
        if not self.has_ended():  # else its number may be another's by now
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def has_ended(self) -> bool:
        looks = select.poll()  # a run of all tests has more descriptors open than select knows
        looks.register(self.call, select.POLLIN)
        return bool(looks.poll(0))

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, once; negative for a signal. Raises TimeoutError after that many seconds."""
        self.call.settimeout(timeout)
        return int(self.call.recv(_FIELD, socket.MSG_WAITALL))


def start(
    *arguments: str | bytes | Path,
    module: str,
    cwd: Path,
    out: int,
    err: int,
    terminal: int | None = None,
    env: Mapping[str, str] | None = None,
) -> Child:
    """Begin ``python -m MODULE`` with these descriptors; it is to be waited for.

    ``-c`` for the module runs the first of the arguments, as Python does. Nothing comes on its input, unless
    that is the ``terminal`` which it is to have for its own.
    """
    request = Request(
        module,
        os.fsencode(cwd),
        [os.fsencode(word) for word in arguments],
        {
            os.fsencode(name): os.fsencode(value)
            for name, value in (os.environ if env is None else env).items()
        },
        terminal is not None,
    )
    call = socket.socket(socket.AF_UNIX)
    call.connect(_address(*(() if terminal is None else _INTERFACE)))
    with open(os.devnull, "rb") as nothing:
        socket.send_fds(call, [b"."], [nothing.fileno() if terminal is None else terminal, out, err])
    call.sendall(marshal.dumps(tuple(request)))
    call.shutdown(socket.SHUT_WR)
    return Child(int(call.recv(_FIELD, socket.MSG_WAITALL)), call)


@contextlib.contextmanager
def started(
    *arguments: str | Path, module: str = "workbench", cwd: Path, env: Mapping[str, str] | None = None
) -> Iterator[tuple[Child, BinaryIO, BinaryIO]]:
    """A process that goes on, with what it prints and what it says of errors; little of both."""
    (out, prints), (err, says) = os.pipe(), os.pipe()
    with open(out, "rb") as printed, open(err, "rb") as said:
        try:
            child = start(*arguments, module=module, cwd=cwd, env=env, out=prints, err=says)
        finally:
            os.close(prints)
            os.close(says)
        with child:
            yield child, printed, said
            child.kill()


def run_text(
    *arguments: str | Path, module: str = "workbench", cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The same, of a program that prints text alone."""
    done = run(*arguments, module=module, cwd=cwd, env=env, timeout=_ENDS_WITHIN_SECONDS)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@functools.cache
def folder_with_program() -> Path:
    """A folder for ``PATH`` with a ``workbench`` that does the same from a shell."""
    address = _address()
    program = Path(address).with_name("workbench")
    program.write_text(_SHIM.format(python=sys.executable, address=address, field=_FIELD))
    program.chmod(0o755)
    return program.parent


@functools.cache
def _address(*packages: str) -> str:
    """Where the process listens that has loaded the program, and these; it ends with this one."""
    folder = Path(tempfile.mkdtemp(prefix="wb"))
    address = str(folder / "socket")
    started = subprocess.Popen(
        [sys.executable, "-m", "tests.support.forked", address, *packages],
        cwd=PROJECT, env={**os.environ, "LANG": "C.UTF-8"}, stdin=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + _STARTS_WITHIN_SECONDS
    while not os.path.exists(address):
        assert started.poll() is None, "the process that loads the program ended"
        assert time.monotonic() < deadline, "the program was not loaded in time"
        time.sleep(0.02)
    return address


def _load(packages: Sequence[str]) -> None:
    """All that commands load, and all of these, but for what needs LanceDB: its threads outlive no fork."""
    os.environ["TEXTUAL_FPS"] = "120"  # as ``screens.start`` says before the interface is loaded
    sys.modules["lancedb"] = None  # type: ignore[assignment]  # whoever imports it is not loaded
    for name in LIBRARIES:
        importlib.import_module(name)
    for package in map(importlib.import_module, ("workbench", "indexing", *packages)):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not found.name.endswith("__main__"):
                with contextlib.suppress(ModuleNotFoundError):
                    importlib.import_module(found.name)
    del sys.modules["lancedb"]
    gc.collect()
    gc.freeze()


def _wait_for_request(listener: socket.socket) -> Request | None:
    """In each new process what it is to do; None in the first, when whoever started it is gone."""
    ended, ends = socket.socketpair()
    for end in (ended, ends):
        end.setblocking(False)
    signal.set_wakeup_fd(ends.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([listener, ended, sys.stdin], [], [])
        if sys.stdin in ready:
            for process in running:
                os.kill(process, signal.SIGKILL)
            return None
        if ended in ready:
            ended.recv(4096)
            _answer(running)
        if listener in ready:
            call, _ = listener.accept()
            if child := os.fork():
                running[child] = call
                _tell(call, child)
            else:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                return _accept(call)


def _answer(running: dict[int, socket.socket]) -> None:
    """Tell whoever waits for a process that has ended how it ended."""
    for process, call in list(running.items()):
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            with running.pop(process):
                _tell(call, os.waitstatus_to_exitcode(status))


def _tell(call: socket.socket, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):
        call.sendall(str(number).rjust(_FIELD).encode())


def _accept(call: socket.socket) -> Request:
    """Read what is asked; the streams of whoever asks are those of this process."""
    _, streams, _, _ = socket.recv_fds(call, 1, 3)
    sent = b"".join(iter(functools.partial(call.recv, 1 << 16), b""))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    request = Request(*marshal.loads(sent))
    if request.on_terminal:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    return request


def _become(request: Request) -> None:
    """Do what is asked, in the folder and environment that it names."""
    import workbench.cli

    os.chdir(request.folder)
    os.environb.clear()
    os.environb.update(request.environment)
    time.tzset()
    sys.argv = ["workbench", *map(os.fsdecode, request.arguments)]
    if os.environ.get("PYTHONUNBUFFERED"):
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    try:
        if request.module == "workbench":
            # As of a console script: click asks this module for the name of the program.
            sys.modules["__main__"] = types.ModuleType("__main__")
            workbench.cli.main()
        elif request.module == "-c":
            exec(sys.argv.pop(1), {"__name__": "__main__"})
        else:
            runpy.run_module(request.module, run_name="__main__", alter_sys=True)
        sys.exit()
    except SystemExit as leave:
        if not isinstance(leave.code, int | None):
            raise
        # As multiprocessing ends its processes: to take all modules apart takes longer than most commands.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(leave.code or 0)


def _main(address: str, packages: Sequence[str]) -> None:
    _load(packages)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{address}.new")
        listener.listen(64)
        os.rename(f"{address}.new", address)
        request = _wait_for_request(listener)
    if request is None:
        shutil.rmtree(Path(address).parent)
    else:
        _become(request)


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2:])
