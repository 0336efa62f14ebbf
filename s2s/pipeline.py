"""The pass pipeline of the compiler: every pass in order, by stage, with the condition under which it runs and the
reason for its position."""

from collections.abc import Mapping

from s2s.decisions.constants import equal_weights, packs_weights, sees_values, zero_points_apart
from s2s.options import CompileOptions
from s2s.options.declaration import seen_by
from s2s.passes.conditions import (
    activations,
    algorithms,
    apart,
    arguments,
    calls_started,
    casts_in_runs,
    channel_orders,
    channels,
    code,
    constants,
    convolution_algorithms,
    described,
    devices,
    divided,
    emission,
    external,
    fixed_point,
    fusion,
    generators,
    generators_for_target,
    hoisted,
    hooked,
    hooked_calls,
    in_one_step,
    in_steps,
    inexact,
    least_work,
    memories_apart,
    misra,
    other_algorithms,
    paired,
    placed,
    places_code,
    plan,
    poisoned,
    prefix,
    prefixed,
    pushed,
    results_apart,
    rows_asked,
    rows_pushed,
    scalable,
    schedules,
    scratch,
    scratch_asked,
    sections,
    sections_asked,
    shared_memory,
    sizes_constant,
    sizes_counted,
    sizes_named,
    sizes_vary,
    started,
    started_calls,
    started_copies,
    steps,
    streamed,
    streamed_to,
    streams,
    tables,
    target,
    threads,
    tuned,
    windows_move,
)
from s2s.passes.levels import runs
from s2s.pipeline_step import PlannedPass, Step

SETTLE = (
    Step("graph-inline", "Inline functions of the network first, so that all later passes see one function."),
    Step(
        "graph-hoist-zero-points",
        "Hoist zero points that are computed at run time out of products, so that the products read 8-bit integers.",
        when=tuned,
    ),
    Step("graph-make-bytes-signed", "Convert uint8 tensors to int8: later passes handle one type only.", when=tuned),
    Step("graph-lift-quantized", "Constant folding would turn dequantised weights into floats.", when=tuned),
    Step(
        "graph-make-bytes-signed",
        "Run again: layers that the previous pass lifted to integers may read uint8 inputs and weights.",
        when=tuned,
    ),
    Step(
        "graph-requantize-in-fixed-point",
        "ONNX rescales sums in floats; use fixed point on devices without an FPU, if the user allows it.",
        when=fixed_point,
    ),
    Step("graph-quantize-activations", "Multiply bytes, where the model or user says so.", options=activations),
    Step("graph-prove-accumulators", "Widen accumulators that could overflow, or reject the layer."),
)
"""Lower simulated quantisation (dequantise, operate, quantise) to integer arithmetic. No later pass changes the integer
results, and the self-test of the network compares with the results of this stage."""

SIMPLIFY = (
    Step("graph-expand-trees", "Make tables of decision trees, whose first steps then fold.", options=target),
    Step("graph-gather-quantized", "Folding would make floats of tables that only gathers read.", when=tuned),
    Step("graph-fold-constants", "Evaluate every operation whose operands are all constant."),
    Step("graph-remove-identities", "Remove identities that importers and folding leave, before patterns match."),
    Step("graph-canonicalize-reshapes", "Merge chains of reshapes and transposes, for the same reason.", when=tuned),
    Step("graph-canonicalize-gathers", "Later passes see through slices, not through gathers.", when=tuned),
    Step(
        "graph-canonicalize-pads",
        "Fold padding first, so that batch norm and bias directly follow their convolution.",
        when=tuned,
    ),
    Step("graph-fold-batch-norm", "Fold a batch norm into its convolution; others multiply and add …", when=tuned),
    Step("graph-canonicalize-bias", "… which, like any per-channel constant, folds into weights and bias.", when=tuned),
    Step(
        "graph-canonicalize-affine",
        "Merge the per-channel constants that no layer took into one multiply and one add.",
        when=tuned,
    ),
    Step(
        "graph-fold-zero-points",
        "Fold input zero points into the bias, so that integer layers read their input unmodified.",
        when=tuned,
    ),
    Step("graph-split-zero-points", "Weights have the zero points that are left; duplicates merge below.", when=tuned),
    Step("graph-expand-powers", "Products are cheaper than powers with small exponents.", when=tuned),
    Step("graph-form-layer-norms", "Recognise layer norms, now that their squares are products.", when=tuned),
    Step("graph-canonicalize-activations", "Rewrite every form of relu and clip as a clamp.", when=tuned),
    Step("graph-fold-scale-axis", "Fold factors across activations, which all are clamps now.", when=tuned),
    Step("graph-canonicalize-attention", "The last folding and CSE then simplify masks of scores.", when=tuned),
    Step("graph-unpack-weights", "Weights are constants by now.", when=sizes_constant, options=target),
    Step("graph-pack-tables", "Tables are constants by now.", when=sees_values),
    Step("graph-narrow-scales", "Scales are constants by now; duplicates merge below.", when=sees_values),
    Step("graph-fold-constants", "The rewrites above leave new constant expressions,", when=tuned),
    Step("graph-eliminate-common-subexpressions", "duplicates", when=tuned, options=equal_weights),
    Step("graph-eliminate-dead-code", "and dead operations."),
    Step(
        "graph-remove-channels", "Weights, biases and clamps have their last form.", when=sees_values, options=channels
    ),
    Step("graph-broadcast-scales", "Scales are weights, where a pack brings these,", when=packs_weights),
    Step("graph-fill-tables", "and tables that follow from scales.", when=packs_weights),
    Step("graph-choose-implementations", "Replace canonical operators as programs ask.", when=tuned, options=target),
    Step("graph-combine-parallel-convs", "Combine layers of one input, with their biases folded,", when=tuned),
    Step("graph-combine-parallel-dense", "products with constants,", when=tuned),
    Step("graph-combine-parallel-batch-matmuls", "and products of stacks of matrices.", when=tuned),
    Step(
        "graph-split-transposed-conv",
        "Skip the multiplications by inserted zeros; run before grouping, since the phases are ordinary convolutions.",
        when=tuned,
        options=target,
    ),
    Step("graph-search-by-value", "Search positions by two vectorized reductions.", when=tuned, options=target),
    Step("graph-separate-pools", "Combine fewer elements of windows.", when=other_algorithms, options=target),
    Step(
        "graph-merge-conv-groups",
        "Vectors run along the channels of one group, so a group should fill a vector. The zero weights added between "
        "groups turn an infinity of one group into a NaN in another, hence only without `--exact`.",
        when=inexact,
        options=target,
    ),
    Step("graph-lay-channels-last", "Operators have their last form.", when=rows_asked, options=channel_orders),
    Step("graph-bound-positions", "Indices have their last form; no operator has been placed or grouped."),
    Step("graph-check-indices", "Check the other indices in the run."),
    Step("graph-copy-outputs", "Give each output its own producer: kernels then write to the caller's buffers."),
)
"""Simplify the imported network to as few operators as possible."""

GRAPH = (
    Step(
        "graph-plan-devices",
        "Place operators before they are grouped: a kernel, or a region of an external generator, runs on one device.",
        when=placed,
        options=devices,
    ),
    Step("graph-split-args", "Kernels of each device have their limit; fusion keeps it.", options=arguments),
    Step("graph-split-streamed-layers", "Run before layers become kernels.", when=streamed, options=streamed_to),
    Step(
        "graph-outline-externs",
        "Declare functions outside of the network; from here on their calls are kernels.",
        options=prefix,
    ),
    Step("graph-merge-composites", "Let generators claim operators before fusion.", when=external, options=generators),
    Step("graph-annotate-target", "All groups are known now.", when=external, options=generators_for_target),
    Step("graph-merge-compiler-regions", "Put neighbours that one generator computes into one call.", when=external),
    Step("graph-partition-graph", "Outline the regions; what nobody claims is ours again.", when=external),
    Step("graph-generate-external-code", "Regions are kernels with C from here on.", when=external, options=prefixed),
    Step("graph-buffer-lines", "Operators run row by row while they stand apart.", when=rows_pushed, options=pushed),
    Step("graph-buffer-sections", "A budget of RAM asks for this.", when=sections_asked, options=sections),
    Step("graph-skip-masked-positions", "Limit attentions while their operators stand together.", when=sizes_counted),
    Step(
        "graph-fuse-attention",
        "Put an attention into one kernel, so that its scores never exist whole; fusion stops at reductions.",
        when=tuned,
        options=target,
    ),
    Step("graph-rematerialise-casts", "Let tensors between kernels keep their narrow types.", when=tuned),
    Step("graph-fold-widening", "Products with few rows read narrow tensors themselves.", when=tuned),
    Step("graph-fuse-ops", "Outline groups of operators as kernels; main then holds calls.", options=fusion),
    Step("graph-combine-parallel-reductions", "Read a tensor once for several results.", when=sizes_constant),
    Step("graph-share-kernels", "Merge identical kernels; layers differ in weights.", options=zero_points_apart),
    Step("graph-remove-device-copies", "Until here, they kept devices apart.", when=placed, options=shared_memory),
    Step("graph-order-calls", "Order the calls so that the arena is smallest.", options=target),
    Step("graph-propagate-sizes", "Type rules tell how many windows an axis of any size has."),
    Step("graph-offset-windows", "Kernels know their sizes now, and one of each stands for equal ones.", when=tuned),
    Step("graph-label-ops", "Label kernels for the graph JSON, once each is there once.", when=tables),
)
"""Partition the network into kernels of operators and a `main` that calls them."""

COMPUTE = (
    Step("graph-lower-to-tensor", "Lower operators to iteration domains, access maps and scalar regions."),
    Step(
        "tensor-fuse-computes",
        "Fuse bias, activation and residual into their producer as an epilogue, so that one schedule tiles them all.",
        when=tuned,
        options=target,
    ),
    Step("tensor-merge-reductions", "Reduce what kernels read twice in one loop.", when=sizes_constant),
    Step("tensor-make-blocks-unsigned", "Suit constants to an instruction.", when=tuned, options=target),
    Step(
        "tensor-block-channels",
        "Store activations in blocks of channels for vector loads; changes access maps only, so after fusion.",
        when=tuned,
        options=target,
    ),
    Step("graph-give-windows-slack", "Layouts say how many elements a frame has.", when=windows_move, options=target),
    Step(
        "tensor-tile-and-fuse",
        "Tile the computations of one kernel together, before splitting and collapsing change their dimensions.",
        when=tuned,
        options=target,
    ),
    Step(
        "tensor-tile-rows",
        "Run chains of kernels in row tiles where the tensors between them exceed the cache.",
        when=sizes_constant,
        options=target,
    ),
    Step(
        "tensor-concatenate-in-place",
        "Channel blocks are contiguous, so producers write directly into the result of a concatenation. Not where "
        "memory is short: such views cannot share memory with operands, which saves more.",
        when=results_apart,
        options=target,
    ),
    Step(
        "tensor-split-dims",
        "Split the output channels of a grouped convolution into group and channel, where the layout does not.",
        when=tuned,
        options=target,
    ),
    Step("tensor-propagate-sizes", "Mark dimensions of varying size, which must not be merged."),
    Step("tensor-collapse-dims", "Merge contiguous dimensions: fewer, longer dimensions tile better.", when=tuned),
    Step(
        "tensor-cache-panels",
        "Pack non-constant factors of products panel by panel, now that dimensions are final.",
        when=tuned,
        options=target,
    ),
    Step(
        "tensor-cache-images",
        "Copy images of depthwise convolutions into blocks of channels where the caller passes them channels first.",
        when=sizes_constant,
        options=target,
    ),
    Step(
        "tensor-transform-convolutions",
        "Compute convolutions of three taps by Winograd's algorithm; run before scheduling, which tiles its parts.",
        when=convolution_algorithms,
        options=algorithms,
    ),
)
"""Lower kernels to structured computations, and choose their layouts and algorithms."""

TENSOR = (
    Step("tensor-propagate-sizes", "Mark them anew in what was rewritten; schedules depend on it."),
    Step("tensor-fill-margins", "Store padding behind the end of axes of varying size.", when=sizes_vary),
    Step("tensor-shorten-quantize", "Vectors of integers round as a whole.", when=tuned, options=target),
    Step("tensor-pick-schedule", "Choose schedules from shapes and target data.", options=schedules),
    Step(
        "tensor-fold-zero-points-into-inits",
        "Fold the zero point of bytes that are cached unmodified into the initial values of the accumulators.",
        when=tuned,
    ),
    Step(
        "tensor-limit-scratch",
        "Copy operands in smaller parts to meet a memory budget, at the price of copying some elements twice; after "
        "zero points are folded, which tells what a copy holds.",
        when=scratch_asked,
        options=scratch,
    ),
    Step("tensor-shorten-products", "Encode constants, which then are packed.", when=tuned, options=target),
    Step("tensor-pack-constants", "Rearrange weights on the host into the layout that their schedule asks for."),
    Step("tensor-describe-kernels", "Write the comment above each C kernel, while the IR still shows the formulas."),
    Step(
        "tensor-shorten-rescale",
        "Use fewer instructions where weights bound the rescaled sums; after the comments, which would read less well.",
        when=tuned,
    ),
    Step("tensor-number-zero-points", "Rescales have their last form.", when=packs_weights),
)
"""Choose schedules for the computations, and pack constants for them."""

LOOP = (
    Step(
        "tensor-lower-to-loop",
        "Lower schedules to loops, registers and flat indices, and main to calls on buffers.",
        options=described,
    ),
    Step("loop-start-device-copies", "Let kernels run during copies.", when=started, options=started_copies),
    Step("loop-start-device-calls", "Let devices run side by side.", when=calls_started, options=started_calls),
    Step("loop-hook-device-calls", "Run when all copies stand between kernels.", when=hooked, options=hooked_calls),
    Step("loop-eliminate-common-subexpressions", "Merge what several tiles compute, and remove dead code."),
    Step("loop-interleave-stores", "Merge stores of vectors whose bytes interleave in memory into interleaved stores."),
    Step("loop-form-fma", "Contract multiply and add to one fused instruction."),
    Step("loop-pair-loads", "What each tile loads is known, and merged, by now.", when=paired, options=target),
    Step(
        "loop-pack-nibbles",
        "Halve constants of four bits; their loads are known now.",
        when=sees_values,
        options=target,
    ),
    Step("loop-encode-constants", "Store others of few values as codes, likewise.", when=sees_values, options=target),
    Step("loop-hoist-loads", "Constants have their last form by now.", when=hoisted),
    Step("loop-split-kernels", "Threads synchronise between kernels only.", when=divided, options=least_work),
    Step("loop-fill-lanes", "Threads have scratch of their own, where they read what they have written.", when=divided),
    Step("loop-divide-among-threads", "The plan finds room for scratch of each.", when=divided, options=threads),
    Step("loop-cast-runs", "Loops are divided by now.", when=casts_in_runs, options=target),
    Step("loop-load-zero-points", "Operations have their last form.", when=packs_weights),
    Step("loop-strip-mine", "Bodies of loops have their last form.", when=scalable),
    Step("loop-limit-args", "Kernels have all their arguments by now.", options=arguments),
)
"""Lower schedules to loops over buffers."""

MEMORY = (
    Step("loop-promote-scratch", "What needs no memory is not planned.", when=in_one_step),
    Step("loop-stream-constants", "The plan then finds room for the copies.", when=streamed, options=streams),
    Step("loop-annotate-memory-scope", "The plan reads it.", when=apart, options=memories_apart),
    Step(
        "loop-plan-memory",
        "Assign every buffer of main an offset in one arena; where memory is short, outputs overlap dead inputs.",
        options=plan,
    ),
    Step("loop-place-code", "Kernels do not change from here on.", when=places_code, options=code),
    Step("loop-remove-self-copies", "Results that lie over an operand are not copied from there.", when=tuned),
    Step("loop-cut-into-steps", "The order stays, and with it the plan.", when=in_steps, options=steps),
    Step(
        "loop-poison-arena",
        "Debug builds overwrite dead buffers, which shows reads that the plan does not expect.",
        when=poisoned,
    ),
)
"""Assign buffers to addresses."""

C = (
    Step("loop-specialise-sizes", "Nothing changes kernels from here on, so clone them.", when=sizes_named),
    Step(
        "loop-lower-to-c",
        "Translate each operation to a C construct; prefix names with the network's name.",
        options=emission,
    ),
    Step("c-call-signed-shifts", "MISRA C forbids right shifts of negative numbers; call a function.", when=misra),
    Step("c-pack-weights", "All functions are there.", when=packs_weights, options=prefix),
    Step("c-name-temporaries", "Choose which values become C variables, and name them."),
    Step("c-place-constants", "Decide between C arrays and a binary file; all tables are there.", options=constants),
)
"""Lower loops to C declarations, statements and expressions."""

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
"""The passes of each stage; a stage without passes has no entry."""


def passes_of(stage: str, options: CompileOptions) -> list[PlannedPass]:
    """Return the passes that `stage` runs; `options.name` is the C name of the network."""
    steps, options = PIPELINE.get(stage, ()), seen_by(options, stage)
    return [step.pass_for(options) for step in steps if step.when(options) and runs(step.name, options.passes)]


LEVELS: Mapping[str, tuple[str, ...]] = {
    "graph": ("settle", "simplify", "graph"),
    "tensor": ("compute", "tensor"),
    "loop": ("loop", "memory"),
    "c": ("c",),
}
"""The stages whose results are in each dialect."""


def pipeline(options: CompileOptions) -> dict[str, list[PlannedPass]]:
    """Return all passes, keyed by the dialect that their stage produces."""
    return {level: [each for stage in stages for each in passes_of(stage, options)] for level, stages in LEVELS.items()}
