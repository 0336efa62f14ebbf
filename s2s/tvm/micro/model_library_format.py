"""Archives of networks, or of one function of tensor expressions, for firmware: the Model Library Format."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from s2s.tvm.error import ScheduleError, UnsupportedInModelLibraryFormatError
from s2s.tvm.relay.factory import ExecutorFactory
from s2s.tvm.relay.model_library_format import VERSION, date, export, files_of, json_of, tree_files
from s2s.tvm.te.build import Function

Exportable = ExecutorFactory | Function
_GENERATED_VERSION = VERSION


def export_model_library_format(mods: Exportable | Sequence[Exportable], file_name: str | Path) -> Path:
    """Write TVM's archive of sources, parameters and metadata, version 7 (`.tar`), and return its path.

    It holds networks of different names, or one function of `tvm.build`.
    """
    modules = list(mods) if isinstance(mods, Sequence) else [mods]
    if all(isinstance(module, ExecutorFactory) for module in modules):
        networks = cast("list[ExecutorFactory]", modules)
        return export(Path(file_name), files_of([network.exported() for network in networks]))
    if all(isinstance(module, Function) for module in modules):
        if len(modules) != 1:
            raise ScheduleError("export_model_library_format: an archive holds one function; export them one by one")
        return export(Path(file_name), operator_files(cast("Function", modules[0])))
    raise UnsupportedInModelLibraryFormatError(
        "export_model_library_format: wants what relay.build or tvm.build returned; give networks or one"
    )


def operator_files(function: Function) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the archive of a function: its C, its loops as text, and what its arguments are."""
    yield "metadata.json", json_of(operator_metadata(function))
    for target, text in function.ir_module_by_target.items():
        yield f"src/tir-{target.get_target_device_type()}.txt", text.encode()
    yield from tree_files(function.artifact, "", function.entry_name)


def operator_metadata(function: Function) -> dict[str, Any]:
    """The fields of `metadata.json` of a function."""
    arguments = [
        {"size_bytes": size, "shape": list(shape), "dtype": dtype, "input_binding": name}
        for name, shape, dtype, size in function.arguments
    ]
    return {
        "version": VERSION,
        "model_name": function.entry_name,
        "export_datetime": date(),
        "memory": {function.entry_name: arguments},
        "target": [str(target) for target in function.ir_module_by_target],
        "executors": [],
        "style": "operator",
    }


__all__ = ["UnsupportedInModelLibraryFormatError", "export_model_library_format"]
