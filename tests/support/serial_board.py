"""An emulated board behind a pseudo-terminal, for tests: each program that is loaded talks through the same port."""

import os
import select
import shlex
import socket
import threading
import tty
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.boards import board_or_skip

CHUNK = 4096


@dataclass(frozen=True)
class SerialPort:
    """A pseudo-terminal, and the command of `--load` that starts a board at its other end."""

    device: str
    load: str


@contextmanager
def emulated_board_at_a_port(name: str, folder: Path) -> Generator[SerialPort]:
    """Open a pseudo-terminal; QEMU reaches it by a socket, so that one QEMU can follow another."""
    board = board_or_skip(name)
    host, end = os.openpty()
    tty.setraw(end)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "line"))
        server.listen()
        relay = threading.Thread(target=_relay, args=(server, host), daemon=True)
        relay.start()
        words = [*board.emulator, "-display", "none", "-monitor", "none", "-serial", f"unix:{folder / 'line'}"]
        command = f"{shlex.join(words)} -kernel firmware.elf >/dev/null 2>&1 &"
        try:
            yield SerialPort(os.ttyname(end), command)
        finally:
            server.shutdown(socket.SHUT_RDWR)
            relay.join(5)
    os.close(host)
    os.close(end)


def _relay(server: socket.socket, host: int) -> None:
    """Hand bytes from the pseudo-terminal to the board that connected last, and back."""
    board: socket.socket | None = None
    while True:
        ends = [server, host] if board is None else [server, host, board]
        ready, _, _ = select.select(ends, [], [])
        if server in ready:
            try:
                board, _ = server.accept()
            except OSError:
                return
        elif board is not None and board in ready:
            data = board.recv(CHUNK)
            os.write(host, data)
            board = board if data else None
        elif host in ready:
            data = os.read(host, CHUNK)
            if board is not None:
                board.sendall(data)
