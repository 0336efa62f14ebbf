"""What a session runs a network on: this process, an emulated board, or a board at a serial port."""

import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO

from s2s.emit.files import Tree
from s2s.errors import InputError, ToolchainError
from s2s.projects import ProjectBoard
from s2s.verify.board_network import BoardNetwork
from s2s.verify.build import LoadedNetwork, load
from s2s.verify.serial_link import KEY, SerialLink
from s2s.verify.toolchain import find_program

LINES = 10
"""The lines in which QEMU names the pseudo-terminal of its serial port."""


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


def emulated_port(emulator: Sequence[str], program: Path, stack: ExitStack) -> str:
    """The serial port of an emulator that runs a program until the stack is closed."""
    if not program.is_file():
        raise InputError(f"{program}: there is no such program; call project.build() first")
    words = [find_program(emulator[0]), *emulator[1:], "-display", "none", "-monitor", "none", "-serial", "pty"]
    command = [*words, "-kernel", str(program)]
    board = stack.enter_context(
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    )
    stack.callback(board.kill)
    assert board.stdout is not None
    return _named_port(emulator[0], board.stdout)


def _named_port(emulator: str, output: IO[str]) -> str:
    read: list[str] = []
    for line, _ in zip(output, range(LINES), strict=False):
        read.append(line.strip())
        for word in line.split():
            if word.startswith("/dev/"):
                return word
    raise ToolchainError(f"{emulator}: names no serial port ({'; '.join(read)[:200]}); run it by hand to see more")
