"""The Model Library Format, version 7: the archive that TVM's micro projects are made from."""

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from tarfile import TarFile, TarInfo
from typing import Any

import numpy as np

from s2s.artifact import Artifact
from s2s.c_syntax.interface import Port
from s2s.emit.stream import pieces
from s2s.emit.tvmgen import tvmgen_files
from s2s.errors import InputError
from s2s.executor.device import CPU
from s2s.executor.graph_json import Network, Source, Value
from s2s.executor.params import save_param_dict
from s2s.stages.c import Lowered
from s2s.support.files import write_file
from s2s.support.frozen import frozen
from s2s.tvm.error import RepeatedNameError

VERSION = 7
SOURCES, HEADERS = "codegen/host/src", "codegen/host/include"


def write_archive(path: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` as a tar archive without owners and times, so that equal files give equal archives."""
    packed = BytesIO()
    with TarFile.open(fileobj=packed, mode="w") as archive:
        for name, data in files.items():
            entry = TarInfo(f"./{name}")
            entry.size = len(data)
            archive.addfile(entry, BytesIO(data))
    write_file(path, packed.getvalue())


def export(path: Path, files: Iterable[tuple[str, bytes]]) -> Path:
    """Write an archive of files, each once."""
    if path.suffix != ".tar":
        raise InputError(f"{path}: the Model Library Format is an archive; give a name that ends in .tar")
    write_archive(path, dict(files))
    return path


@frozen
class Exported:
    """A network in an archive."""

    artifact: Artifact
    name: str
    target: str
    """The target as a program named it."""
    text: str
    """The network as it was given to the build, in Relay's syntax."""
    has_interface: bool
    """Whether TVM's C interface was asked for."""


def files_of(networks: Sequence[Exported]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive of networks, which have different names."""
    names = [network.name for network in networks]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise RepeatedNameError(
            f"export_model_library_format: {repeated}: Multiple modules should have unique names; give mod_name"
        )
    modules = {network.name: module_metadata(network) for network in networks}
    yield "metadata.json", json_of({"version": VERSION, "modules": modules})
    for network in networks:
        yield f"src/{network.name}.relay", network.text.encode()
        yield f"parameters/{network.name}.params", save_param_dict({})
        yield from tree_files(network.artifact, f"{network.name}_", network.name)
        for file, text in tvmgen_files(network.artifact.info, network.name).items() if network.has_interface else ():
            yield f"{HEADERS if file.endswith('.h') else SOURCES}/{file}", text.encode()


def json_of(record: Mapping[str, Any]) -> bytes:
    """The text of a record."""
    return (json.dumps(record, indent=2) + "\n").encode()


def tree_files(artifact: Artifact, prefix: str, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a tree in their places: C files are `<prefix>lib<number>.c`, in the folder of their device."""
    number = 0
    for place, content in artifact.tree().files.items():
        folder, _, rest = place.partition("/")
        data = b"".join(pieces(content))
        match folder:
            case "src" if rest.endswith(".c"):
                inner = "".join(f"{each}/" for each in rest.split("/")[:-1])
                yield f"{SOURCES}/{inner}{prefix}lib{number}.c", data
                number += 1
            case "src":
                yield f"{SOURCES}/{rest}", data
            case "include":
                yield f"{HEADERS}/{rest}", data
            case "runtime":
                yield place, data
            case _ if place.endswith(".params"):
                yield f"parameters/{name}.params", data
            case _ if place.endswith(".graph.json"):
                yield f"executor-config/graph/{name}.graph", data
            case _:
                pass


def module_metadata(network: Exported) -> dict[str, Any]:
    """The fields of a module in `metadata.json`."""
    return {
        "model_name": network.name,
        "export_datetime": date(),
        "memory": memory(network.artifact),
        "target": [network.target],
        "executors": [network.artifact.info.executor],
        "style": "full-model",
        "external_dependencies": [],
    }


def memory(artifact: Artifact) -> dict[str, Any]:
    """Bytes of the network and of its kernels, which take no memory of their own beside the arena."""
    info = artifact.info
    constants = artifact.compilation.facts(Lowered).constants
    kernels = artifact.tree().record["kernels"]
    functions = {
        "main": [
            {
                "device": CPU,
                "workspace_size_bytes": info.arena_size,
                "constants_size_bytes": constants,
                "io_size_bytes": sum(port.size for port in info.ports),
                "inputs": {port.name: _described(port) for port in info.inputs},
                "outputs": {port.name: _described(port) for port in info.outputs},
            }
        ],
        "operator_functions": [
            {"function_name": kernel, "workspace": [{"device": CPU, "workspace_size_bytes": 0}]} for kernel in kernels
        ],
    }
    return {"functions": functions, **({} if info.graph is None else {"sids": storage(info.graph)})}


def storage(network: Network) -> list[dict[str, Any]]:
    """The memory of each storage id: the largest of its entries, and the input that it is bound to."""
    sizes: dict[int, int] = {}
    bound: dict[int, str] = {}
    for node in network.nodes:
        values = (node.value,) if isinstance(node, Source) else node.results
        for value in values:
            sizes[value.storage_id] = max(sizes.get(value.storage_id, 0), _bytes(value))
        if isinstance(node, Source):
            bound[node.value.storage_id] = node.name
    return [
        {"storage_id": number, "size_bytes": size, **({"input_binding": bound[number]} if number in bound else {})}
        for number, size in sorted(sizes.items())
    ]


def _bytes(value: Value) -> int:
    return int(np.prod(value.shape, dtype=np.int64)) * np.dtype(value.dtype).itemsize


def _described(port: Port) -> dict[str, Any]:
    return {"dtype": str(port.dtype), "size": port.size}


def date() -> str:
    """The time of SOURCE_DATE_EPOCH, or of the epoch: equal networks give equal archives."""
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(seconds))
