"""When the pipeline runs a pass, and the options of the pass, as functions of the options of a compilation."""

from collections.abc import Callable, Mapping
from typing import Any

from s2s.decisions import scratch as scratch_of_kernels
from s2s.decisions.constants import form_of
from s2s.decisions.names import CHANNEL_ORDER, EXTERNAL, LINE_BUFFERS, WHOLE
from s2s.options import CompileOptions, Io
from s2s.options.values import ram_goal
from s2s.targets import get_target
from s2s.types.devices import COST, HOOKED, MAIN, OWN, SHARED, STARTED
from s2s.types.pools import code_pools, data_pools
from s2s.types.sizes import varying

Condition = Callable[[CompileOptions], bool]
Arguments = Callable[[CompileOptions], Mapping[str, Any]]


def always(_: CompileOptions) -> bool:
    """Return true: every compilation runs the pass."""
    return True


def tuned(options: CompileOptions) -> bool:
    """Return whether the schedules are optimised: `--schedule reference` fuses and tiles nothing."""
    return options.schedule != "reference"


def fixed_point(options: CompileOptions) -> bool:
    """Return whether the user permits fixed-point scaling of the sums of quantised ONNX models."""
    return tuned(options) and options.requantise == "fixed"


def activations(options: CompileOptions) -> Mapping[str, Any]:
    """Return which products with weights in blocks take activations of 8 bits."""
    return {"activations": options.activations}


def inexact(options: CompileOptions) -> bool:
    """Return whether floats may be summed in another order than the model's."""
    return tuned(options) and not options.exact


def channels(options: CompileOptions) -> Mapping[str, Any]:
    """Return the target, which decides how many channels are worth to keep, and whether floats are summed exactly."""
    return {**target(options), "exact": options.exact}


def other_algorithms(options: CompileOptions) -> bool:
    """Return whether an operator may be computed by an algorithm that rounds differently and takes more memory."""
    return inexact(options) and ram_goal(options) is None


def convolution_algorithms(options: CompileOptions) -> bool:
    """Return whether convolutions may be computed by algorithms that take more memory."""
    return tuned(options) and (ram_goal(options) is None or options.prefer == "time")


def algorithms(options: CompileOptions) -> Mapping[str, Any]:
    """Return the target, whether floats are summed exactly, and the memory that algorithms of convolutions may take."""
    ram = options.ram_budget if options.transformed_ram is None else options.transformed_ram
    flash = -1 if options.transformed is None else options.transformed
    return {**channels(options), "flash": flash, "ram": ram if isinstance(ram, int) else -1}


def results_over_operands(options: CompileOptions) -> bool:
    """Return whether results may overlap their operands, because memory is short."""
    return "arena" in (options.target.io, options.io or "") or ram_goal(options) is not None


def results_apart(options: CompileOptions) -> bool:
    """Return whether results are stored apart from their operands, because memory is not short."""
    return sizes_constant(options) and not results_over_operands(options)


def sizes_vary(options: CompileOptions) -> bool:
    """Return whether sizes are known at run time only."""
    return bool(varying(options.dims))


def sizes_counted(options: CompileOptions) -> bool:
    """Return whether the run function may compute sizes from the values of inputs."""
    plain = options.executor == "aot" and options.profile == "default" and not options.devices
    return sizes_constant(options) and plain and not options.poison


def sizes_named(options: CompileOptions) -> bool:
    """Return whether kernels are specialised for sizes of a run."""
    return any(size.special for size in varying(options.dims).values())


def sizes_constant(options: CompileOptions) -> bool:
    """Return whether all sizes are constant, which passes need that lay out tensors in panels or tiles."""
    return tuned(options) and not sizes_vary(options)


def sections_asked(options: CompileOptions) -> bool:
    """Return whether a budget of RAM or a given decision may want sections of operators in line buffers."""
    return bool(options.line_buffers) or ram_goal(options) is not None or LINE_BUFFERS in options.decisions


def rows_pushed(options: CompileOptions) -> bool:
    """Return whether the caller hands over the rows of an input one after the other."""
    return options.push is not None


def channel_orders(options: CompileOptions) -> Mapping[str, Any]:
    """Return the target, and whether operators may run row by row, which wants channels last."""
    given = options.decisions.get(LINE_BUFFERS, {}).values()
    by_rows = rows_pushed(options) or options.by_rows or any(choice != WHOLE for choice in given)
    return {**target(options), "by_rows": by_rows}


def rows_asked(options: CompileOptions) -> bool:
    """Return whether operators may run row by row, or a given decision may want channels last."""
    return channel_orders(options)["by_rows"] or CHANNEL_ORDER in options.decisions


def scratch_asked(options: CompileOptions) -> bool:
    """Return whether a budget of RAM or a given decision may limit the scratch of kernels."""
    return {options.scratch, ram_goal(options)} != {None} or scratch_of_kernels.KIND in options.decisions


def placed(options: CompileOptions) -> bool:
    """Return whether there are several devices."""
    return bool(options.devices)


def apart(options: CompileOptions) -> bool:
    """Return whether a device has a memory of its own."""
    return any(not each.shared for each in options.devices)


def started(options: CompileOptions) -> bool:
    """Return whether the hooks of a device start copies and wait for them."""
    return any(each.copy == STARTED for each in options.devices)


def calls_started(options: CompileOptions) -> bool:
    """Return whether the kernels of a device are started and waited for."""
    return any(each.calls == STARTED for each in options.devices)


def hooked(options: CompileOptions) -> bool:
    """Return whether hooks are called around the kernels of a device."""
    return any(each.calls == HOOKED for each in options.devices)


def streamed(options: CompileOptions) -> bool:
    """Return whether constants are copied from a slow memory before kernels read them."""
    return any(pool.is_streamed for pool in options.pools)


def external(options: CompileOptions) -> bool:
    """External code generators may compute operators."""
    return bool(options.external or EXTERNAL in options.decisions) or any(each.external for each in options.devices)


def tables(options: CompileOptions) -> bool:
    """An executor walks tables, which a graph JSON describes."""
    return options.executor == "graph"


def paired(options: CompileOptions) -> bool:
    """Return whether one load of scalar code may move two floats."""
    return tuned(options) and options.target.load_floats > 1


def hoisted(options: CompileOptions) -> bool:
    """Return whether register tiles fill the registers, so that constants are loaded before loops."""
    target = options.target
    return tuned(options) and bool(target.intrinsics_of("dot") or target.intrinsics_of("dot_window"))


def casts_in_runs(options: CompileOptions) -> bool:
    """Return whether the runtime has vectors that cast runs of numbers."""
    return tuned(options) and options.target.casts_runs


def scalable(options: CompileOptions) -> bool:
    """Return whether vectors have a length that is known at run time only."""
    return tuned(options) and options.target.scalable_bits > 0


def divided(options: CompileOptions) -> bool:
    """Return whether kernels may be divided among threads."""
    return options.threads > 1


def in_one_step(options: CompileOptions) -> bool:
    """Return whether no kernel is cut, so that its variables live as long as it runs."""
    return tuned(options) and not in_steps(options)


def in_steps(options: CompileOptions) -> bool:
    """Return whether a run is cut into steps."""
    return options.steps is not None


def steps(options: CompileOptions) -> Mapping[str, Any]:
    """Return the most that a step may take, and the target whose cycles count."""
    return {} if options.steps is None else {**options.steps._asdict(), **target(options)}


def poisoned(options: CompileOptions) -> bool:
    """Return whether this is a debug build of the memory plan."""
    return options.poison


def misra(options: CompileOptions) -> bool:
    """Return whether the emitted C follows MISRA C."""
    return options.profile == "misra"


def windows_move(options: CompileOptions) -> bool:
    """Return whether windows over streams may move through memory; MISRA C and rows of tables want fixed addresses."""
    return not misra(options) and not tables(options)


def io_of(options: CompileOptions) -> Io:
    """Return where inputs and outputs are stored, as the user or the target says; tables name buffers of the caller."""
    of_caller = options.executor == "graph" or data_pools(options.pools) or options.devices or options.push
    return "caller" if of_caller else options.io or options.target.io


def described(options: CompileOptions) -> Mapping[str, Any]:
    """Return whether executor `graph` needs a description of the network with the shapes of all tensors."""
    return {"shapes": True} if options.executor == "graph" else {}


def no_arguments(_: CompileOptions) -> Mapping[str, Any]:
    """Return no options, for passes that the options of a compilation do not change."""
    return {}


def target(options: CompileOptions) -> Mapping[str, Any]:
    """Return the target, for passes that read its data."""
    return {"target": options.target.name}


def sections(options: CompileOptions) -> Mapping[str, Any]:
    """Return the sections of operators that run row by row."""
    first, last = zip(*options.line_buffers, strict=True) if options.line_buffers else ((), ())
    return {**target(options), "first": first, "last": last}


def pushed(options: CompileOptions) -> Mapping[str, Any]:
    """Return the input whose rows are pushed, and their axis."""
    return {} if options.push is None else options.push._asdict()


def devices(options: CompileOptions) -> Mapping[str, Any]:
    """Return the devices beside the first one, and what users want to run there."""
    return {
        **target(options),
        "devices": tuple(each.name for each in options.devices),
        "layers": tuple(f"{each.name}={layer}" for each in options.devices for layer in each.layers),
        "operators": tuple(f"{each.name}={operator}" for each in options.devices for operator in each.operators),
        **({"costs": _costs(options)} if any(each.placement == COST for each in options.devices) else {}),
    }


def _costs(options: CompileOptions) -> tuple[str, ...]:
    """Return what placement by cost reads of each device."""
    return tuple(
        f"{each.name}={get_target(options.target if each.target is None else each.target).name}"
        f"/{each.clock}/{each.rate}/{each.latency}/{each.placement}/{SHARED if each.shared else OWN}"
        for each in options.devices
    )


def shared_memory(options: CompileOptions) -> Mapping[str, Any]:
    """Return the devices that see the memory of the first one."""
    return {"shared": tuple(each.name for each in options.devices if each.shared)}


def memories_apart(options: CompileOptions) -> Mapping[str, Any]:
    """Return the devices with a memory of their own."""
    return {"devices": tuple(each.name for each in options.devices if not each.shared)}


def started_copies(options: CompileOptions) -> Mapping[str, Any]:
    """Return the devices whose hooks start copies and wait for them."""
    return {"devices": tuple(each.name for each in options.devices if each.copy == STARTED)}


def started_calls(options: CompileOptions) -> Mapping[str, Any]:
    """Return the devices whose kernels are started, and which of these devices have a memory of their own."""
    found = [each for each in options.devices if each.calls == STARTED]
    apart = tuple(each.name for each in found if not each.shared)
    return {"devices": tuple(each.name for each in found), "apart": apart}


def hooked_calls(options: CompileOptions) -> Mapping[str, Any]:
    """Return the devices around whose kernels hooks are called."""
    return {"devices": tuple(each.name for each in options.devices if each.calls == HOOKED)}


def generators(options: CompileOptions) -> Mapping[str, Any]:
    """The external code generators with their modes, behind the name of the device where it is not the first one."""
    first = tuple(f"{name}={mode}" for name, mode in options.external)
    return {"generators": (*first, *(f"{each.name}:{text}" for each in options.devices for text in each.external))}


def _targets(options: CompileOptions) -> Mapping[str, Any]:
    """The target of the first device, and the targets of the others."""
    others = tuple(f"{each.name}={get_target(each.target).name}" for each in options.devices if each.target is not None)
    return {**target(options), **({"targets": others} if others else {})}


def generators_for_target(options: CompileOptions) -> Mapping[str, Any]:
    """The external code generators, what they generate for, and whether sums keep the order of the model."""
    return {**_targets(options), **generators(options), "exact": options.exact}


def prefix(options: CompileOptions) -> Mapping[str, Any]:
    """The name of the network in C."""
    return {"prefix": options.name}


def prefixed(options: CompileOptions) -> Mapping[str, Any]:
    """The name of the network in C, and the targets."""
    return {**_targets(options), "prefix": options.name}


def least_work(options: CompileOptions) -> Mapping[str, Any]:
    """Return the threshold of work below which a kernel stays on one thread."""
    return {"least": options.target.least_work}


def threads(options: CompileOptions) -> Mapping[str, Any]:
    """Return the number of threads, and the work from which dividing a kernel pays."""
    return {**target(options), "threads": options.threads, **least_work(options)}


def schedules(options: CompileOptions) -> Mapping[str, Any]:
    """Return the options that schedules depend on."""
    return {"target": options.target.name, "schedule": options.schedule, "threads": options.threads}


def scratch(options: CompileOptions) -> Mapping[str, Any]:
    """Return the number of elements to which a window copied to scratch is limited."""
    return {**target(options), "elements": scratch_of_kernels.UNLIMITED if options.scratch is None else options.scratch}


def arguments(options: CompileOptions) -> Mapping[str, Any]:
    """Return the arguments that a function of each device may have."""
    targets = {MAIN: options.target} | {each.name: each.target or options.target for each in options.devices}
    return {"limits": tuple(f"{name}={get_target(each).max_function_args}" for name, each in targets.items())}


def fusion(options: CompileOptions) -> Mapping[str, Any]:
    """Return whether operators may share kernels."""
    may = {"enable": tuned(options) and options.passes.level > 0, "depth": options.passes.fusion_depth}
    return {**target(options), **arguments(options), **may}


def plan(options: CompileOptions) -> Mapping[str, Any]:
    """Return the options of the memory plan: alignment, where ports are stored, whether results overlap operands."""
    own, given = [each for each in options.devices if not each.shared], dict[str, Any]()
    if pools := data_pools(options.pools):
        given["pools"] = tuple(map(str, pools))
    if own:
        given["devices"] = tuple(each.name if each.size is None else f"{each.name}={each.size}" for each in own)
    targets = [options.target, *(each.target for each in own if each.target is not None)]
    given["align"] = max(get_target(each).align for each in targets)
    return {"io": io_of(options), "overlap": results_over_operands(options), **given, **target(options)}


def streamed_to(options: CompileOptions) -> Mapping[str, Any]:
    """Return the size of the memory that constants are copied to: the first pool that holds buffers."""
    room = next(pool.size for pool in options.pools if pool.may_hold(is_constant=False))
    return {"room": room, **target(options)}


def streams(options: CompileOptions) -> Mapping[str, Any]:
    """Return the memory pools, and the alignment of buffers."""
    return {key: value for key, value in plan(options).items() if key in ("pools", "align", "target")}


def places_code(options: CompileOptions) -> bool:
    """Return whether functions of kernels go to memory pools."""
    return bool(code_pools(options.pools))


def code(options: CompileOptions) -> Mapping[str, Any]:
    """Return the memory pools of functions, and the functions that the user places."""
    places = tuple(map("=".join, options.place.items()))
    return {"pools": tuple(map(str, code_pools(options.pools))), "places": places, **target(options)}


def constants(options: CompileOptions) -> Mapping[str, Any]:
    """Return where the user wants constants to be written."""
    return {**target(options), "form": form_of(options, data_pools(options.pools))}


def emission(options: CompileOptions) -> Mapping[str, Any]:
    """Return the names and the form of the C."""
    return {"prefix": options.name, "executor": options.executor, "profile": options.profile}
