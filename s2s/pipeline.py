"""The compiler on one page: every pass, in order, with the reason it stands there."""

from collections.abc import Mapping
from typing import Any

from xdsl.passes import ModulePass

from s2s.errors import InputError
from s2s.options import CompileOptions, Io
from s2s.registry import get_pass
from s2s.targets import get_target

LEVELS = ("graph", "tensor", "loop", "c")
MOST_THREADS = 16
"""The threads that a pool of the runtime has room for, unless a project wants more."""
WORTH_A_FORK_JOIN = 16
"""A kernel with less work than so many times the fork-join cost is left to one thread: what two save there, they lose
by reading from each other's caches."""


def _pass(name: str, **options: Any) -> ModulePass:
    return get_pass(name)(**options)


def quantisation_passes(options: CompileOptions) -> list[ModulePass]:
    """From integers written as floats to integers. What the network computes is settled here; no other pass changes
    its integers, and its self-test expects what this leaves."""
    # Sums that could overflow are made wide, or refused.
    proof = _pass("graph-prove-accumulators")
    if options.schedule == "reference":
        return [proof]
    return [
        # Zero points that are found in a run stay out of products, so that these are of bytes.
        _pass("graph-hoist-zero-points"),
        # Whatever is quantised to unsigned bytes is so to signed ones: one kind is enough for all that follows.
        _pass("graph-make-bytes-signed"),
        # Before constants are folded: weights that are dequantised are integers until then.
        _pass("graph-lift-quantized"),
        # Layers that were floats may read unsigned inputs, and unsigned weights.
        _pass("graph-make-bytes-signed"),
        # ONNX scales sums in floats; devices without them do it in fixed point, if the user agrees.
        *([_pass("graph-requantize-in-fixed-point")] if options.requantise == "fixed" else []),
        proof,
    ]


def graph_passes(options: CompileOptions) -> list[ModulePass]:
    """From the imported network to kernels of graph operations and a `main` of calls."""
    simplify = [
        # What depends on weights alone is computed here and now.
        _pass("graph-fold-constants"),
        # Importers and folding leave identities, double transposes and reshapes; clear them before patterns look.
        _pass("graph-remove-identities"),
        _pass("graph-canonicalize-reshapes"),
        # Padding first, so that batch norm and bias find the convolution next to them.
        _pass("graph-canonicalize-pads"),
        # A batch norm becomes weights of its convolution; a lone one becomes a multiply and an add …
        _pass("graph-fold-batch-norm"),
        # … which, like any addition of a constant per channel, is a bias.
        _pass("graph-canonicalize-bias"),
        # What found no layer to go into is one multiply and one add at most.
        _pass("graph-canonicalize-affine"),
        # Layers of integers read their input as it is stored, the zero point being part of the bias.
        _pass("graph-fold-zero-points"),
        # Norms and activations are written with powers, which are dear as such.
        _pass("graph-expand-powers"),
        # Norms in steps become one operation, now that their squares are products.
        _pass("graph-form-layer-norms"),
        # Every spelling of relu and clip becomes a clamp.
        _pass("graph-canonicalize-activations"),
        # Scores are scaled and masked in one way, while masks can still fold and twins among them be found.
        _pass("graph-canonicalize-attention"),
        # The rewrites above leave new constants, twins and dead operations behind.
        _pass("graph-fold-constants"),
        _pass("graph-eliminate-common-subexpressions"),
        _pass("graph-eliminate-dead-code"),
    ]
    if options.schedule == "reference":
        simplify = [_pass("graph-fold-constants"), _pass("graph-remove-identities"), _pass("graph-eliminate-dead-code")]
    return [
        *quantisation_passes(options),
        *simplify,
        *(_for_vectors(options) if options.schedule != "reference" else []),
        # Each output gets a kernel of its own, so that kernels can write the caller's buffers.
        _pass("graph-copy-outputs"),
        # A budget of memory has its price: chains run in stripes of rows, and compute some rows twice.
        *([_stripe(options)] if options.stripes else []),
        # An attention is one kernel although reductions stand between its products: its scores must not exist whole.
        *([_pass("graph-fuse-attention", target=name_of(options))] if options.schedule != "reference" else []),
        # Bytes pass between kernels as bytes, however many kernels read them.
        *([_pass("graph-rematerialise-casts")] if options.schedule != "reference" else []),
        # Operators that belong together become one kernel; main becomes calls.
        _pass("graph-fuse-ops", target=name_of(options), enable=options.schedule != "reference"),
        # Equal layers share one kernel and differ in their weights.
        _pass("graph-share-kernels"),
        # The order of calls decides how much memory lives at once.
        _pass("graph-order-calls", target=name_of(options)),
    ]


def _for_vectors(options: CompileOptions) -> list[ModulePass]:
    """Operators as other operators that vectors are better at."""
    return [
        # Steps of a stride that hit nothing are left out, here where the phases are convolutions like any other.
        _pass("graph-split-transposed-conv", target=name_of(options)),
        # Vectors run along the channels of one group, so that a group should fill one. Zeros between groups let an
        # infinity of one reach another.
        *([] if options.exact else [_pass("graph-merge-conv-groups", target=name_of(options))]),
    ]


def tensor_passes(options: CompileOptions) -> list[ModulePass]:
    """From graph operations to scheduled computations."""
    tuned = options.schedule != "reference"
    return [
        # Operators become domains, access maps and scalar bodies.
        _pass("graph-lower-to-tensor"),
        # Bias, activation and residual move into the computation that feeds them; schedules then tile the whole.
        *([_pass("tensor-fuse-computes")] if tuned else []),
        # Activations in blocks of channels, so that vectors find neighbours; a change of maps, so after all fusion.
        *([_pass("tensor-block-channels", target=name_of(options))] if tuned else []),
        # Computations that stay in one kernel walk through it in blocks, while dimensions still are what they were.
        *([_pass("tensor-tile-and-fuse", target=name_of(options))] if tuned else []),
        # What is too large for a cache between two kernels is made and used in stripes that fit it.
        *([_pass("tensor-tile-rows", target=name_of(options))] if tuned else []),
        # Channels in blocks lie in one piece: what a concatenation puts together is written there at once. Buffers that
        # are parts of others cannot lie over operands, which saves more where memory is short.
        *([_pass("tensor-concatenate-in-place")] if tuned and not _overlaps(options) else []),
        # Groups and what is in a group, where they are no blocks of a layout.
        *([_pass("tensor-split-dims", target=name_of(options))] if tuned else []),
        # Fewer, longer dimensions tile better.
        *([_pass("tensor-collapse-dims")] if tuned else []),
        # Factors that are no constants are copied panel by panel; their dimensions are final now.
        *([_pass("tensor-cache-panels", target=name_of(options))] if tuned else []),
        # Windows that slide over each channel by itself run along channels, of images as the caller has them too.
        *([_pass("tensor-cache-images", target=name_of(options))] if tuned else []),
        # Fewer products for 3x3 convolutions, each access map being as short as it gets; schedules then tile the parts.
        *([_pass("tensor-transform-convolutions", target=name_of(options))] if tuned and _may_round(options) else []),
        # How each computation is carried out, from shapes and the target's data.
        _pass("tensor-pick-schedule", target=name_of(options), schedule=options.schedule, threads=options.threads),
        # A budget of memory has its price: operands are copied in smaller parts, some of them twice.
        *([_pass("tensor-limit-scratch", elements=options.scratch)] if options.scratch is not None else []),
        # Bytes that are copied as they are hold their zero point, which is known to sums before they begin.
        *([_pass("tensor-fold-zero-points-into-inits")] if tuned else []),
        # Weights take the layout that their schedule asks for, on the host.
        _pass("tensor-pack-constants"),
        # While formulas can still be read off: the comment above each kernel in C.
        _pass("tensor-describe-kernels"),
        # Weights bound the sums that are rescaled; small ones take a shorter form, which reads less well.
        *([_pass("tensor-shorten-rescale")] if tuned else []),
    ]


def _may_round(options: CompileOptions) -> bool:
    """Whether an algorithm may be another one, with other roundings and more memory."""
    return not options.exact and options.ram_budget is None


def _stripe(options: CompileOptions) -> ModulePass:
    first, last, rows = zip(*options.stripes, strict=True)
    return _pass("graph-tile-rows", first=first, last=last, rows=rows)


def name_of(options: CompileOptions) -> str:
    """How passes name the target."""
    return get_target(options.target).name


def io_of(options: CompileOptions) -> Io:
    """Where inputs and outputs live: as the user says, else as the target has it. Tables name buffers of the caller."""
    if options.executor == "graph":
        if options.poison:
            raise InputError("--poison: the tables of executor graph call nothing but kernels; use executor aot")
        if options.io == "arena":
            raise InputError("--io arena: the tables of executor graph take buffers of the caller; use executor aot")
        return "caller"
    return options.io or get_target(options.target).io


def _overlaps(options: CompileOptions) -> bool:
    """Whether results may lie over operands: where memory is short."""
    return "arena" in (get_target(options.target).io, options.io or "") or options.ram_budget is not None


def _divide(options: CompileOptions) -> list[ModulePass]:
    """Where there are threads, and code that may use them."""
    given = f"--threads {options.threads}"
    if options.executor == "graph":
        raise InputError(f"{given}: the tables of executor graph call kernels one by one; use executor aot")
    if options.profile == "misra":
        raise InputError(f"{given}: the pool of threads is not written to MISRA C; leave --profile out")
    target = get_target(options.target)
    if not target.fork_join:
        raise InputError(f"{given}: target {target.name} has no threads; leave the option out, or use another target")
    least = WORTH_A_FORK_JOIN * target.fork_join
    return [
        # Threads meet between kernels only: what has to be done before something else is a kernel of its own.
        _pass("loop-split-kernels", least=least),
        # What each thread needs for itself is memory to be planned.
        _pass("loop-divide-among-threads", threads=options.threads, least=least, target=name_of(options)),
    ]


def loop_passes(options: CompileOptions) -> list[ModulePass]:
    """From schedules to loops over buffers with addresses."""
    target, io = get_target(options.target), io_of(options)
    if not 1 <= options.threads <= MOST_THREADS:
        raise InputError(f"--threads {options.threads}: give a number from 1 to {MOST_THREADS}")
    if options.threads == 1 and options.threading != "pthreads":
        raise InputError(f"--threading {options.threading}: one thread needs none; give --threads 2 or more as well")
    return [
        # Schedules become loops, registers and flat positions; main becomes calls on buffers.
        _pass("tensor-lower-to-loop"),
        # Constants and indices that tiles computed alike are kept once; what nobody uses goes.
        _pass("loop-eliminate-common-subexpressions"),
        # Bytes of several channels come as vectors of one each, and are written in turn.
        _pass("loop-interleave-stores"),
        # Vectors multiply and add in one instruction.
        _pass("loop-form-fma"),
        # Kernels that are worth it are divided.
        *(_divide(options) if options.threads > 1 else []),
        # Every buffer of main gets its offset in one arena; where memory is short, outputs lie over inputs that die.
        _pass("loop-plan-memory", align=target.align, io=io, overlap=_overlaps(options)),
        # A debug build that shows whether anybody reads what the plan takes for dead.
        *([_pass("loop-poison-arena")] if options.poison else []),
    ]


def c_passes(options: CompileOptions, name: str) -> list[ModulePass]:
    """From loops to C declarations, statements and expressions."""
    if options.profile == "misra" and options.executor == "graph":
        raise InputError("--profile misra: the graph executor is written for any network; use --executor aot")
    return [
        # One C construct for each operation; names take the network's prefix.
        _pass("loop-lower-to-c", prefix=name, executor=options.executor, profile=options.profile),
        # A coding standard may forbid what every compiler does.
        *([_pass("c-call-signed-shifts")] if options.profile == "misra" else []),
        # Decide which values become variables, and what they are called.
        _pass("c-name-temporaries"),
    ]


def pipeline(options: CompileOptions, name: str) -> Mapping[str, list[ModulePass]]:
    """All passes by the level that they end on."""
    return {
        "graph": graph_passes(options),
        "tensor": tensor_passes(options),
        "loop": loop_passes(options),
        "c": c_passes(options, name),
    }


__all__ = ["LEVELS", "pipeline", "quantisation_passes"]
