"""A network on a board, behind its serial line, with the methods of a network that is loaded into this process."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from s2s.c_syntax.interface import HasInterface, Interface, Port
from s2s.errors import InputError, UnsupportedError
from s2s.types.dtypes import Array
from s2s.types.interface import as_declared
from s2s.verify.over_serial import run_vector
from s2s.verify.serial_link import SerialLink


class BoardNetwork(HasInterface):
    """The network that runs on a board."""

    def __init__(self, link: SerialLink, interface: Interface) -> None:
        if interface.sizes:
            raise UnsupportedError(
                f"{interface.name}: has sizes that vary; run it by `s2s verify --on serial:PORT`, or fix its sizes"
            )
        self._link, self.interface = link, interface

    def run(self, inputs: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """The outputs by name for inputs by name, from one run on the board."""
        arrays = [_checked(port, inputs) for port in self.inputs]
        read, _ = run_vector(self._link, self.interface, arrays)
        return dict(zip(self.output_names, as_declared(self.outputs, self.interface.empty_outputs, read), strict=True))


def _checked(port: Port, inputs: Mapping[str, ArrayLike]) -> Array:
    """The value of an input, which has its type."""
    if port.name not in inputs:
        raise InputError(f"input {port.name!r}: has no value yet; call set_input first")
    array = np.asarray(inputs[port.name])
    if (array.shape, array.dtype) != (port.shape, port.dtype):
        wanted = f"{port.dtype}{list(port.shape)}"
        raise InputError(f"input {port.name!r}: {array.dtype}{list(array.shape)} given, {wanted} wanted; convert it")
    return array
