"""A generator of C for some operators, two devices, memory pools, and the archive of it all on an emulated Cortex-M4.

    python examples/tvm_byoc/tvm_byoc.py [FOLDER]

What TVM called bring your own codegen. It wants arm-none-eabi-gcc and qemu-system-arm.
"""

import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from s2s import tvm
from s2s.dialects.graph import MatmulOp
from s2s.external.generator import Code, CodeGenerator
from s2s.external.pattern import Pattern, is_constant, is_op, wildcard
from s2s.external.registry import register_codegen
from s2s.tvm import relay
from s2s.tvm.ir import memory_pools as pools

HERE = Path(__file__).parent
BOARD = HERE.parent / "board"
SHAPES = {"w1": (8, 3, 3, 3), "w2": (8, 8, 3, 3), "fc": (4, 8)}
FLAGS = ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-O2", "-std=c99", "-Wall", "-Wextra")
EMULATOR = ("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none")

BODY = """for (int32_t i = 0; i < {m}; i++) {{
    for (int32_t j = 0; j < {n}; j++) {{
        float sum = 0.0f;
        for (int32_t k = 0; k < {k}; k++) {{
            sum += x0[{k} * i + k] * packed[{k} * j + k];
        }}
        y0[{n} * i + j] = sum;
    }}
}}"""


class Products(CodeGenerator):
    """Writes products with a constant matrix as loops, over a transposed copy of the matrix."""

    name = "products"

    def patterns(self) -> Sequence[tuple[str, Pattern]]:
        """The operators that it takes."""
        product = is_op("matmul")(wildcard(), is_constant()).has_attr(transpose_a=False)
        return [("dense", product.has_dtype("float32").has_rank(2))]

    def code(self, region: Any, target: Any) -> Code:
        """The body of the C function of a product, and its constants."""
        (step,) = region.steps
        _, k = step.composite.shape(0)
        m, n = step.composite.outputs[0].get_shape()
        weights = region.constants["x1"]  # [n, k] of relay's dense, which multiplies by the transposed matrix
        packed = weights.copy() if step.composite.the(MatmulOp).transpose_b is not None else weights.T.copy()
        return Code(BODY.format(m=m, k=k, n=n), constants={"packed": packed}, replaced=frozenset({"x1"}))


def network() -> tvm.IRModule:
    """Two convolutions with a pooling between them, and a classifier."""
    x = relay.var("x", shape=(1, 3, 8, 8))
    y = relay.nn.relu(relay.nn.conv2d(x, relay.var("w1"), kernel_size=(3, 3), channels=8, padding=(1, 1)))
    y = relay.nn.max_pool2d(y, pool_size=(2, 2), strides=(2, 2))
    y = relay.nn.relu(relay.nn.conv2d(y, relay.var("w2"), kernel_size=(3, 3), channels=8, padding=(1, 1)))
    y = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(y))
    y = relay.nn.softmax(relay.nn.dense(y, relay.var("fc"), units=4))
    return tvm.IRModule.from_expr(relay.Function(relay.analysis.free_vars(y), y))


def build(params: dict[str, np.ndarray[Any, Any]]) -> Any:
    """Compile the network: pooling on the device `dsp`, products by the generator, buffers in two pools."""
    target = tvm.target.Target("c -mcpu=cortex-m4")
    workspace = pools.WorkspaceMemoryPools(
        [
            pools.WorkspacePoolInfo("fast", [target], pools.PoolInfoProperties(size_hint_bytes=2048)),
            pools.WorkspacePoolInfo("sram", [target], pools.PoolInfoProperties(size_hint_bytes=65536)),
        ]
    )
    flash = pools.ConstantPoolInfo("flash", [target], pool_info_properties=pools.PoolInfoProperties(1 << 20))
    return relay.build(
        network(),
        target,
        executor=relay.backend.Executor("aot"),
        runtime=relay.backend.Runtime("crt"),
        workspace_memory_pools=workspace,
        constant_memory_pools=pools.ConstantMemoryPools([flash]),
        params=params,
        mod_name="net",
        external="products=always",
        devices={"dsp": {"target": "cortex-m4", "operators": ["nn.max_pool2d"]}},
    )


def run_archive(archive: Path, folder: Path, vectors: str) -> int:
    """Compile what is in the archive with the program of this example; return the status with which it ends in QEMU."""
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    (folder / "vectors.h").write_text(vectors)
    generated = folder / "codegen" / "host"
    include = [generated / "include", generated / "src", folder / "runtime" / "include", folder, BOARD]
    sources = [
        *sorted(generated.rglob("*.c")),
        *sorted((folder / "runtime").rglob("*.c")),
        *sorted(HERE.glob("*.c")),
        BOARD / "board.c",
    ]
    link = ("-nostartfiles", "-specs=nano.specs", "-specs=nosys.specs", "-T", BOARD / "board.ld", "-lm")
    program = folder / "net.elf"
    compiler = ("arm-none-eabi-gcc", *FLAGS, *(f"-I{path}" for path in include))
    subprocess.run([*compiler, *sources, *link, "-o", program], check=True)
    emulated = [*EMULATOR, "-semihosting", "-kernel", program]
    return subprocess.run(emulated, check=False, timeout=120).returncode


def array(name: str, values: np.ndarray[Any, Any]) -> str:
    """A definition in C of an array."""
    numbers = ", ".join(f"{float(value)!r}f" for value in values.reshape(-1))
    return f"static const float {name}[] = {{{numbers}}};\n"


def main(folder: Path) -> int:
    """Build, write the archive, run it; return how many outputs are wrong there."""
    register_codegen(Products())
    rng = np.random.default_rng(0)
    params = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in SHAPES.items()}
    library = build(params)
    print("beside the first device:", ", ".join(library.get_devices()))
    archive = tvm.micro.export_model_library_format(library, folder / "net.tar")
    for name, sizes in library.function_metadata.items():
        print(name, dict(sizes.workspace_sizes), dict(sizes.constant_sizes))

    x = rng.uniform(-1, 1, (1, 3, 8, 8)).astype(np.float32)
    host = tvm.contrib.graph_executor.GraphModule(
        relay.build(network(), "llvm", params=params)["default"](tvm.cpu()),
    )
    host.run(x=x)
    expected = np.asarray(host.get_output(0), np.float32)
    wrong = run_archive(archive, folder / "net", array("input", x) + array("expected", expected))
    print("wrong outputs on the emulated board:", wrong)
    return wrong


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with TemporaryDirectory() as temporary:
        sys.exit(main(Path(temporary)))
