"""`s2s verify --on serial:PORT`: run a network on a board at the other end of a serial line, and compare."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2s.c_syntax.interface import Interface, Port
from s2s.compilation import Compilation
from s2s.emit.call_comments import PlacedCall
from s2s.emit.info import NetworkInfo
from s2s.errors import InputError, ToolchainError
from s2s.support import progress
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, to_numpy
from s2s.types.interface import InputSizes
from s2s.types.sizes import shape_at, with_derived, with_room
from s2s.verify.board_check import CompareLevels
from s2s.verify.expected import Expected
from s2s.verify.kernel_times import TimedCall, timed_calls
from s2s.verify.serial_link import BAUD, KEY, Greeting, KernelTimes, SerialLink
from s2s.verify.sizes import sizes_of_inputs
from s2s.verify.verification import Judge, Verification

PREFIX = "serial:"
_SIZE = np.dtype("<i4")
"""A size in the structure on the board."""


@frozen
class SerialVerification:
    """The result of a network on a board, and how long each run took there by the board's clock."""

    board: str
    """The port, and the name of the network that runs there."""
    verification: Verification
    ticks: tuple[int, ...]
    ticks_per_second: int
    layers: tuple[TimedCall, ...] = ()
    """The kernels of the slowest run; empty if the program on the board does not time them."""
    layer_ticks_per_second: int = 0
    """The frequency of the clock that times kernels; 0 if the board does not know it."""

    @property
    def passed(self) -> bool:
        """Whether all outputs agree within the tolerance."""
        return self.verification.passed

    def figures(self) -> dict[str, Any]:
        """What was measured."""
        if not self.ticks_per_second:
            return {"board": self.board}
        longest = max(self.ticks)
        return {
            "board": self.board,
            "ticks": longest,
            "ticks_per_second": self.ticks_per_second,
            "milliseconds": round(1000 * longest / self.ticks_per_second, 3),
        }

    def as_dict(self) -> dict[str, Any]:
        """The result and the figures for JSON."""
        layers = {
            "layers": [layer.as_dict() for layer in self.layers],
            "layer_ticks_per_second": self.layer_ticks_per_second,
        }
        return {**self.verification.as_dict(), **self.figures(), **(layers if self.layers else {})}


def parse_port(on: str) -> tuple[str, int]:
    """Return the port and the baud rate of `serial:/dev/ttyACM0` or `serial:/dev/ttyACM0@921600`."""
    port, at, baud = on.removeprefix(PREFIX).rpartition("@")
    if not at:
        port, baud = baud, str(BAUD)
    if not port or not baud.isdecimal():
        raise InputError(f"--on {on}: names no port; write serial:/dev/ttyACM0, or serial:/dev/ttyACM0@{BAUD}")
    return port, int(baud)


def verify_over_serial(
    compilation: Compilation,
    expected: Expected,
    judge: Judge,
    *,
    on: str,
    calls: Sequence[PlacedCall] = (),
    levels: CompareLevels | None = None,
) -> SerialVerification:
    """Run the vectors of `expected` on the board at the port `on`, and compare the outputs.

    A program with hooks around its kernels tells the time of each of `calls`, the kernel calls of the C.
    """
    link = SerialLink(*parse_port(on))
    try:
        greeting = link.hello()
        network = compilation.info
        _check(on, greeting, network)
        progress.step("running on the board")
        runs: list[tuple[list[Array], int]] = []
        times: list[KernelTimes | None] = []
        for inputs, _ in expected.vectors:
            if not (runs and expected.consecutive):
                _successful("reset", link.reset())
            runs.append(run_vector(link, network, inputs))
            times.append(link.trace())
    finally:
        link.close()
    outputs = [arrays for arrays, _ in runs]
    result = judge.judge(expected, outputs)
    if levels is not None:
        result = replace(result, levels=levels(expected, outputs[0]))
    ticks = tuple(ticks for _, ticks in runs)
    board = SerialVerification(f"{greeting.name} at {on}", result, ticks, greeting.ticks_per_second)
    slowest = times[ticks.index(max(ticks))]
    if slowest is None:
        return board
    layers = tuple(timed_calls(slowest, calls, compilation.costs, on=on))
    return replace(board, layers=layers, layer_ticks_per_second=slowest.ticks_per_second)


def _check(on: str, greeting: Greeting, network: NetworkInfo) -> None:
    """Refuse a board that runs another network."""
    if greeting.key != bytes.fromhex(network.sha256)[:KEY]:
        raise InputError(
            f"--on {on}: the board runs {greeting.name}, made from another model than {network.source}; flash the"
            " program of this one"
        )
    sizes = [_SIZE.itemsize * len(network.sizes)] if network.sizes else []
    wanted = [port.size for port in network.inputs] + sizes, [port.size for port in network.outputs] + sizes
    if wanted != (list(greeting.inputs), list(greeting.outputs)):
        raise InputError(f"--on {on}: the network on the board has tensors of other sizes; build it with these options")


def run_vector(link: SerialLink, network: NetworkInfo | Interface, inputs: Sequence[Array]) -> tuple[list[Array], int]:
    """Run the network on the board on one set of inputs; return the outputs and the ticks.

    The structure with the sizes of a run, where these vary, is one more input and one more output behind the others.
    """
    for number, (port, array) in enumerate(zip(network.inputs, inputs, strict=True)):
        link.write(number, with_room(array, port.shape).tobytes())
    if network.sizes:
        of_inputs = sizes_of_inputs(network.inputs, inputs, InputSizes(network.sizes, network.derived_sizes))
        link.write(len(inputs), np.array([of_inputs.get(name, 0) for name in network.sizes], _SIZE).tobytes())
    status, ticks = link.run()
    _successful("run", status)
    outputs = [_array(port, link.read(number, port.size)) for number, port in enumerate(network.outputs)]
    if not network.sizes:
        return outputs, ticks
    dims = np.frombuffer(link.read(len(outputs), _SIZE.itemsize * len(network.sizes)), _SIZE)
    sizes = with_derived(dict(zip(network.sizes, dims.tolist(), strict=True)), network.derived_sizes)
    shapes = [shape_at(port.shape, port.varies, sizes) for port in network.outputs]
    return [array[tuple(map(slice, shape))] for array, shape in zip(outputs, shapes, strict=True)], ticks


def _successful(function: str, status: int) -> None:
    if status != 0:
        raise ToolchainError(
            f"{function} of the network: status {status} on the board; s2s_status in s2s.h says what it means"
        )


def _array(port: Port, data: bytes) -> Array:
    return np.frombuffer(data, to_numpy(port.element)).reshape(port.shape)
