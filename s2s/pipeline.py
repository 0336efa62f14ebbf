"""The compiler on one page: every pass in order, by stage, with the condition under which it runs and the reason why it
stands there.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.passes import ModulePass

from s2s.options import CompileOptions
from s2s.passes.conditions import (
    Arguments,
    Condition,
    always,
    divided,
    emission,
    fixed_point,
    fusion,
    inexact,
    least_work,
    misra,
    no_arguments,
    other_algorithms,
    plan,
    poisoned,
    results_apart,
    row_tiles,
    row_tiles_given,
    schedules,
    scratch,
    scratch_limited,
    target,
    threads,
    tuned,
)
from s2s.registry import get_pass


@dataclass(frozen=True)
class Step:
    """A pass where the pipeline runs it."""

    name: str
    reason: str
    when: Condition = always
    options: Arguments = no_arguments

    def pass_for(self, options: CompileOptions) -> ModulePass:
        """The pass with its options."""
        return get_pass(self.name)(**self.options(options))


SETTLE = (
    Step(
        "graph-hoist-zero-points",
        "Zero points that are found in a run stay out of products, so that these are of bytes.",
        when=tuned,
    ),
    Step(
        "graph-make-bytes-signed",
        "Whatever is quantised to unsigned bytes is so to signed ones: one kind is enough for all that follows.",
        when=tuned,
    ),
    Step(
        "graph-lift-quantized",
        "Before constants are folded: weights that are dequantised are integers until then.",
        when=tuned,
    ),
    Step(
        "graph-make-bytes-signed",
        "Layers that were floats may read unsigned inputs, and unsigned weights.",
        when=tuned,
    ),
    Step(
        "graph-requantize-in-fixed-point",
        "ONNX scales sums in floats; devices without them do it in fixed point, if the user agrees.",
        when=fixed_point,
    ),
    Step("graph-prove-accumulators", "Sums that could overflow are made wide, or refused."),
)
"""From integers written as floats to integers. What the network computes is settled here; no later pass changes its
integers, and its self-test expects what this leaves."""

SIMPLIFY = (
    Step("graph-fold-constants", "What depends on weights alone is computed here and now."),
    Step(
        "graph-remove-identities",
        "Importers and folding leave identities, double transposes and reshapes; clear them before patterns look.",
    ),
    Step("graph-canonicalize-reshapes", "Reshapes of reshapes are one, for the same reason.", when=tuned),
    Step(
        "graph-canonicalize-pads",
        "Padding first, so that batch norm and bias find the convolution next to them.",
        when=tuned,
    ),
    Step(
        "graph-fold-batch-norm",
        "A batch norm becomes weights of its convolution; a lone one becomes a multiply and an add …",
        when=tuned,
    ),
    Step("graph-canonicalize-bias", "… which, like any addition of a constant per channel, is a bias.", when=tuned),
    Step(
        "graph-canonicalize-affine", "What found no layer to go into is one multiply and one add at most.", when=tuned
    ),
    Step(
        "graph-fold-zero-points",
        "Layers of integers read their input as it is stored, the zero point being part of the bias.",
        when=tuned,
    ),
    Step("graph-expand-powers", "Norms and activations are written with powers, which are dear as such.", when=tuned),
    Step(
        "graph-form-layer-norms",
        "Norms in steps become one operation, now that their squares are products.",
        when=tuned,
    ),
    Step("graph-canonicalize-activations", "Every spelling of relu and clip becomes a clamp.", when=tuned),
    Step(
        "graph-canonicalize-attention",
        "Scores are scaled and masked in one way, while masks can still fold and twins among them be found.",
        when=tuned,
    ),
    Step("graph-fold-constants", "The rewrites above leave new constants,", when=tuned),
    Step("graph-eliminate-common-subexpressions", "twins", when=tuned),
    Step("graph-eliminate-dead-code", "and dead operations behind."),
    Step(
        "graph-split-transposed-conv",
        "Steps of a stride that hit nothing are left out, here where the phases are convolutions like any other.",
        when=tuned,
        options=target,
    ),
    Step(
        "graph-merge-conv-groups",
        "Vectors run along the channels of one group, so that a group should fill one. Zeros between groups let an "
        "infinity of one reach another.",
        when=inexact,
        options=target,
    ),
    Step(
        "graph-copy-outputs",
        "Each output gets a kernel of its own, so that kernels can write the caller's buffers.",
    ),
)
"""From the network as it was imported to the fewest operators that compute the same."""

GRAPH = (
    Step(
        "graph-tile-rows",
        "A budget of memory has its price: chains run in row tiles, and compute some rows twice.",
        when=row_tiles_given,
        options=row_tiles,
    ),
    Step(
        "graph-fuse-attention",
        "An attention is one kernel although reductions stand between its products: its scores must not exist whole.",
        when=tuned,
        options=target,
    ),
    Step(
        "graph-rematerialise-casts",
        "Bytes pass between kernels as bytes, however many kernels read them.",
        when=tuned,
    ),
    Step(
        "graph-fuse-ops",
        "Operators that belong together become one kernel; main becomes calls.",
        options=fusion,
    ),
    Step("graph-share-kernels", "Equal layers share one kernel and differ in their weights."),
    Step("graph-order-calls", "The order of calls decides how much memory lives at once.", options=target),
)
"""From operators to kernels of operators and a `main` of calls."""

COMPUTE = (
    Step("graph-lower-to-tensor", "Operators become domains, access maps and scalar bodies."),
    Step(
        "tensor-fuse-computes",
        "Bias, activation and residual move into the computation that feeds them; schedules then tile the whole.",
        when=tuned,
    ),
    Step(
        "tensor-block-channels",
        "Activations in blocks of channels, so that vectors find neighbours; a change of maps, so after all fusion.",
        when=tuned,
        options=target,
    ),
    Step(
        "tensor-tile-and-fuse",
        "Computations that stay in one kernel go through it block by block, while dimensions still are what they were.",
        when=tuned,
        options=target,
    ),
    Step(
        "tensor-tile-rows",
        "What is too large for a cache between two kernels is made and used in row tiles that fit it.",
        when=tuned,
        options=target,
    ),
    Step(
        "tensor-concatenate-in-place",
        "Channels in blocks lie in one piece: what a concatenation puts together is written there at once. Buffers "
        "that are parts of others cannot lie over operands, which saves more where memory is short.",
        when=results_apart,
    ),
    Step(
        "tensor-split-dims",
        "Groups and what is in a group, where they are no blocks of a layout.",
        when=tuned,
        options=target,
    ),
    Step("tensor-collapse-dims", "Fewer, longer dimensions tile better.", when=tuned),
    Step(
        "tensor-cache-panels",
        "Factors that are no constants are copied panel by panel; their dimensions are final now.",
        when=tuned,
        options=target,
    ),
    Step(
        "tensor-cache-images",
        "Windows that slide over each channel by itself run along channels, of images as the caller has them too.",
        when=tuned,
        options=target,
    ),
    Step(
        "tensor-transform-convolutions",
        "Fewer products for 3x3 convolutions, of access maps that are short now; schedules then tile the parts.",
        when=other_algorithms,
        options=target,
    ),
)
"""From kernels of operators to kernels of structured computations, with the layouts and algorithms that they keep."""

TENSOR = (
    Step(
        "tensor-pick-schedule",
        "How each computation is carried out, from shapes and the target's data.",
        options=schedules,
    ),
    Step(
        "tensor-limit-scratch",
        "A budget of memory has its price: operands are copied in smaller parts, some of them twice.",
        when=scratch_limited,
        options=scratch,
    ),
    Step(
        "tensor-fold-zero-points-into-inits",
        "Bytes that are copied as they are hold their zero point, which is known to sums before they begin.",
        when=tuned,
    ),
    Step("tensor-pack-constants", "Weights take the layout that their schedule asks for, on the host."),
    Step("tensor-describe-kernels", "While formulas can still be read off: the comment above each kernel in C."),
    Step(
        "tensor-shorten-rescale",
        "Weights bound the sums that are rescaled; small ones take a shorter form, which reads less well.",
        when=tuned,
    ),
)
"""From computations to scheduled computations and packed constants."""

LOOP = (
    Step(
        "tensor-lower-to-loop",
        "Schedules become loops, registers and flat positions; main becomes calls on buffers.",
    ),
    Step(
        "loop-eliminate-common-subexpressions",
        "Constants and indices that tiles computed alike are kept once; what nobody uses goes.",
    ),
    Step("loop-interleave-stores", "Bytes of several channels come as vectors of one each, and are written in turn."),
    Step("loop-form-fma", "Vectors multiply and add in one instruction."),
    Step(
        "loop-split-kernels",
        "Threads meet between kernels only: what has to be done before something else is a kernel of its own.",
        when=divided,
        options=least_work,
    ),
    Step(
        "loop-divide-among-threads",
        "What each thread needs for itself is memory to be planned.",
        when=divided,
        options=threads,
    ),
)
"""From schedules to loops over buffers."""

MEMORY = (
    Step(
        "loop-plan-memory",
        "Every buffer of main gets its offset in one arena; where memory is short, outputs lie over inputs that die.",
        options=plan,
    ),
    Step(
        "loop-poison-arena",
        "A debug build that shows whether anybody reads what the plan takes for dead.",
        when=poisoned,
    ),
)
"""From buffers to addresses."""

C = (
    Step(
        "loop-lower-to-c",
        "One C construct for each operation; names take the network's prefix.",
        options=emission,
    ),
    Step("c-call-signed-shifts", "A coding standard may forbid what every compiler does.", when=misra),
    Step("c-name-temporaries", "Decide which values become variables, and what they are called."),
)
"""From loops to C declarations, statements and expressions."""

PIPELINE: Mapping[str, tuple[Step, ...]] = {
    "settle": SETTLE,
    "simplify": SIMPLIFY,
    "graph": GRAPH,
    "compute": COMPUTE,
    "tensor": TENSOR,
    "loop": LOOP,
    "memory": MEMORY,
    "c": C,
}
"""The passes of each stage that has some."""


def passes_of(stage: str, options: CompileOptions) -> list[ModulePass]:
    """The passes that `stage` runs with these options, whose `name` is that of the network in C."""
    return [step.pass_for(options) for step in PIPELINE.get(stage, ()) if step.when(options)]


LEVELS: Mapping[str, tuple[str, ...]] = {
    "graph": ("settle", "simplify", "graph"),
    "tensor": ("compute", "tensor"),
    "loop": ("loop", "memory"),
    "c": ("c",),
}
"""The stages that end on each level."""


def pipeline(options: CompileOptions) -> dict[str, list[ModulePass]]:
    """All passes by the level that they end on."""
    return {level: [each for stage in stages for each in passes_of(stage, options)] for level, stages in LEVELS.items()}
