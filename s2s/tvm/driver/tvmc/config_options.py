"""Arguments of the driver in a file: `s2s tvmc compile net.onnx --config board.json`.

{"targets": [{"kind": "c", "mcpu": "cortex-m55"}], "executor": {"kind": "aot", "unpacked-api": "1"}, "opt-level": 3}
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from s2s.tvm.driver.tvmc.errors import TVMCException

CONFIGS_JSON_DIR: str | None = None
"""The folder of configurations where a program sets one."""


class ConfigsJsonNotFoundError(TVMCException):
    """There is no folder of configurations."""


def get_configs_json_dir() -> str:
    """Return the folder in which configurations are found by name: `$TVM_CONFIGS_JSON_DIR`, or where we are."""
    if CONFIGS_JSON_DIR is not None:
        return CONFIGS_JSON_DIR
    named = os.environ.get("TVM_CONFIGS_JSON_DIR", "")
    return named if named and Path(named).is_dir() else os.getcwd()


def find_json_file(name: str, path: str | Path) -> str:
    """Return the path of a file of a name in a folder or its folders; an empty text where there is none."""
    return next((str(each) for each in sorted(Path(path).rglob(name))), "")


def read_and_convert_json_into_dict(config_args: Any) -> dict[str, Any]:
    """Return what the file `config_args.config` says: a path, or a name in the folder of configurations."""
    name = str(config_args.config).strip()
    name = name if name.endswith(".json") else f"{name}.json"
    path = name if Path(name).is_file() else find_json_file(name, get_configs_json_dir())
    try:
        text = Path(path or name).read_text(encoding="utf-8")
        said = json.loads(text)
    except (OSError, ValueError) as error:
        raise TVMCException(f"--config {name}: cannot be read ({error}); give a file of JSON") from error
    if not isinstance(said, dict):
        raise TVMCException(f"--config {name}: is no object of JSON; give arguments by name")
    return cast("dict[str, Any]", said)


def convert_config_json_to_cli(json_params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the arguments that a configuration stands for, each as one name of `argparse` and its value."""
    listed: list[dict[str, Any]] = []
    for key, value in json_params.items():
        name = key.replace("-", "_")
        if key == "targets":
            listed += _targets(value)
        elif key in ("executor", "runtime"):
            kind = value["kind"]
            listed.append({name: kind})
            listed += [
                {f"{key}_{kind}_{option}".replace("-", "_"): each} for option, each in value.items() if option != "kind"
            ]
        elif isinstance(value, Mapping):
            pairs = cast("Mapping[str, Any]", value)
            listed.append({name: [f"{option}={each}" for option, each in pairs.items()]})
        else:
            listed.append({name: value})
    return listed


def _targets(targets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The attributes of targets, then the targets."""
    options = [
        {f"target_{target['kind']}_{name}": value}
        for target in targets
        for name, value in target.items()
        if name != "kind"
    ]
    return [*options, {"target": ", ".join(str(target["kind"]) for target in targets)}]


def words_of(json_params: Mapping[str, Any]) -> list[str]:
    """Return the words of a command line that say the same as a configuration."""
    pairs = [pair for each in convert_config_json_to_cli(json_params) for pair in each.items()]
    return [
        f"--{name.replace('_', '-')}={each}"
        for name, value in pairs
        for each in (cast("list[Any]", value) if isinstance(value, list) else [value])
    ]


__all__ = [
    "CONFIGS_JSON_DIR",
    "ConfigsJsonNotFoundError",
    "convert_config_json_to_cli",
    "find_json_file",
    "get_configs_json_dir",
    "read_and_convert_json_into_dict",
    "words_of",
]
