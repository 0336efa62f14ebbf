"""What a session runs a network on: this process, an emulated board, or a board at a serial port."""

import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from typing import IO

from s2s.emit.files import Tree
from s2s.errors import InputError, ToolchainError
from s2s.projects import ProjectBoard
from s2s.verify.board_network import BoardNetwork
from s2s.verify.build import LoadedNetwork, load
from s2s.verify.serial_link import KEY, SerialLink
from s2s.verify.toolchain import find_program

SECONDS = 30.0
"""The time in which QEMU names the pseudo-terminal of its serial port."""
SHOWN = 200
"""The letters of its output that an error shows."""


class ProjectTransport:
    """A context manager that gives the network: built and loaded here, or started on a board."""

    def __init__(self, tree: Tree, board: ProjectBoard | None, firmware: Path, port: str | None) -> None:
        self._tree, self._board, self._firmware, self._port = tree, board, firmware, port
        self._open = ExitStack()

    def __enter__(self) -> LoadedNetwork | BoardNetwork:
        with ExitStack() as stack:
            network = self._started(stack)
            self._open = stack.pop_all()
        return network

    def __exit__(
        self, ptype: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def _started(self, stack: ExitStack) -> LoadedNetwork | BoardNetwork:
        if self._board is None:
            return stack.enter_context(load(self._tree))
        port = self._port
        if self._board.emulated is not None:
            port = emulated_port(self._board.emulated.emulator, self._firmware / "firmware.elf", stack)
        if port is None:
            raise InputError(f"micro.Session: {self._board.name}: its serial port is not known; give the option port")
        link = SerialLink(port)
        stack.callback(link.close)
        network = self._tree.network()
        if link.hello().key != bytes.fromhex(self._tree.record["source"]["sha256"])[:KEY]:
            raise InputError(f"micro.Session: {port}: the board runs another network; call project.flash() first")
        return BoardNetwork(link, network)


def emulated_port(emulator: Sequence[str], program: Path, stack: ExitStack, seconds: float = SECONDS) -> str:
    """The serial port of an emulator that runs a program until the stack is closed, and names it within `seconds`."""
    if not program.is_file():
        raise InputError(f"{program}: there is no such program; call project.build() first")
    words = [find_program(emulator[0]), *emulator[1:], "-display", "none", "-monitor", "none", "-serial", "pty"]
    command = [*words, "-kernel", str(program)]
    board = stack.enter_context(
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    )
    stack.callback(board.kill)
    assert board.stdout is not None
    lines = Queue[str | None]()
    Thread(target=_pass_on, args=(board.stdout, lines), daemon=True).start()
    return _named_port(emulator[0], lines, seconds)


def _pass_on(output: IO[str], lines: Queue[str | None]) -> None:
    """Pass the lines of an emulator on, and None at its end; whatever is not asked for does not fill its pipe."""
    for line in output:
        lines.put(line)
    lines.put(None)


def _named_port(emulator: str, lines: Queue[str | None], seconds: float) -> str:
    """The serial port that the lines of an emulator name, before they end or the time does."""
    read: list[str] = []
    end = time.monotonic() + seconds
    fact = f"names no serial port within {seconds:g} seconds"
    with suppress(Empty):
        while (line := lines.get(timeout=max(end - time.monotonic(), 0))) is not None:
            read.append(line.strip())
            for word in line.split():
                if word.startswith("/dev/"):
                    return word
        fact = "ends, and has named no serial port"
    said = f"it says {' / '.join(read)[:SHOWN]!r}" if read else "it says nothing"
    raise ToolchainError(f"{emulator}: {fact}; {said}; run it by hand to see more")
