"""The host's end of a serial line to a board that runs a network, by the frames of `runtime_c/include/s2s_serial.h`."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from s2s.errors import InputError, ToolchainError
from s2s.support.extras import optional_module

VERSION = 1
CHUNK = 512
"""Bytes of a tensor in one frame, at most."""
KEY = 8
"""Bytes of the key of a model."""
BAUD = 115200
ANSWER, RUN_ANSWER = 1.0, 60.0
"""Seconds to wait for a reply: to a request, and to a run of the network."""
TRIALS = 4
"""How often a request is sent before the board counts as silent."""
HELLO, WRITE, RUN, READ, RESET, TRACE = range(1, 7)
_REPLY = 0x80
_HELLO = struct.Struct(f"<BBBI{KEY}s")
_TABLE, _ROW = struct.Struct("<III"), struct.Struct("<QII")
_MAX_ROWS = 1 << 16
"""Rows that a request can name."""
_UNKNOWN = 1
_ERRORS: Mapping[int, str] = {
    _UNKNOWN: "the request is none that it knows",
    2: "there is no such tensor, or no such bytes",
}


class Greeting(NamedTuple):
    """What a board says of itself and of its network."""

    name: str
    key: bytes
    """The first bytes of the SHA-256 of the model's file."""
    inputs: Sequence[int]
    """Sizes in bytes."""
    outputs: Sequence[int]
    ticks_per_second: int
    """0: the board has no clock."""


class KernelTime(NamedTuple):
    """All runs of one kernel call in a run of the network."""

    kernel: str
    ticks: int
    line: int
    """Of the call, in the file with the run function."""
    runs: int
    """How often it ran."""


class KernelTimes(NamedTuple):
    """The times that a board took of its kernels in the last run."""

    rows: Sequence[KernelTime]
    """In the order of their first runs."""
    lost: int
    """Runs of calls for which the board had no row."""
    ticks_per_second: int
    """0: the board does not know the frequency of the clock."""


class SerialLink:
    """An open line. Frames that are damaged or lost are sent again."""

    def __init__(self, port: str, baud: int = BAUD) -> None:
        """Open `port`: a device such as /dev/ttyACM0 or COM3, or an address of pyserial (`socket://host:port`)."""
        serial, self._cobs = _library("serial"), _library("cobs.cobs")
        try:
            self._line: Any = serial.serial_for_url(port, baudrate=baud, timeout=ANSWER, write_timeout=RUN_ANSWER)
        except (serial.SerialException, ValueError, OSError) as error:
            raise InputError(
                f"--on serial:{port}: cannot be opened ({_first_line(error)}); name another port"
            ) from error
        self._failure: type[Exception] = serial.SerialException
        self._port, self._number = port, 0

    def hello(self) -> Greeting:
        """Ask the board what it runs."""
        data = self._ask(HELLO)
        if len(data) < _HELLO.size or data[0] != VERSION:
            raise self._stranger()
        _, inputs, outputs, ticks, key = _HELLO.unpack_from(data)
        end = _HELLO.size + 4 * (inputs + outputs)
        if len(data) < end:
            raise self._stranger()
        sizes = struct.unpack(f"<{inputs + outputs}I", data[_HELLO.size : end])
        name = data[end:].decode("ascii", "replace")
        return Greeting(name, key, sizes[:inputs], sizes[inputs:], ticks)

    def write(self, number: int, data: bytes) -> None:
        """Set an input."""
        for offset in range(0, len(data), CHUNK):
            self._ask(WRITE, struct.pack("<BI", number, offset) + data[offset : offset + CHUNK])

    def run(self) -> tuple[int, int]:
        """Run the network; return its status, and the ticks of the board's clock that it took."""
        status, ticks = self._numbers("<iQ", self._ask(RUN, seconds=RUN_ANSWER))
        return status, ticks

    def reset(self) -> int:
        """Set the state of the network to its initial values; return the status."""
        [status] = self._numbers("<i", self._ask(RESET))
        return status

    def read(self, number: int, size: int) -> bytes:
        """Return the bytes of an output."""
        parts = (
            self._ask(READ, struct.pack("<BIH", number, offset, min(CHUNK, size - offset)))
            for offset in range(0, size, CHUNK)
        )
        data = b"".join(parts)
        if len(data) != size:
            raise self._stranger()
        return data

    def trace(self) -> KernelTimes | None:
        """Return the times of the kernels in the last run; None if the program on the board takes none."""
        data = self._ask(TRACE, bytes(2), unknown=b"")
        if not data:
            return None
        used, lost, ticks_per_second = _TABLE.unpack_from(self._long(data, _TABLE.size))
        if used > _MAX_ROWS:
            raise self._stranger()
        rows: list[KernelTime] = []
        while len(rows) < used:
            row = self._long(self._ask(TRACE, struct.pack("<H", len(rows))), _TABLE.size + _ROW.size)[_TABLE.size :]
            rows.append(KernelTime(row[_ROW.size :].decode("ascii", "replace"), *_ROW.unpack_from(row)))
        return KernelTimes(rows, lost, ticks_per_second)

    def close(self) -> None:
        """Close the line."""
        self._line.close()

    def _long(self, data: bytes, size: int) -> bytes:
        """Return a reply, which has at least `size` bytes."""
        if len(data) < size:
            raise self._stranger()
        return data

    def _numbers(self, form: str, data: bytes) -> tuple[int, ...]:
        """Return the numbers that a reply holds."""
        if len(data) != struct.calcsize(form):
            raise self._stranger()
        return struct.unpack(form, data)

    def _stranger(self) -> ToolchainError:
        return ToolchainError(
            f"serial:{self._port}: the board does not speak version {VERSION} of the protocol; build its program with"
            " the runtime of this s2s"
        )

    def _ask(self, kind: int, body: bytes = b"", seconds: float | None = None, unknown: bytes | None = None) -> bytes:
        """Send a request until its reply comes; return what the reply holds.

        A board that does not know the request is an error, or gives `unknown`.
        """
        self._number = (self._number + 1) % 256
        request = bytes([kind, self._number]) + body
        frame = self._cobs.encode(request + zlib.crc32(request).to_bytes(4, "little")) + b"\0"
        self._line.timeout = ANSWER if seconds is None else seconds
        try:
            for _ in range(TRIALS):
                self._line.write(frame)
                reply = self._reply(kind, self._number, unknown)
                if reply is not None:
                    return reply
        except self._failure as error:
            raise ToolchainError(f"serial:{self._port}: the line broke ({_first_line(error)}); plug it in") from error
        raise ToolchainError(
            f"serial:{self._port}: the board is silent; is the program of `s2s new` on it, at this baud rate?"
        )

    def _reply(self, kind: int, number: int, unknown: bytes | None) -> bytes | None:
        """Return the reply to a request, without replies that come late; None if there is none in time."""
        while True:
            frame = self._line.read_until(b"\0")
            if not frame.endswith(b"\0"):
                return None
            reply = self._decoded(frame[:-1])
            if reply is None or reply[:2] != bytes([kind | _REPLY, number]):
                continue
            if reply[2] == _UNKNOWN and unknown is not None:
                return unknown
            if reply[2] != 0:
                reason = _ERRORS.get(reply[2], f"error {reply[2]}")
                raise ToolchainError(
                    f"serial:{self._port}: the board refuses request {kind} ({reason}); build its program again"
                )
            return reply[3:]

    def _decoded(self, frame: bytes) -> bytes | None:
        """Return what a frame holds, without its CRC; None if it is damaged."""
        try:
            data: bytes = self._cobs.decode(frame)
        except self._cobs.DecodeError:
            return None
        body, crc = data[:-4], data[-4:]
        return body if len(body) >= 3 and zlib.crc32(body).to_bytes(4, "little") == crc else None


def _library(name: str) -> Any:
    return optional_module(name, "serial", "--on serial")


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
