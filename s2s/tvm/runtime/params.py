"""Parameters as bytes and files, as TVM's functions give and take them."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from s2s.executor import params as files
from s2s.executor.ndarray import NDArray
from s2s.support.files import write_file


def save_param_dict(params: Mapping[str, npt.ArrayLike]) -> bytearray:
    """The bytes of a params file of arrays by name."""
    return bytearray(files.save_param_dict({name: np.asarray(value) for name, value in params.items()}))


def load_param_dict(param_bytes: bytes | bytearray) -> dict[str, NDArray]:
    """The arrays of a params file by name; InputError where it is none."""
    return {name: array.view(NDArray) for name, array in files.load_param_dict(bytes(param_bytes)).items()}


def save_param_dict_to_file(params: Mapping[str, npt.ArrayLike], path: str | Path) -> None:
    """Write a params file of arrays by name."""
    write_file(path, bytes(save_param_dict(params)))


def load_param_dict_from_file(path: str | Path) -> dict[str, NDArray]:
    """The arrays of a params file by name; InputError where it is none."""
    return load_param_dict(Path(path).read_bytes())
