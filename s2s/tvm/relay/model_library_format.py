"""The Model Library Format, version 7: the archive that TVM's micro projects are made from."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from tarfile import TarFile, TarInfo
from typing import Any

import numpy as np

from s2s.artifact import Artifact
from s2s.emit.info import PortInfo
from s2s.emit.stream import pieces
from s2s.errors import InputError
from s2s.executor.device import CPU
from s2s.executor.graph_json import Network, Source, Value
from s2s.stages.c import Lowered
from s2s.support.files import write_file
from s2s.types.dtypes import to_numpy

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


def export(artifact: Artifact, name: str, path: Path) -> Path:
    """Write the archive of one network."""
    if path.suffix != ".tar":
        raise InputError(f"{path}: the Model Library Format is an archive; give a name that ends in .tar")
    write_archive(path, dict(_files(artifact, name)))
    return path


def _files(artifact: Artifact, name: str) -> Iterator[tuple[str, bytes]]:
    yield "metadata.json", (json.dumps(metadata(artifact, name), indent=2) + "\n").encode()
    yield f"src/{name}.relay", f"{artifact.compilation.at('read').module}\n".encode()
    for place, content in artifact.tree().files.items():
        folder, _, rest = place.partition("/")
        data = b"".join(pieces(content))
        match folder:
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


def metadata(artifact: Artifact, name: str) -> dict[str, Any]:
    """The fields of `metadata.json`."""
    info = artifact.info
    return {
        "version": VERSION,
        "modules": {
            name: {
                "model_name": name,
                "export_datetime": _date(),
                "memory": memory(artifact),
                "target": [f"c -mcpu={info.target.name}"],
                "executors": [info.executor],
                "style": "full-model",
                "external_dependencies": [],
            }
        },
    }


def memory(artifact: Artifact) -> dict[str, Any]:
    """Bytes of the network and of its kernels, which take no memory of their own beside the arena."""
    info = artifact.info
    constants = artifact.compilation.facts(Lowered).constants
    kernels = json.loads(artifact.tree().text("metadata.json"))["kernels"]
    functions = {
        "main": [
            {
                "device": CPU,
                "workspace_size_bytes": info.arena_size,
                "constants_size_bytes": constants,
                "io_size_bytes": sum(port.size for port in (*info.inputs, *info.outputs)),
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
        {"storage_id": number, "size_bytes": size, "input_binding": bound.get(number, "")}
        for number, size in sorted(sizes.items())
    ]


def _bytes(value: Value) -> int:
    return int(np.prod(value.shape, dtype=np.int64)) * np.dtype(value.dtype).itemsize


def _described(port: PortInfo) -> dict[str, Any]:
    return {"dtype": str(to_numpy(port.element)), "size": port.size}


def _date() -> str:
    """The time of SOURCE_DATE_EPOCH, or of the epoch: equal networks give equal archives."""
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(seconds))
