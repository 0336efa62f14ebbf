"""Write parts of a tree's README: its first sentence, the table of facts, and a sample call."""

from collections.abc import Mapping, Sequence

from s2s.c_syntax.identifiers import c_macro, line_comment, markdown_code
from s2s.emit.arenas import arena_definitions
from s2s.emit.definitions import Row
from s2s.emit.info import NetworkInfo
from s2s.emit.sbom import FILE as SBOM
from s2s.emit.sizes import found_sizes, graph_sizes, sample_dims
from s2s.emit.stream import Content
from s2s.emit.view import PortView
from s2s.types.devices import MAIN


def lead(info: NetworkInfo) -> str:
    """Describe the network in one Markdown sentence."""
    if not info.description:
        return "A neural network as portable C99."
    return f"{markdown_code(info.description)}, a neural network as portable C99."


def facts(info: NetworkInfo, weights_size: int, ports: Sequence[PortView], packed: Sequence[str] = ()) -> list[Row]:
    """The first table of the README."""
    room = ", with room for inputs and outputs" if info.io == "arena" else ""
    bound = f"no plan for this order of kernels needs less than {info.arena_lower_bound}"
    rows = [
        Row("model", f"{markdown_code(info.source)}, sha256 `{info.sha256}`"),
        Row("arena (RAM)", f"{info.arena_size} bytes{room}; {bound}"),
        Row("weights (flash)", f"{weights_size} bytes"),
    ]
    if info.pushed is not None:
        rows.append(Row("rows", info.pushed.describe()))
    if info.steps is not None:
        rows.append(Row("steps", info.steps.describe()))
    if info.threads is not None:
        rows.append(Row("threads", f"at most {info.threads.most}, with scratch of their own in the arena"))
    if packed:
        found = "by `s2s_global_registry()`, or by the linker if `S2S_LINK_PACKED` is defined (`s2s_packed.h`)"
        rows.append(Row("packed functions", f"{', '.join(map(markdown_code, packed))}: found {found}"))
    if info.measured is not None:
        stack = info.measured.stack
        rows.append(Row("code (flash)", f"{info.measured.code} bytes, by {info.measured.by}"))
        rows.append(Row("stack", f"{stack} bytes" if stack is not None else f"unknown: {info.measured.stack_note}"))
    rows += [Row(*(part.strip() for part in port.comment.split(":", 1))) for port in ports]
    return [Row(row.name, row.value if row.value.startswith("`") else line_comment(row.value)) for row in rows]


def usage(info: NetworkInfo) -> str:
    """Write a sample call of the run function."""
    macro, typed = c_macro(info.name), info.arena_type
    arena, handed = ("arena", ["&arena"]) if typed else (f"{info.name}_arena", [f"{info.name}_arena"])
    if info.pools:
        handed = [f"&{each.parameter}" if typed else f"{info.name}_{each.parameter}" for each in info.pools]
    types = {each.parameter: f"{typed}_{each.name}" for each in info.pools} or {arena: typed}
    lines = [f"static {of} {each};" for each, of in types.items()] if typed else arena_definitions(info, arena)
    for port in info.ports:
        if port.offset is None:
            is_row = info.pushed is not None and port is info.inputs[0]
            size = f"{macro}_PUSHED_ROW_SIZE" if is_row else f"{info.port_macro(port)}_SIZE"
            lines.append(f"static {port.c_type} {port.identifier}[{size}];")
        else:
            pointer = f"{arena}.{port.identifier}.data" if typed else info.place_of(port, arena)
            lines.append(f"{port.c_type} *const {port.identifier} = {pointer};")
    lines += sample_dims(info, f"{info.name}_sizes")
    first = [f"{info.load(handed)}; /* once, before the first run */"] if info.loaded else []
    if info.states:
        first.append(f"{info.reset(handed)}; /* once, before the first run */")
    if info.threads is not None:
        start = f"s2s_pool_start(&pool, {macro}_THREADS); /* once, before the first run */"
        lines += ["static s2s_pool pool;", "", start]
    if info.pack:
        lines += [f"static {info.name}_weights weights;", "", f"{info.bind('pack', 'sizeof pack')}; /* once */"]
    if info.pushed is not None:
        return "\n".join([*lines, "", *_pushed_usage(info, ", ".join(handed))])
    names = [port.identifier for port in info.ports]
    if info.steps is not None:
        given = info.arguments(handed, names, weights="&weights", pool="", sizes=f"&{info.name}_sizes")
        return "\n".join([*lines, "", *first, *_stepped_usage(info.name, given)])
    run = f"s2s_status status = {info.run(handed, names, sizes=f'&{info.name}_sizes')};"
    return "\n".join([*lines, "", *first, run, *found_sizes(info, f"{info.name}_sizes")])


def _pushed_usage(info: NetworkInfo, handed: str) -> list[str]:
    """Write a sample of the calls for one frame."""
    row, outputs = info.inputs[0], info.outputs
    name, macro = info.name, c_macro(info.name)
    results = ", ".join([handed, *(port.identifier for port in outputs)])
    return [
        f"s2s_status status = {name}_reset({handed}); /* before each frame */",
        f"for (unsigned i = 0; status == S2S_OK && i < {macro}_PUSHED_ROWS; i++) {{",
        f"    read_row({row.identifier}); /* from the camera */",
        f"    status = {name}_push({handed}, {row.identifier}, 1); /* or several rows at a time */",
        "}",
        "if (status == S2S_OK) {",
        f"    status = {name}_finish({results});",
        "}",
    ]


def _stepped_usage(name: str, given: Sequence[str]) -> list[str]:
    """Write a sample of the calls for one run in steps."""
    return [
        f"static {name}_steps steps;",
        f"s2s_status status = {name}_begin(&steps, {', '.join(given)});",
        "if (status == S2S_OK) {",
        "    do {",
        f"        status = {name}_step(&steps); /* on S2S_MORE, do something else before the next one */",
        "    } while (status == S2S_MORE);",
        "}",
    ]


def first_arena(info: NetworkInfo) -> str:
    """Return the arguments of `s2s_executor_init` for the arena of the first device."""
    own = "arena" if not info.pools else next((pool.parameter for pool in info.pools if pool.name == MAIN), "")
    return f"{own}, sizeof {own}" if own else "NULL, 0u"


def further_arenas(info: NetworkInfo) -> list[str]:
    """Return the arenas of further devices in order, as `s2s_executor_set_device_arena` takes them."""
    return [pool.parameter for pool in info.pools if pool.name != MAIN]


def memory(info: NetworkInfo) -> str:
    """State the memory that is allocated, and the memory that lasts between runs."""
    if info.loaded and not info.states:
        return (
            f"Nothing is allocated. `{info.name}_load` copies {info.loaded} bytes of constants to the memory pools "
            "that hold them;\nbetween calls the rest of the arenas is scratch."
        )
    if info.pushed is not None:
        return (
            f"Nothing is allocated. From `{info.name}_reset` to `{info.name}_finish` the arena holds the rows that are "
            "read again; before and\nbehind it is scratch. Two arenas may take two frames at the same time. "
            f"`{info.name}_run` does all of it for a frame that is there as a whole."
        )
    if not info.states:
        return (
            "Nothing is allocated and nothing is kept between calls: the arena is scratch, "
            "and two arenas may run at the same time."
        )
    size = f"{c_macro(info.name)}_STATE_SIZE"
    return (
        f"Nothing is allocated. The first `{size}` bytes of the arena are the state, which lasts from run to run: copy "
        "them\nout to take a snapshot, and back, or into another arena, to restore it. "
        "Two arenas are two independent streams\nover the same weights, and may run at the same time."
    )


def graph_usage(info: NetworkInfo) -> str:
    """Write a sample call of the graph executor."""
    name, macro = info.name, c_macro(info.name)
    others = [pool for pool in info.pools if pool.name != MAIN]
    return "\n".join(
        [
            f"S2S_ARENA(arena, {macro}_GRAPH_STAGED_SIZE, {macro}_ARENA_ALIGN);",
            *(
                f"S2S_ARENA({each.parameter}, {macro}_ARENA_{c_macro(each.name)}_SIZE, {macro}_ARENA_ALIGN);"
                for each in others
            ),
            "static s2s_executor executor;",
            f"static void *slots[{macro}_GRAPH_SLOTS];",
            *sample_dims(info, "sizes"),
            "",
            f"s2s_executor_init(&executor, &{name}_graph, arena, sizeof arena, slots, {macro}_GRAPH_SLOTS);",
            *([f"s2s_executor_set_sizes(&executor, sizes, {graph_sizes(info)});"] if info.sizes else []),
            *(
                f"s2s_executor_set_device_arena(&executor, {number}, {each.parameter}, sizeof {each.parameter});"
                for number, each in enumerate(others)
            ),
            "s2s_executor_set_input(&executor, 0, &tensor); /* an s2s_tensor that describes the caller's array */",
            "s2s_executor_run(&executor);",
            *found_sizes(info, "sizes"),
            "s2s_executor_output_info(&executor, 0, &tensor, NULL); /* tensor.data points at the result */",
        ]
    )


def files_in_words(files: Mapping[str, Content], name: str) -> list[Row]:
    """The README's table of files."""
    known = {
        f"include/{name}.h": "sizes, shapes and the run function",
        f"src/{name}.c": "the network: one call a kernel",
        f"src/{name}_graph.c": "the network: tables for the executor",
        f"src/{name}_kernels.c": "the kernels",
        f"src/{name}_kernels.h": "their declarations, private",
        f"src/{name}_trace.h": f"hooks around the calls of kernels, in builds with `{c_macro(name)}_TRACE`",
        f"src/{name}_callbacks.c": "functions of the user",
        f"src/{name}_weights.c": "the constants",
        f"src/{name}_weights.c.bin": "their bytes",
        "MISRA.md": "the rules of MISRA C:2012 that the C deviates from, and why",
        f"src/{name}_tokenizer.c": "the tokeniser",
        f"chat/{name}_chat.c": "a program to talk to the model: `make chat`",
        f"{name}_pools.ld": "where the linker puts the constants of memory pools with an address",
        f"test/{name}_test.c": "the self-test",
        f"{name}.graph.json": "the network as TVM's graph JSON",
        f"{name}.params": "the constants in TVM's format",
    }
    rows = [Row(path, text) for path, text in known.items() if path in files]
    parts = [path for path in files if path.startswith(f"src/{name}_kernels_")]
    if parts:
        rows.insert(2, Row(f"src/{name}_kernels_*.c", f"the kernels, in {len(parts)} files"))
    return [
        *rows,
        Row("runtime/", "the part of the s2s runtime that this network uses"),
        Row("LICENSES/", "the terms of the two kinds of files"),
        Row("REUSE.toml", "the terms of files that cannot state them"),
        Row(SBOM, "the bill of materials, in CycloneDX"),
    ]
