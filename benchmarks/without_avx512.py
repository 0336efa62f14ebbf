"""Copies an installed OpenVINO so that it finds no AVX-512 on this machine.

`ONEDNN_MAX_CPU_ISA=AVX2` holds oneDNN's kernels, not those of MLAS that OpenVINO takes for fully connected layers
(`gemm_mlas_f32` in its profile). Both ask the processor which registers the operating system saves, by the instruction
`xgetbv` with register 0 of that kind (Intel SDM, volume 1, 14.3), before they use AVX or AVX-512. In the copy that
instruction is replaced by one of the same length that loads the answer of a machine with AVX2: x87, SSE and AVX state.
"""

import shutil
import subprocess
from pathlib import Path

ASKS = bytes.fromhex("31c9 0f01d0")
"""`xor ecx, ecx; xgetbv`."""
ANSWERS = bytes.fromhex("31c9 b007 90")
"""`xor ecx, ecx; mov al, 7; nop`."""
PLUGIN = "libs/libopenvino_intel_cpu_plugin.so"


def openvino_without_avx512(python: Path, folder: Path) -> Path:
    """Copy the package `openvino` of an interpreter into `folder`, to stand first on `PYTHONPATH`.

    Raises `ValueError` where the interpreter has none, or a copy would still find AVX-512.
    """
    code = "import importlib.util; print(importlib.util.find_spec('openvino').origin)"
    asked = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise ValueError(f"{python} has no package openvino; install it there, or name another interpreter")
    source, copy = Path(asked.stdout.strip()).parent, folder / "openvino"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(source, copy)
    for library in (copy / "libs").glob("*.so*"):
        content = library.read_bytes()
        if ASKS in content:
            library.write_bytes(content.replace(ASKS, ANSWERS))
    if (copy / PLUGIN).read_bytes().count(ANSWERS) < 2:  # that of oneDNN and that of MLAS
        raise ValueError(
            f"{source / PLUGIN} asks for AVX-512 in another way than {__name__} knows; its copy is not held"
        )
    return folder
