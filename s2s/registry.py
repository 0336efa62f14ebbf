"""Every pass of s2s by name, imported only when it is asked for.

A name says where its pass lives: `graph-fuse-activation` is the class `FuseActivationPass` in
`s2s/passes/graph/fuse_activation.py` (or in the `__init__.py` of a folder of that name), with its test in
`tests/passes/graph/fuse_activation.mlir`. A new pass is one line in `PASSES`.
"""

import importlib
from collections.abc import Callable

from xdsl.passes import ModulePass

from s2s.errors import CompilerBug, InputError

PASSES: tuple[str, ...] = (
    "graph-annotate-target",
    "graph-bound-positions",
    "graph-broadcast-scales",
    "graph-buffer-lines",
    "graph-buffer-sections",
    "graph-canonicalize-activations",
    "graph-canonicalize-affine",
    "graph-canonicalize-attention",
    "graph-canonicalize-bias",
    "graph-canonicalize-gathers",
    "graph-canonicalize-pads",
    "graph-canonicalize-reshapes",
    "graph-check-indices",
    "graph-choose-implementations",
    "graph-combine-parallel-batch-matmuls",
    "graph-combine-parallel-convs",
    "graph-combine-parallel-dense",
    "graph-combine-parallel-reductions",
    "graph-copy-outputs",
    "graph-eliminate-common-subexpressions",
    "graph-eliminate-dead-code",
    "graph-expand-powers",
    "graph-expand-trees",
    "graph-fill-tables",
    "graph-fold-batch-norm",
    "graph-fold-constants",
    "graph-fold-scale-axis",
    "graph-fold-widening",
    "graph-fold-zero-points",
    "graph-form-layer-norms",
    "graph-fuse-attention",
    "graph-fuse-ops",
    "graph-gather-quantized",
    "graph-generate-external-code",
    "graph-give-windows-slack",
    "graph-hoist-zero-points",
    "graph-inline",
    "graph-label-ops",
    "graph-lay-channels-last",
    "graph-lift-quantized",
    "graph-lower-to-tensor",
    "graph-make-bytes-signed",
    "graph-merge-compiler-regions",
    "graph-merge-composites",
    "graph-merge-conv-groups",
    "graph-narrow-scales",
    "graph-offset-windows",
    "graph-order-calls",
    "graph-outline-externs",
    "graph-pack-tables",
    "graph-partition-graph",
    "graph-plan-devices",
    "graph-propagate-sizes",
    "graph-prove-accumulators",
    "graph-quantize-activations",
    "graph-rematerialise-casts",
    "graph-remove-channels",
    "graph-remove-device-copies",
    "graph-remove-identities",
    "graph-requantize-in-fixed-point",
    "graph-search-by-value",
    "graph-separate-pools",
    "graph-share-kernels",
    "graph-skip-masked-positions",
    "graph-split-args",
    "graph-split-streamed-layers",
    "graph-split-transposed-conv",
    "graph-split-zero-points",
    "graph-take-byte-ports",
    "graph-unpack-weights",
    "tensor-block-channels",
    "tensor-cache-images",
    "tensor-cache-panels",
    "tensor-collapse-dims",
    "tensor-concatenate-in-place",
    "tensor-describe-kernels",
    "tensor-fill-margins",
    "tensor-fold-zero-points-into-inits",
    "tensor-fuse-computes",
    "tensor-limit-scratch",
    "tensor-lower-to-loop",
    "tensor-make-blocks-unsigned",
    "tensor-merge-reductions",
    "tensor-number-zero-points",
    "tensor-pack-constants",
    "tensor-pick-schedule",
    "tensor-propagate-sizes",
    "tensor-shorten-products",
    "tensor-shorten-quantize",
    "tensor-shorten-rescale",
    "tensor-split-dims",
    "tensor-tile-and-fuse",
    "tensor-tile-rows",
    "tensor-transform-convolutions",
    "loop-annotate-memory-scope",
    "loop-cast-runs",
    "loop-cut-into-steps",
    "loop-divide-among-threads",
    "loop-eliminate-common-subexpressions",
    "loop-encode-constants",
    "loop-fill-lanes",
    "loop-form-fma",
    "loop-hoist-loads",
    "loop-hook-device-calls",
    "loop-interleave-stores",
    "loop-limit-args",
    "loop-load-zero-points",
    "loop-lower-to-c",
    "loop-pack-nibbles",
    "loop-pair-loads",
    "loop-place-code",
    "loop-plan-memory",
    "loop-poison-arena",
    "loop-promote-scratch",
    "loop-remove-self-copies",
    "loop-run-backwards",
    "loop-specialise-sizes",
    "loop-split-kernels",
    "loop-start-device-calls",
    "loop-start-device-copies",
    "loop-stream-constants",
    "loop-strip-mine",
    "c-call-signed-shifts",
    "c-name-temporaries",
    "c-pack-weights",
    "c-parametrise-kernels",
    "c-place-constants",
    "c-remove-unroll-hints",
    "c-share-between-networks",
)
"""The names of our passes, level by level, alphabetical within a level."""

XDSL_PASSES = ("canonicalize", "cse", "dce")
"""The passes that come with xDSL and that our tests use as they are."""


def module_name(name: str) -> str:
    """The module that defines the pass called `name`: `s2s.passes.graph.fuse_activation`."""
    level, _, rest = name.partition("-")
    return f"s2s.passes.{level}.{rest.replace('-', '_')}"


def class_name(name: str) -> str:
    """The class of the pass called `name`: `FuseActivationPass`."""
    _, _, rest = name.partition("-")
    return "".join(word.capitalize() for word in rest.split("-")) + "Pass"


def load_pass(name: str) -> type[ModulePass]:
    """Import the pass called `name`, one of `PASSES`, and return its class."""
    found = getattr(importlib.import_module(module_name(name)), class_name(name), None)
    if not (isinstance(found, type) and issubclass(found, ModulePass)):
        raise CompilerBug(f"{module_name(name)} defines no pass {class_name(name)}")
    if found.name != name:
        raise CompilerBug(f"{found.__name__} calls itself {found.name!r}, the registry calls it {name!r}")
    return found


def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Return a factory for every pass by name, ours and xDSL's, in the form that xDSL's tools take."""
    from xdsl.transforms import get_all_passes

    theirs = get_all_passes()
    factories: dict[str, Callable[[], type[ModulePass]]] = {name: theirs[name] for name in XDSL_PASSES}
    for name in PASSES:
        factories[name] = lambda name=name: load_pass(name)
    return factories


def get_pass(name: str) -> type[ModulePass]:
    """Return the class of the pass called `name`, ours or xDSL's; refuse an unknown name with the list of names."""
    if name in PASSES:
        return load_pass(name)
    factories = available_passes()
    if name not in factories:
        raise InputError(f"{name}: there is no such pass; the passes are {', '.join(sorted(factories))}")
    return factories[name]()
