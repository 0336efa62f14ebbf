"""Call a function of the user's that returns samples: `--data data.py:samples`."""

import importlib.util
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from s2s.data.specs import Content, InputSpec, Labels
from s2s.errors import InputError
from s2s.types.dtypes import Array

_WAY_OUT = "return arrays by input name, or samples one by one: an array, {input: array}, or (sample, class)"


def called(path: Path, name: str, inputs: Sequence[InputSpec], labels: Labels | None) -> Content:
    """Run the file, call its function, and return the samples: arrays by name, or an iterable of samples, each an array
    of the only input, a mapping of arrays, or a pair of such a sample and its class."""
    place = f"{path}:{name}"
    try:
        returned = function_of(path, name)()
        if isinstance(returned, Mapping):
            return _by_name(cast("Mapping[str, Any]", returned), labels, place)
        if isinstance(returned, Iterable):
            return _one_by_one(list(cast("Iterable[Any]", returned)), inputs, place)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{place}: fails with {type(error).__name__} ({error}); make it run by itself") from error
    raise InputError(f"{place}: returns {type(returned).__name__}; {_WAY_OUT}")


def function_of(path: Path, name: str) -> Any:
    """Run a Python file, and return its function; beside it, the file may import what lies in its folder."""
    spec = importlib.util.spec_from_file_location(f"s2s_data_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"{path}: is no Python file; give FILE.py:FUNCTION")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.absolute().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"{path}: fails with {type(error).__name__} ({error}); make it run by itself") from error
    finally:
        sys.path.pop(0)
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(f"{path}: has no function {name!r}; give FILE.py:FUNCTION")
    return function


def _by_name(returned: Mapping[str, Any], labels: Labels | None, place: str) -> Content:
    numbers = None if labels is None else labels.of(returned, place)
    arrays = {name: np.asarray(value) for name, value in returned.items() if labels is None or name != labels.name}
    return Content(arrays, None if numbers is None else np.asarray(numbers))


def _one_by_one(items: list[Any], inputs: Sequence[InputSpec], place: str) -> Content:
    tuples = [cast("tuple[Any, ...]", item) for item in items if isinstance(item, tuple)]
    pairs = [item for item in tuples if len(item) == 2]
    if pairs and len(pairs) < len(items):
        raise InputError(f"{place}: {len(pairs)} of {len(items)} samples have a class; give one for each, or for none")
    samples = [item[0] for item in pairs] or items
    return Content(
        {spec.name: _stacked([_part(sample, spec, inputs, place) for sample in samples], place) for spec in inputs},
        np.array([item[1] for item in pairs]) if pairs else None,
    )


def _part(sample: Any, spec: InputSpec, inputs: Sequence[InputSpec], place: str) -> Array:
    if isinstance(sample, Mapping) and spec.name in sample:
        return np.asarray(cast("Mapping[str, Any]", sample)[spec.name])
    if isinstance(sample, Mapping | tuple) or len(inputs) != 1:
        raise InputError(f"{place}: a sample holds no {spec.name!r}; {_WAY_OUT}")
    return np.asarray(sample)


def _stacked(arrays: list[Array], place: str) -> Array:
    shapes = sorted({array.shape for array in arrays})
    if len(shapes) > 1:
        raise InputError(f"{place}: returns samples of shapes {list(shapes[0])} and {list(shapes[-1])}; give one shape")
    return np.stack(arrays) if arrays else np.empty(0)
