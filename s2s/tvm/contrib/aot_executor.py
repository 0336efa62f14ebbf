"""A network with a run function, under the names of TVM's AOT executor.

module = AotModule(library["default"](s2s.cpu()))
module.set_input("image", image)
module.run()
scores = module.get_output(0)
"""

import numpy as np
import numpy.typing as npt

from s2s.errors import InputError
from s2s.executor.ndarray import NDArray
from s2s.tvm.micro.board_network import BoardNetwork
from s2s.types.dtypes import Array
from s2s.verify.build import LoadedNetwork

__all__ = ["AotModule"]


class AotModule:
    """A network compiled for executor `aot`. Parameters are linked into it and are no inputs."""

    def __init__(self, module: LoadedNetwork | BoardNetwork) -> None:
        if not isinstance(module, LoadedNetwork | BoardNetwork) or module.executor != "aot":  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"{module.name}: compiled for executor graph; use s2s.tvm.contrib.graph_executor")
        self.module = module
        self._values: dict[str, Array] = {}
        self._results: dict[str, Array] = {}

    def set_input(
        self, key: str | int | None = None, value: npt.ArrayLike | None = None, **params: npt.ArrayLike
    ) -> None:
        """Copy a value into an input given by name or number, and values into inputs given by keyword; other keywords
        are skipped."""
        if key is not None:
            if value is None:
                raise InputError(f"input {key!r}: no value given; call set_input(key, value)")
            self._values[self.get_input_name(self._input(key))] = np.array(value)
        for name, array in params.items():
            if name in self.module.input_names:
                self._values[name] = np.array(array)

    def run(self, **input_dict: npt.ArrayLike) -> None:
        """Run the network, after setting the inputs given by keyword."""
        self.set_input(None, None, **input_dict)
        self._results = self.module.run(self._values)

    def get_output(self, index: str | int, out: Array | None = None) -> NDArray:
        """A copy of an output of the last run; into `out` if given."""
        names = self.module.output_names
        name = index if isinstance(index, str) else names[index] if 0 <= index < len(names) else None
        if name not in names:
            raise InputError(f"output {index!r}: does not exist; the network has {', '.join(names)}")
        if name not in self._results:
            raise InputError(f"output {index!r}: has no value yet; run the network first")
        if out is None:
            return self._results[name].copy().view(NDArray)
        np.copyto(out, self._results[name], casting="no")
        return out.view(NDArray)

    def get_input(self, index: str | int, out: Array | None = None) -> NDArray:
        """The value of an input, in place; into `out` if given.

        An input that has no value yet is given zeros, so that `get_input(name).copyfrom(value)` sets it.
        """
        name = self.get_input_name(self._input(index))
        if name not in self._values:
            shapes, dtypes = self.get_input_info()
            self._values[name] = np.zeros(shapes[name], dtypes[name])
        if out is None:
            return self._values[name].view(NDArray)
        np.copyto(out, self._values[name], casting="no")
        return out.view(NDArray)

    def get_num_inputs(self) -> int:
        """How many inputs there are."""
        return len(self.module.input_names)

    def get_num_outputs(self) -> int:
        """How many outputs there are."""
        return len(self.module.output_names)

    def get_input_index(self, name: str) -> int:
        """The number of an input, -1 if there is none of that name."""
        names = self.module.input_names
        return names.index(name) if name in names else -1

    def get_input_name(self, index: int) -> str:
        """The name of an input."""
        return self.module.input_names[index]

    def get_input_info(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
        """Shapes and element types of the inputs by name."""
        ports = self.module.inputs
        return {port.name: port.shape for port in ports}, {port.name: port.dtype.name for port in ports}

    def get_output_info(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
        """Shapes and element types of the outputs by name."""
        ports = self.module.outputs
        return {port.name: port.shape for port in ports}, {port.name: port.dtype.name for port in ports}

    def _input(self, key: str | int) -> int:
        index = self.get_input_index(key) if isinstance(key, str) else key
        if not 0 <= index < self.get_num_inputs():
            raise InputError(f"input {key!r}: does not exist; the network has {', '.join(self.module.input_names)}")
        return index
