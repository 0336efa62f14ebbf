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
from s2s.tvm.contrib.raw_module import RawModule
from s2s.types.dtypes import Array
from s2s.verify.board_network import BoardNetwork
from s2s.verify.build import LoadedNetwork

__all__ = ["AotModule"]


FUNCTIONS = (
    "get_input",
    "get_input_index",
    "get_input_info",
    "get_input_name",
    "get_num_inputs",
    "get_num_outputs",
    "get_output",
    "get_output_info",
    "run",
    "set_input",
)
"""What `module["name"]` finds."""


class AotExecutor(RawModule):
    """A network with a run function, loaded or on a board, as a module that `AotModule` takes."""

    type_key = "AotExecutor"
    names = FUNCTIONS

    def __init__(self, network: LoadedNetwork | BoardNetwork) -> None:
        self.network = network
        super().__init__()

    def _face(self) -> "AotModule":
        return AotModule(self)


class AotModule:
    """A network compiled for executor `aot`. Parameters are linked into it and are no inputs."""

    def __init__(self, module: AotExecutor) -> None:
        if not isinstance(module, AotExecutor):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"AotModule: {type(module).__name__} given; give library['default'](device) of a network that was "
                "built for executor aot, and GraphModule one for graph"
            )
        self.module, self._network = module, module.network
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
            if name in self._network.input_names:
                self._values[name] = np.array(array)

    def run(self, **input_dict: npt.ArrayLike) -> None:
        """Run the network, after setting the inputs given by keyword."""
        self.set_input(None, None, **input_dict)
        self._results = self._network.run(self._values)

    def get_output(self, index: str | int, out: Array | None = None) -> NDArray:
        """A copy of an output of the last run; into `out` if given."""
        names = self._network.output_names
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
        return len(self._network.input_names)

    def get_num_outputs(self) -> int:
        """How many outputs there are."""
        return len(self._network.output_names)

    def get_input_index(self, name: str) -> int:
        """The number of an input, -1 if there is none of that name."""
        names = self._network.input_names
        return names.index(name) if name in names else -1

    def get_input_name(self, index: int) -> str:
        """The name of an input."""
        return self._network.input_names[index]

    def get_input_info(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
        """Shapes and element types of the inputs by name."""
        ports = self._network.inputs
        return {port.name: port.shape for port in ports}, {port.name: port.dtype.name for port in ports}

    def get_output_info(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
        """Shapes and element types of the outputs by name."""
        ports = self._network.outputs
        return {port.name: port.shape for port in ports}, {port.name: port.dtype.name for port in ports}

    def _input(self, key: str | int) -> int:
        index = self.get_input_index(key) if isinstance(key, str) else key
        if not 0 <= index < self.get_num_inputs():
            raise InputError(f"input {key!r}: does not exist; the network has {', '.join(self._network.input_names)}")
        return index
