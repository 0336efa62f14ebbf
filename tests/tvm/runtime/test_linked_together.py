"""Networks and functions that are linked together: no two trees define the same symbol, and all are found again."""

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import api, tvm
from s2s.errors import InputError, ToolchainError
from s2s.tvm import relay, te
from s2s.tvm.contrib import cc
from s2s.tvm.contrib.aot_executor import AotModule
from s2s.tvm.contrib.graph_executor import GraphModule
from s2s.verify.objects import compile_objects
from support.onnx_text import onnx_model

BODY = """(float[2, 6] x) => (float[2, 4] y) <float[6, 4] w = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, -4, 5, 6, -7, 8, 9, 1, 2, 3, -4, 5, 6}>
{ a = MatMul (x, w) y = Softmax (a) }"""


def function(name: str, target: str = "llvm") -> Any:
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: te.exp(a[i]) if name == "one" else a[i] * 2.0, name="B")
    return tvm.build(te.create_schedule(b.op), [a, b], target, name=name)


def network(name: str, executor: str = "graph") -> Any:
    x, w = relay.var("x", shape=(1, 8)), relay.const(np.arange(32, dtype=np.float32).reshape(4, 8))
    return relay.build(relay.nn.relu(relay.nn.dense(x, w)), "llvm", executor=executor, mod_name=name)


def compiled(**options: Any) -> Callable[[str, Path], list[Path]]:
    """What compiles the tree of a network to objects."""

    def objects(name: str, folder: Path) -> list[Path]:
        tree = api.compile(onnx_model(BODY), name=name, target="c", **options).tree().write(folder / name)
        (folder / f"{name}_objects").mkdir()
        return list(compile_objects(tree, folder / f"{name}_objects", compiler=("gcc",), extra=("-fPIC",)))

    return objects


def exported(make: Callable[[str], Any]) -> Callable[[str, Path], list[Path]]:
    """What exports the objects of a library."""

    def objects(name: str, folder: Path) -> list[Path]:
        make(name).export_library(folder / f"{name}.tar")
        (folder / f"{name}_tar").mkdir()
        subprocess.run(["tar", "xf", folder / f"{name}.tar", "-C", folder / f"{name}_tar"], check=True)
        return sorted((folder / f"{name}_tar").iterdir())

    return objects


def symbols(objects: list[Path]) -> set[str]:
    """The names that only one object of a program may define."""
    shown = subprocess.run(["nm", "-g", "--defined-only", *objects], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in shown.splitlines() if len(line.split()) == 3]
    return {name for _, kind, name in rows if kind not in "WVwv"}


KINDS: dict[str, Callable[[str, Path], list[Path]]] = {
    "run function": compiled(),
    "threads": compiled(threads=2),
    "tables": compiled(executor="graph"),
    "tvmgen": compiled(interface="tvm"),
    "graph JSON": compiled(interface="tvm", executor="graph"),
    "library of tables": exported(network),
    "library of a run function": exported(lambda name: network(name, "aot")),
    "library of a function": exported(function),
}


def test_no_two_trees_define_the_same_symbol(tmp_path: Path) -> None:
    names = {kind: f"net{number}" for number, kind in enumerate(KINDS)}
    objects = {kind: make(names[kind], tmp_path) for kind, make in KINDS.items()}
    again = {f"{kind} again": make(f"other{number}", tmp_path) for number, (kind, make) in enumerate(KINDS.items())}
    seen: dict[str, str] = {}
    for kind, files in {**objects, **again}.items():
        for symbol in symbols(files):
            assert symbol not in seen, f"{kind} and {seen[symbol]} both define {symbol}"
            seen[symbol] = kind
    every = [path for files in (*objects.values(), *again.values()) for path in files]
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    command = ["gcc", "-pthread", tmp_path / "main.c", *every, "-lm", "-o", tmp_path / "all"]
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""


def test_two_functions_are_one_library(tmp_path: Path) -> None:
    for name in ("one", "two"):
        function(name).save(str(tmp_path / f"{name}.o"))
    cc.create_shared(str(tmp_path / "both.so"), [str(tmp_path / "one.o"), str(tmp_path / "two.o")])
    module = tvm.runtime.load_module(str(tmp_path / "both.so"))
    values = np.arange(8, dtype=np.float32)
    x, y = tvm.nd.array(values), tvm.nd.empty((8,), "float32")
    module["one"](x, y)
    assert y.numpy().tolist() == pytest.approx(np.exp(values).tolist(), rel=1e-6)
    module["two"](x, y)
    assert y.numpy().tolist() == (2 * values).tolist()


def test_networks_and_functions_are_one_library(tmp_path: Path) -> None:
    objects = [
        *KINDS["library of tables"]("first", tmp_path),
        *KINDS["library of a run function"]("second", tmp_path),
        *KINDS["library of a function"]("two", tmp_path),
    ]
    cc.create_shared(str(tmp_path / "all.so"), [str(each) for each in objects])
    module = tvm.runtime.load_module(str(tmp_path / "all.so"))
    x = np.ones((1, 8), np.float32)
    executor = GraphModule(module["first"](tvm.cpu()))
    executor.run(x=x)
    wanted = [[28, 92, 156, 220]]
    assert executor.get_output(0).numpy().tolist() == wanted
    second = AotModule(module["second"](tvm.cpu()))
    second.set_input("x", x)
    second.run()
    assert second.get_output(0).numpy().tolist() == wanted
    assert {"first", "second", "two"} <= set(module.function_names())
    assert [each.type_key for each in module.imported_modules] == [
        "GraphExecutorFactory",
        "AotExecutorFactory",
        "FunctionLibrary",
    ]


def test_functions_of_one_name_are_told_apart_by_nobody(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        function("one").save(str(tmp_path / folder / "one.o"))
    with pytest.raises(ToolchainError, match=r"multiple definition of .one_run"):
        cc.create_shared(str(tmp_path / "both.so"), [str(tmp_path / each / "one.o") for each in ("a", "b")])


@pytest.mark.parametrize("suffix", ["so", "tar"])
def test_functions_that_import_each_other_are_one_library(tmp_path: Path, suffix: str) -> None:
    first, second, third = function("one"), function("two"), function("three")
    assert first.implements_function("one")
    assert second.is_dso_exportable
    second.save(str(tmp_path / "two.o"))
    static = tvm.runtime.load_static_library(str(tmp_path / "two.o"), ["two"])
    assert (static.type_key, static.implements_function("two"), static.is_dso_exportable) == (
        "static_library",
        True,
        True,
    )
    with pytest.raises(InputError, match="two: is called when it is linked; export the library that imports it"):
        static["two"]
    first.import_module(static)
    first.import_module(third)
    first.export_library(tmp_path / f"all.{suffix}")
    library = tvm.runtime.load_module(tmp_path / f"all.{suffix}")
    assert (library.type_key, library.imported_modules, library.is_dso_exportable) == ("library", [], False)
    x, y = tvm.nd.array(np.arange(8, dtype=np.float32)), tvm.nd.empty((8,), "float32")
    for name in ("two", "three"):
        library[name](x, y)
        assert y.numpy().tolist() == list(range(0, 16, 2))
    assert library.implements_function("one")


def test_a_missing_static_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"load_static_library .*none.o: No such file or directory; give"):
        tvm.runtime.load_static_library(tmp_path / "none.o", ["f"])


def test_the_system_library_has_functions_of_loaded_libraries(tmp_path: Path) -> None:
    a = te.placeholder((8,), name="A")
    for name, is_system in (("of_system", True), ("alone", False)):
        b = te.compute((8,), lambda i: a[i] * 2.0, name="B")
        runtime = relay.backend.Runtime("cpp", {"system-lib": is_system})
        tvm.build(te.create_schedule(b.op), [a, b], "llvm", runtime=runtime, name=name).save(
            str(tmp_path / f"{name}.o")
        )
    cc.create_shared(str(tmp_path / "both.so"), [str(tmp_path / f"{name}.o") for name in ("of_system", "alone")])
    assert "of_system" not in tvm.runtime.system_lib().function_names()
    ctypes.CDLL(str(tmp_path / "both.so"))
    library, y = tvm.runtime.system_lib(), tvm.nd.empty((8,), "float32")
    assert {"of_system", "alone"} & set(library.function_names()) == {"of_system"}
    library["of_system"](tvm.nd.array(np.ones(8, np.float32)), y)
    assert y.numpy().tolist() == [2] * 8
