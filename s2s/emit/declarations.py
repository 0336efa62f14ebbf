"""Write the declarations of a network's headers, with the comments that state their contracts."""

from collections.abc import Sequence

from s2s.c_syntax.identifiers import c_identifier, c_macro
from s2s.dialects import c
from s2s.emit.info import NetworkInfo
from s2s.emit.statements import FunctionWriter, comment_lines, overlay_definition, struct_definition
from s2s.emit.units import Program, owner_of
from s2s.passes.loop.lower_to_c.device_hooks import ENTER, FROM, START, TO, way_of

RETURNS = "Returns S2S_OK, S2S_ERR_NULL if a pointer is missing, or S2S_ERR_ALIGN if arena is not aligned."
RETURNS_OF_SIZES = (
    "Returns S2S_OK, S2S_ERR_NULL if a pointer is missing, S2S_ERR_ALIGN if arena is not aligned,\n"
    "or S2S_ERR_SHAPE if one of dims is not within its bounds{}."
)
RUN_DOC = "Runs the network once. arena is scratch between calls; two arenas may run at the same time.\n"
THREADS_DOC = (
    "The threads of pool share the work; without one (NULL) the caller's thread does it all. The results are the same\n"
    "whatever their number. A pool serves one run at a time.\n"
)
STATEFUL_RUN_DOC = (
    "Runs the network once, from the state that the run before has left in arena.\n"
    "Two arenas are two independent streams over the same weights, and may run at the same time.\n"
)
STATEFUL_TABLES_DOC = (
    "An executor goes on from the state that the run before has left in its arena;\n"
    "s2s_executor_reset_state starts anew.\n"
    "Two executors are two independent streams over the same weights, and may run at the same time."
)
HOOKS_DOC = "{what}: size bytes, which never overlap; by default memcpy."
STARTED_DOC = (
    f"{HOOKS_DOC}\n"
    "A start may return before its copy is complete; another function waits for all copies that are under way."
)
AROUND_DOC = (
    "Called before and behind each sequence of kernels of {device}, for instance to wake it and to write caches back;\n"
    "what it reads has been written before it is entered. By default they do nothing."
)
CALLS_STARTED_DOC = (
    "Between start and wait the kernels of {device} are called. Functions of their names that a project gives may\n"
    "hand the calls over and return before they are done: {device} does what it is handed in order, copies too,\n"
    "and the wait returns when all of it is done. By default they do nothing."
)
GUARD_DOC = "A project may define these functions itself, where it compiles the network with {guard}."
BETWEEN_DEVICES = "Copies between the memory of the caller and that of {device}"
FROM_POOL = "Copies constants from pool {device} to the arena"
LOADED_RUN_DOC = (
    "Runs the network once. The arenas are scratch between calls but for the constants that have been loaded there;\n"
    "others may run at the same time.\n"
)
LOAD_DOC = (
    "Copies the constants to where kernels read them, from where the linker has put them.\n"
    f"Call it before the first run, and again where the memory has lost them.\n{RETURNS}"
)
RESET_DOC = (
    "Sets the state that arena keeps from run to run to its initial values.\n"
    f"Call it before the first run, and again to start anew.\n{RETURNS}"
)

BEGIN_DOC = (
    f"Begins a frame: what arena keeps of rows is padding. Call it before the first row of each frame.\n{RETURNS}"
)
PUSH_DOC = (
    "Takes the next count rows of the frame, any number at a time, and computes what they complete.\n"
    "Their memory may be overwritten when the function has returned. All rows since the last\n"
    "{name}_reset are the frame. Nothing else may write to arena before {name}_finish.\n"
    f"{RETURNS}\n"
    "Returns S2S_ERR_RANGE, and takes none, if count is negative or the frame has fewer rows left."
)
FINISH_DOC = (
    "Computes the outputs when all rows of the frame have been handed over.\n"
    f"{RETURNS}\n"
    "Returns S2S_ERR_STATE if rows are missing, or the frame has been finished before."
)
STEPS_DOC = "A run in steps: where it is, and what {name}_begin was given. An arena serves one run at a time."
PACK_DOC = (
    "The weights of the network, which a pack brings: all zeros until {name}_bind_weights.\n"
    "Several runs may share them."
)
BIND_DOC = (
    "Checks the pack at address, of at most size bytes, and binds it. It is read where it lies, and\n"
    "has to stay there. "
    "s2s_pack.h says which status names which fault; on an error nothing is bound."
)
OF_PACK = "\nReturns S2S_ERR_UNBOUND if no pack is bound to weights."
BEGIN_STEPS_DOC = (
    "Begins a run of {number} steps, of which none takes more than {longest:,} {unit}. Until the last step,\n"
    "inputs have to stay as they are, and nothing else may write to outputs and arena.\n"
)
STEP_DOC = (
    "Does the next step of a run. Returns S2S_MORE if another one follows, S2S_OK if it was the last: then\n"
    "outputs hold the results. Returns S2S_ERR_STATE if the run is over, or S2S_ERR_NULL if steps is missing."
)
ABORT_DOC = (
    "Gives a run up: no step follows until {name}_begin. Outputs{state} are of no use then.\n"
    "Returns S2S_OK, or S2S_ERR_NULL if steps is missing."
)
STEPPED_RUN_DOC = "Begins a run and does all of its steps, with S2S_BETWEEN_STEPS() between two of them.\n"
PUSHED_RUN_DOC = "Runs the network on a frame that is there as a whole: begins it, pushes its rows, and finishes it.\n"


def interface(program: Program, info: NetworkInfo) -> str:
    """Write the declarations of the public header: the run function, or the tables of the graph executor."""
    if program.graph is not None:
        lines = comment_lines("The network as tables for s2s_executor_init." + _of_tables(info))
        return "\n".join([*_hooks(program, info.name), *lines, f"extern const s2s_graph {info.name}_graph;"])
    if not program.entry:
        return ""
    *first, run = [(func.sym_name.data, FunctionWriter(func).prototype()) for func in program.entry]
    lines = [line for overlay in program.overlays for line in [*_overlay(overlay), ""]]
    for struct in program.structs:
        about = PACK_DOC if struct.sym_name.data == f"{info.name}_weights" else STEPS_DOC
        lines += [*comment_lines(about.format(name=info.name)), *struct_definition(struct), ""]
    if info.pack:
        of = f"({info.name}_weights *weights, const void *address, size_t size);"
        lines += [*comment_lines(BIND_DOC.format(name=info.name)), f"s2s_status {info.name}_bind_weights{of}", ""]
    lines += _hooks(program, info.name)
    is_pushed = f"{info.name}_push" in dict(first)
    docs = {
        f"{info.name}_reset": BEGIN_DOC if is_pushed else RESET_DOC,
        f"{info.name}_load": LOAD_DOC,
        f"{info.name}_push": PUSH_DOC.format(name=info.name),
        f"{info.name}_finish": FINISH_DOC,
        **_of_steps(info),
    }
    lines += [line for name, prototype in first for line in [*comment_lines(docs[name]), *prototype, ""]]
    doc = f"{THREADS_DOC if info.threads else ''}{_returns(info)}"
    for name, (least, most) in info.index_bounds.items():
        doc += f"\nReturns S2S_ERR_RANGE, and writes nothing, if {c_identifier(name)} is not within {least} ... {most}."
    doc += _of_computed_indices(info, "Returns")
    doc += OF_PACK if info.pack else ""
    what = STATEFUL_RUN_DOC if info.states else LOADED_RUN_DOC if info.loaded else RUN_DOC
    what = PUSHED_RUN_DOC if is_pushed else STEPPED_RUN_DOC + what if info.steps is not None else what
    return "\n".join([*lines, *comment_lines(what + doc), *run[1]])


def _of_steps(info: NetworkInfo) -> dict[str, str]:
    """Return the comments on the functions of a run in steps."""
    if info.steps is None:
        return {}
    begin = BEGIN_STEPS_DOC.format(**info.steps._asdict()) + _returns(info)
    begin += OF_PACK if info.pack else ""
    state = " and state" if info.states else ""
    abort = ABORT_DOC.format(name=info.name, state=state)
    return {f"{info.name}_begin": begin, f"{info.name}_step": STEP_DOC, f"{info.name}_abort": abort}


def _returns(info: NetworkInfo) -> str:
    if not info.sizes:
        return RETURNS
    has_steps = any(size.step > 1 for size in info.sizes.values())
    return RETURNS_OF_SIZES.format(", or between its steps" if has_steps else "")


def _of_tables(info: NetworkInfo) -> str:
    """State what a caller of the graph executor has to know of state and indices."""
    doc = f"\n{STATEFUL_TABLES_DOC}" if info.states else ""
    for name, (least, most) in info.index_bounds.items():
        doc += f"\nA run returns S2S_ERR_RANGE, and writes nothing, if {name} is not within {least} ... {most}."
    return doc + _of_computed_indices(info, "A run returns")


def _of_computed_indices(info: NetworkInfo, returns: str) -> str:
    """State what an index out of range does that a run computes."""
    if not info.checks_indices:
        return ""
    lost = "outputs and state are of no use then: reset it" if info.states else "outputs are of no use then"
    return f"\n{returns} S2S_ERR_RANGE if an index that it computes is out of range;\n{lost}."


def private_prototypes(program: Program) -> str:
    """Write the declarations of the header of kernels: the user's functions, and the kernels of all devices."""
    return "\n".join([*_callbacks(program.callbacks), *_prototypes(program.kernels)])


def hooks_guard(name: str, device: str) -> str:
    """Return the macro that leaves out the default hooks of a device."""
    return f"{c_macro(name)}_{c_macro(device)}_HOOKS"


def _hooks(program: Program, name: str) -> list[str]:
    """Write the declarations of copies to and from devices, and of what is called around their kernels."""
    lines: list[str] = []
    for device in program.hooked:
        mine = [hook for hook in program.hooks if owner_of(hook) == device]
        ways = {way_of(hook) for hook in mine}
        what = (BETWEEN_DEVICES if TO in ways else FROM_POOL).format(device=device)
        is_started = any("_start_copy_" in hook.sym_name.data for hook in mine)
        docs = [(STARTED_DOC if is_started else HOOKS_DOC).format(what=what)] if ways & {TO, FROM} else []
        docs += [CALLS_STARTED_DOC.format(device=device)] if START in ways else []
        docs += [AROUND_DOC.format(device=device)] if ENTER in ways else []
        docs.append(GUARD_DOC.format(guard=hooks_guard(name, device)))
        lines += [*comment_lines("\n".join(docs)), *_prototypes(mine), ""]
    return lines


def _prototypes(functions: Sequence[c.FuncOp]) -> list[str]:
    return [line for func in functions for line in FunctionWriter(func).prototype()]


def _callbacks(callbacks: Sequence[c.FuncOp]) -> list[str]:
    """Write commented prototypes of the functions that the user supplies."""
    lines: list[str] = []
    for func in callbacks:
        doc = func.doc.data if func.doc is not None else ""
        lines += [*comment_lines(doc), *FunctionWriter(func).prototype(), ""]
    return lines


def _overlay(overlay: c.OverlayOp) -> list[str]:
    """Write the type of the arena, for callers."""
    about = "The arena: buffers that live at different times share their bytes; whole is all of it."
    return [*comment_lines(about), *overlay_definition(overlay)]
