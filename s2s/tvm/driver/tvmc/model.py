"""Models, packages and results of the driver."""

import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

from s2s.executor.ndarray import NDArray
from s2s.executor.params import save_param_dict
from s2s.tvm.contrib.utils import TempDirectory
from s2s.tvm.driver.tvmc.errors import TVMCException
from s2s.tvm.micro.model_library_format import export_model_library_format
from s2s.tvm.relay.factory import ExecutorFactory
from s2s.tvm.relay.module import IRModule
from s2s.tvm.runtime.benchmark import BenchmarkResult
from s2s.tvm.runtime.params import load_param_dict

OUTPUT_FORMATS = ("so", "tar", "mlf")
MODEL, PARAMETERS = "model.mlir", "model.params"
"""The files of a saved model."""


class TVMCModel:
    """A network and its parameters, read from a model or from what `save` wrote."""

    def __init__(
        self,
        mod: IRModule | None = None,
        params: Mapping[str, npt.ArrayLike] | None = None,
        model_path: str | Path | None = None,
    ) -> None:
        self._folder = TempDirectory()
        if model_path is not None:
            self.load(model_path)
        elif mod is None or params is None:
            raise TVMCException("TVMCModel: mod and params are missing; give both, or the path of a saved model")
        else:
            self.mod, self.params = mod, dict(params)

    def save(self, model_path: str | Path) -> None:
        """Write the network, its parameters, and tuning records that lie at the default path, as one archive."""
        with tarfile.open(model_path, "w") as archive:
            files = {MODEL: str(self.mod.module).encode(), PARAMETERS: save_param_dict(self._values())}
            for name, content in files.items():
                (self._folder / name).write_bytes(content)
                archive.add(self._folder / name, name)
            if Path(self.default_tuning_records_path()).is_file():
                archive.add(self.default_tuning_records_path(), "tuning_records")

    def _values(self) -> dict[str, Any]:
        return {**self.mod.params, **{name: np.asarray(value) for name, value in self.params.items()}}

    def load(self, model_path: str | Path) -> None:
        """Read what `save` wrote."""
        from s2s.tvm.driver.tvmc.saved import read_module

        extract(Path(model_path), self._folder.path)
        if not (self._folder / MODEL).is_file():
            raise TVMCException(f"{model_path}: holds no {MODEL}; give an archive of TVMCModel.save")
        self.params = load_param_dict((self._folder / PARAMETERS).read_bytes())
        self.mod = read_module((self._folder / MODEL).read_text(encoding="utf-8"), self.params)

    def default_tuning_records_path(self) -> str:
        """The path of tuning records that `save` keeps."""
        return self._folder.relpath("tuning_records")

    def default_package_path(self) -> str:
        """The path of a package whose place nobody names."""
        return self._folder.relpath("model_package.tar")

    def export_package(
        self,
        executor_factory: ExecutorFactory,
        package_path: str | Path | None = None,
        cross: str | None = None,
        cross_options: str | None = None,
        output_format: str = "so",
    ) -> str:
        """Write a compiled network: its library with graph JSON and parameters, or the Model Library Format (`mlf`)."""
        path = str(package_path or self.default_package_path())
        if output_format not in OUTPUT_FORMATS:
            raise TVMCException(f"output format {output_format!r}: is not known; give {', '.join(OUTPUT_FORMATS)}")
        if output_format == "mlf":
            if cross:
                raise TVMCException("output format mlf: holds sources, which nobody compiles; leave the compiler out")
            return str(export_model_library_format(executor_factory, path))
        names = [f"mod.{output_format}"]
        options = (cross_options or "").split()
        executor_factory.export_library(self._folder / names[0], cc=cross or None, options=options)
        graph_json = executor_factory.get_executor_config()
        if graph_json is not None:
            (self._folder / "mod.json").write_text(graph_json, encoding="utf-8")
            (self._folder / "mod.params").write_bytes(save_param_dict(executor_factory.get_params()))
            names += ["mod.json", "mod.params"]
        with tarfile.open(path, "w") as archive:
            for name in names:
                archive.add(self._folder / name, name)
        return path

    def summary(self, file: TextIO | None = None) -> None:
        """Print the text of the network."""
        print(self.mod, file=file)


class TVMCPackage:
    """A compiled network in an archive."""

    def __init__(self, package_path: str | Path, project_dir: str | Path | None = None) -> None:
        self._folder = TempDirectory()
        self.package_path = str(package_path)
        extract(Path(package_path), self._folder.path)
        metadata = self._folder / "metadata.json"
        self.type = "mlf" if metadata.is_file() else "classic"
        libraries = sorted(self._folder.path.glob("mod.*o")) + sorted(self._folder.path.glob("mod.tar"))
        self.lib_path = str(libraries[0]) if libraries else None
        self.lib_name = libraries[0].name if libraries else None
        if self.type == "classic" and self.lib_path is None:
            raise TVMCException(f"{package_path}: holds no library; give what tvmc.compile wrote")
        if project_dir is not None and self.type != "mlf":
            raise TVMCException("project_dir: goes with the Model Library Format; leave it out")
        self.project_dir = project_dir
        self.executor_type, self.graph, self.params = self._contents(metadata)

    def _contents(self, metadata: Path) -> tuple[str, str | None, bytes | None]:
        """The kind of executor, the graph JSON and the parameters."""
        graph, params = self._folder / "mod.json", self._folder / "mod.params"
        if self.type == "mlf":
            modules: dict[str, Any] = json.loads(metadata.read_text(encoding="utf-8"))["modules"]
            if len(modules) != 1:
                raise TVMCException(f"{self.package_path}: holds {len(modules)} networks; export one to an archive")
            [name] = modules
            graph = self._folder / f"executor-config/graph/{name}.graph"
            params = self._folder / f"parameters/{name}.params"
        if not graph.is_file():
            return "aot", None, None
        return "graph", graph.read_text(encoding="utf-8"), params.read_bytes() if params.is_file() else None


class TVMCResult:
    """What a run gave, and its times where they were measured."""

    def __init__(self, outputs: Mapping[str, NDArray] | None, times: BenchmarkResult | None) -> None:
        self.outputs = dict(outputs or {})
        self.times: BenchmarkResult | list[float] = [] if times is None else times

    def format_times(self) -> str:
        """The times as text."""
        return str(self.times)

    def get_output(self, name: str) -> NDArray:
        """The output of a name: `output_0` and so on."""
        return self.outputs[name]

    def save(self, output_path: str | Path) -> None:
        """Write the outputs as `.npz`."""
        arrays: dict[str, Any] = {name: np.asarray(value) for name, value in self.outputs.items()}
        np.savez(output_path, **arrays)

    def __str__(self) -> str:
        return f"{self.format_times()}\nOutput Names:\n {list(self.outputs)}"


def extract(path: Path, folder: Path) -> None:
    """Unpack an archive into a folder; files that would lie elsewhere are refused."""
    try:
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter="data")
    except (OSError, tarfile.TarError) as error:
        raise TVMCException(f"{path}: cannot be unpacked ({error}); give what tvmc.compile wrote") from error


__all__ = ["TVMCModel", "TVMCPackage", "TVMCResult"]
