"""The project file `s2s.toml`: a model and its options, for commands that are given no MODEL.

    model = "kws.onnx"
    output = "kws"
    target = "cortex-m4"
    ram-budget = 16000
    shape = ["input=1,49,10,1"]
    pool = ["itcm=64KiB:code"]

    [place]
    conv_1x1 = "itcm"

Keys are the long names of the options of `s2s compile`; tables `[devices.NAME]` and `[place]` may stand in it. Options
of the command line go before those of the file.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from s2s.cli.options import keys
from s2s.errors import InputError
from s2s.types.devices import TABLE as DEVICES

MAX_BYTES = 1 << 20
PLACE = "place"
"""The table with the pool of the code of each kernel, by its name."""
MODEL, MODELS = "model", "models"
"""The parameters that name one network, or several with --together."""
OF_COMPILE = ("output", "write-decisions", "format")
"""Keys that only `s2s compile` takes: other commands write other things."""


def states_model(given: Mapping[str, object]) -> bool:
    """Return whether the parameters of a parsed command line name a network."""
    model, models = given.get(MODEL), given.get(MODELS)
    return isinstance(model, str) or (isinstance(models, tuple) and bool(cast(tuple[object, ...], models)))


def defaults_for(command: str | None, file: Path) -> dict[str, Any]:
    """Return the values that the project file gives to a command, by the names of its parameters."""
    values = read_project(file)
    others = {key: value for key, value in values.items() if key.replace("_", "-") not in OF_COMPILE}
    others[MODELS] = values[MODELS] = [values[MODEL]] if MODEL in values else []
    return values if command == "compile" else others


def read_project(file: Path) -> dict[str, Any]:
    """Read a project file; return the values by parameter names, as texts of a command line."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InputError(f"{file}: is larger than {MAX_BYTES} bytes; a project file states a model and its options")
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}); give a MODEL") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: is no TOML ({error}); mend the file, or give a MODEL") from error
    if isinstance(found.get(DEVICES), dict):
        found[DEVICES] = str(file)
    if isinstance(place := found.get(PLACE), dict):
        found[PLACE] = [f"{kernel}={pool}" for kernel, pool in cast(dict[str, object], place).items()]
    return {_parameter(file, key): _text(file, key, value) for key, value in found.items()}


def _parameter(file: Path, key: str) -> str:
    known = [MODEL, *OF_COMPILE, *keys()]
    if key not in known:
        from difflib import get_close_matches  # only where a key is misspelt

        near = get_close_matches(key, known, n=1)
        hint = f"did you mean {near[0]}" if near else f"the options are {', '.join(known)}"
        raise InputError(f"{file}: {key}: there is no such option; {hint}")
    return key.replace("-", "_")


def _text(file: Path, key: str, value: object) -> object:
    """Return a value as a command line would state it."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, list) and all(isinstance(each, str) for each in cast(list[object], value)):
        return cast(list[str], value)
    raise InputError(
        f"{file}: {key}: has a value of another type; give a text, a whole number, true or false, or a list of texts"
    )
