"""`--format mlperf-tiny`: a network as a submission to MLPerf Tiny, for the harness of its repository
(mlcommons/tiny, `benchmark/api`), which reads commands from a serial port."""

from s2s.emit.templates import fill
from s2s.errors import InputError
from s2s.packagings.description import TreeDescription
from s2s.packagings.example import declarations, run_call

ELEMENTS = ("int8", "uint8", "float32")
"""The element types of inputs and outputs that the harness can load and print."""


def mlperf_tiny(tree: TreeDescription) -> dict[str, bytes]:
    """The library, the functions that the harness asks of a submitter, and what a board has to provide for them."""
    tree.check_call("mlperf-tiny")
    _check(tree)
    views = {
        "tree": tree,
        "input": tree.network.inputs[0],
        "output": tree.network.outputs[0],
        "declarations": declarations(tree.network),
        "run": run_call(tree.network),
    }
    texts = {
        "submitter_implemented.cpp": "mlperf_submitter.cpp.j2",
        "main.cpp": "mlperf_main.cpp.j2",
        "platform.h": "mlperf_platform.h.j2",
        "platform_host.c": "mlperf_platform_host.c.j2",
        "CMakeLists.txt": "mlperf_cmake.j2",
        "README.md": "mlperf_readme.md.j2",
    }
    return {
        **{path: fill(f"packagings/{template}", **views).encode() for path, template in texts.items()},
        **tree.copied([*tree.library, *tree.licences]),
    }


def _check(tree: TreeDescription) -> None:
    """Refuse a network that the benchmark's commands cannot load, run or answer for."""
    place = "--format mlperf-tiny"
    if tree.network.sizes:
        raise InputError(f"{place}: a benchmark has one size, and {tree.name} takes several; compile without --dim")
    if tree.network.states:
        raise InputError(
            f"{place}: every run of a benchmark begins anew, and {tree.name} keeps a state; export a network without"
        )
    for word, ports in (("input", tree.network.inputs), ("output", tree.network.outputs)):
        if len(ports) != 1:
            raise InputError(f"{place}: the benchmark has one {word}, and {tree.name} has {len(ports)}; export another")
        if ports[0].dtype.name not in ELEMENTS:
            raise InputError(
                f"{place}: {word} {ports[0].name!r} is of {ports[0].dtype}; give it one of {', '.join(ELEMENTS)}"
            )
