"""Archives of the Model Library Format: their files, what `metadata.json` says, and TVM's C interface, which runs."""

import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import relay, te
from s2s.tvm.relay.factory import ExecutorFactory
from s2s.tvm.relay.memory_pools import PoolInfoProperties, WorkspaceMemoryPools, WorkspacePoolInfo
from s2s.verify.toolchain import default_compiler

W = np.array([[1, 2, 3, 4], [4, 3, 2, 1]], np.float32)
INTERFACE = relay.backend.Executor("aot", {"interface-api": "c", "unpacked-api": True})


def network(*names: str) -> tvm.IRModule:
    x, w = relay.var("x", shape=(1, 4)), relay.var("w", shape=(2, 4))
    attrs = {"output_tensor_names": list(names)} if names else None
    hidden = relay.nn.relu(relay.nn.dense(x, w))
    result = relay.nn.dense(hidden, relay.const(np.array([[1, 2], [3, 5]], np.float32)))
    return tvm.IRModule.from_expr(relay.Function([x, w], result, attrs=attrs))


def library(name: str = "net", executor: Any = "aot", *outputs: str, **options: Any) -> ExecutorFactory:
    target = tvm.target.Target("c")
    return relay.build(network(*outputs), target, executor=executor, params={"w": W}, mod_name=name, **options)


def archive(path: Path, *modules: Any) -> dict[str, bytes]:
    tvm.micro.export_model_library_format(list(modules), path)
    with tarfile.open(path) as opened:
        return {entry.name: data.read() for entry in opened if (data := opened.extractfile(entry)) is not None}


def metadata(files: dict[str, bytes]) -> dict[str, Any]:
    return json.loads(files["./metadata.json"])


def test_files_have_their_places(tmp_path: Path):
    built = library(executor="graph")
    files = archive(tmp_path / "net.tar", built)
    assert {"./codegen/host/src/net_lib0.c", "./codegen/host/src/net_lib1.c"} <= files.keys()
    assert files["./executor-config/graph/net.graph"].decode() == built.get_graph_json()
    assert relay.load_param_dict(files["./parameters/net.params"]).keys() == built.get_params().keys()
    assert files["./src/net.relay"].decode() == str(built.ir_mod)
    assert "nn.dense" in files["./src/net.relay"].decode()


def test_metadata_describe_a_network(tmp_path: Path):
    module = metadata(archive(tmp_path / "net.tar", library(executor="graph")))["modules"]["net"]
    [main] = module["memory"]["functions"]["main"]
    assert (module["executors"], module["target"]) == (["graph"], ["c -keys=cpu"])
    assert (main["io_size_bytes"], main["constants_size_bytes"]) == (24, 48)
    assert main["inputs"] == {"x": {"dtype": "float32", "size": 16}}
    assert main["outputs"] == {"output": {"dtype": "float32", "size": 8}}
    storage = module["memory"]["sids"]
    assert {each.get("input_binding") for each in storage} >= {"x", "w_packed", None}


def test_outputs_have_the_names_that_the_function_gives(tmp_path: Path):
    files = archive(tmp_path / "net.tar", library("net", "aot", "scores"))
    assert metadata(files)["modules"]["net"]["memory"]["functions"]["main"][0]["outputs"].keys() == {"scores"}
    with pytest.raises(InputError, match="output_tensor_names a, b: there are 1 outputs; give a name for each"):
        library("net", "aot", "a", "b")


def test_an_archive_holds_several_networks(tmp_path: Path):
    files = archive(tmp_path / "nets.tar", library("one", "graph"), library("two", INTERFACE))
    assert {name: each["executors"] for name, each in metadata(files)["modules"].items()} == {
        "one": ["graph"],
        "two": ["aot"],
    }
    assert {"./codegen/host/src/one_lib0.c", "./codegen/host/src/two_lib0.c"} <= files.keys()
    assert "./codegen/host/include/tvmgen_two.h" in files
    assert "./codegen/host/include/tvmgen_one.h" not in files
    with pytest.raises(InputError, match="one: Multiple modules should have unique names; give mod_name"):
        archive(tmp_path / "nets.tar", library("one"), library("one"))


MAIN = """
#include "tvmgen_net.h"
#include <stdio.h>
{pools}
int main(void)
{{
    static const float x[4] = {{1, -2, 3, 4}};
    float scores[2];
    struct tvmgen_net_inputs inputs = {{x}};
    struct tvmgen_net_outputs outputs = {{scores}};
    {workspace}
    const int32_t status = tvmgen_net_run(&inputs, &outputs{argument});

    printf("%d %d %g %g\\n", (int)status, (int)TVMGEN_NET_X_SIZE, (double)scores[0], (double)scores[1]);
    return 0;
}}
"""


def run(files: dict[str, bytes], folder: Path, **parts: str) -> str:
    """What a program prints that calls the C interface of the network in an archive."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "main.c").write_text(MAIN.format(**{"pools": "", "workspace": "", "argument": "", **parts}))
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"]
    flags += [f"-I{place}" for place in ("codegen/host/include", "codegen/host/src", "runtime/include")]
    sources = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.c"))]
    command = [*default_compiler(), *flags, "-o", "program", *sources, "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return subprocess.run(["./program"], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_the_c_interface_runs(tmp_path: Path):
    files = archive(tmp_path / "net.tar", library("net", INTERFACE, "scores"))
    assert run(files, tmp_path / "tree") == "0 16 38 106\n"


def test_memory_pools_are_parts_of_a_struct(tmp_path: Path):
    pool = WorkspacePoolInfo("fast", [tvm.target.Target("c")], PoolInfoProperties(4096))
    built = library("net", INTERFACE, "scores", workspace_memory_pools=WorkspaceMemoryPools([pool]))
    pools = "static double fast[512];"
    workspace = "struct tvmgen_net_workspace_pools parts = {fast};"
    files = archive(tmp_path / "net.tar", built)
    assert run(files, tmp_path / "tree", pools=pools, workspace=workspace, argument=", &parts") == "0 16 38 106\n"


def test_networks_whose_calls_have_more_parts_are_refused(tmp_path: Path):
    built = library("net", INTERFACE, devices={"dsp": {"operators": ["matmul"]}})
    with pytest.raises(UnsupportedError, match="interface-api c: TVM's interface has no part for other devices"):
        archive(tmp_path / "net.tar", built)


def function() -> Any:
    a, b = (te.placeholder((size,), dtype="int8") for size in (2, 1))
    c = te.compute((2,), lambda i: a[i] + b[0], name="C")
    return tvm.build(te.create_schedule(c.op), [a, b, c], tvm.target.Target("c"), name="add")


def test_an_archive_holds_a_function(tmp_path: Path):
    added = function()
    files = archive(tmp_path / "add.tar", added)
    described = metadata(files)
    assert (described["model_name"], described["style"], described["executors"]) == ("add", "operator", [])
    assert described["memory"]["add"] == [
        {"size_bytes": 2, "shape": [2], "dtype": "int8", "input_binding": "placeholder"},
        {"size_bytes": 1, "shape": [1], "dtype": "int8", "input_binding": "placeholder_1"},
        {"size_bytes": 2, "shape": [2], "dtype": "int8", "input_binding": "C"},
    ]
    assert [files["./src/tir-1.txt"].decode()] == list(added.ir_module_by_target.values())
    assert "./codegen/host/src/lib0.c" in files
    result = np.zeros(2, np.int8)
    added(np.array([1, 2], np.int8), np.array([3], np.int8), result)
    assert result.tolist() == [4, 5]


def test_other_modules_are_refused(tmp_path: Path):
    with pytest.raises(RuntimeError, match="an archive holds one function; export them one by one"):
        archive(tmp_path / "add.tar", function(), function())
    with pytest.raises(InputError, match=r"wants what relay.build or tvm.build returned"):
        archive(tmp_path / "net.tar", library(), function())
