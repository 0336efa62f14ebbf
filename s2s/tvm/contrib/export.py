"""Write a compiled network as a shared library or objects, which `tvm.runtime.load_module` gives back as a module."""

import json
import tarfile
import tempfile
import weakref
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from s2s.emit.write import RECORD
from s2s.errors import InputError
from s2s.executor.graph_json import dump
from s2s.support.files import write_file
from s2s.tvm.contrib.aot_executor_factory import AotExecutorFactory
from s2s.tvm.contrib.graph_executor_factory import GraphExecutorFactory
from s2s.tvm.runtime.blob import save_blob
from s2s.tvm.runtime.kernel_table import with_functions
from s2s.tvm.runtime.library import load_module
from s2s.tvm.runtime.module import Module
from s2s.verify.build import compile_library, compile_objects

if TYPE_CHECKING:
    from s2s.artifact import Artifact


def packed_module(artifact: "Artifact", mod_name: str) -> Module:
    """A network as `load_module` gives it back, without a file."""
    folder = tempfile.TemporaryDirectory(prefix="s2s-module-")
    export_library(artifact, mod_name, Path(folder.name) / "module.so")
    module = load_module(Path(folder.name) / "module.so")
    weakref.finalize(module, folder.cleanup)
    return module


def export_library(artifact: "Artifact", mod_name: str, file_name: str | Path) -> None:
    """Write a network as a shared library (`.so`) or its objects (`.tar`)."""
    path = Path(file_name)
    if path.suffix not in (".so", ".tar"):
        raise InputError(f"{path}: networks are exported as .so or .tar; name the file so")
    factory, library = _factory(artifact, mod_name), Module()
    factory.import_module(library)
    tree = with_functions(artifact.tree(), artifact.info.graph, artifact.name, save_blob(factory, library))
    with tempfile.TemporaryDirectory(prefix="s2s-export-") as folder:
        root = Path(folder) / "tree"
        tree.write(root)
        if path.suffix == ".so":
            compile_library(root, path)
            return
        packed = BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for made in compile_objects(root, Path(folder)):
                archive.add(made, f"{artifact.name}_{made.name}")
        write_file(path, packed.getvalue())


def _factory(artifact: "Artifact", mod_name: str) -> Module:
    """Return the module that makes executors of the network."""
    network = artifact.info.graph
    if network is not None:
        return GraphExecutorFactory(dump(network), artifact.name, mod_name)
    if artifact.info.executor == "graph":
        raise InputError(
            f"{artifact.name}: TVM's graph JSON has no sizes that vary and no state; give every dimension a constant "
            "size, without state, or use executor aot"
        )
    return AotExecutorFactory(json.loads(artifact.tree().text(RECORD)), mod_name)
