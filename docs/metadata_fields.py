"""The page of `metadata.json`, the record of a tree: every field with its meaning."""

FIELDS = {
    "schema": ("number", "version of this list; it grows when a field changes its meaning"),
    "generator.name": ("text", "`s2s`"),
    "generator.version": ("text", "version of the compiler"),
    "name": ("text", "prefix of the network's C names"),
    "description": ("text", "what the model's file says of itself; may be empty"),
    "licences.generated": ("text", "SPDX identifier for what was generated: the model's own terms"),
    "licences.runtime": ("text", "SPDX identifier of the files of the runtime"),
    "source.file": ("text", "name of the model's file"),
    "source.sha256": ("text", "its digest"),
    "target.name": ("text", "target of the compilation"),
    "target.flags": ("texts", "flags of the C compiler that the build files give"),
    "executor": ("text", "`aot`: a run function; `graph`: tables"),
    "external": ("objects", "what external code generators need to build; only where there are such"),
    "packed": ("objects", "packed functions that the network calls; only where there are such"),
    "devices": ("objects", "devices beside the first one: name, target, memory, bytes of arena, folder of sources"),
    "steps": ("object", "steps of a run: how many, the longest, in cycles or multiply-adds; only with `--steps`"),
    "threads": ("object", "most threads, who makes them, flags; only with `--threads`"),
    "options": (
        "object",
        "options of the compilation that are not those by default; not target, decisions and records",
    ),
    "inputs[].name": ("text", "name in the model"),
    "inputs[].identifier": ("text", "name in C"),
    "inputs[].dtype": ("text", "element type"),
    "inputs[].shape": ("numbers", "dimensions"),
    "inputs[].layout": ("text", "meaning of the dimensions where the model tells, such as `NHWC`; else empty"),
    "inputs[].size": ("number", "bytes"),
    "inputs[].offset": ("number or null", "byte of the arena, where it is there"),
    "inputs[].quantisation": ("object or null", "`real = scale * (q - zero_point)`"),
    "outputs": ("objects", "as `inputs`"),
    "outputs[].texts": ("texts", "what the elements number, from 0 on; only where the model gives texts"),
    "arena.size": ("number", "bytes of RAM that the caller provides"),
    "arena.align": ("number", "bytes"),
    "arena.lower_bound": ("number", "bytes that no plan for this order of kernels goes below"),
    "arena.lower_bound_apart": ("number or null", "the same if no result overlapped what it is computed from"),
    "arena.io": ("text", "`caller` or `arena`: where inputs and outputs are"),
    "arena.loaded": ("number", "bytes of it that `<name>_load` copies constants to; only with pools that are `loaded`"),
    "arena.pools": ("objects", "bytes in each pool; only with `--pool` or `--devices`"),
    "arena.extra_operations": ("number or null", "share of operations that a budget of RAM adds"),
    "arena.overlaps": ("objects", "results that overlap what their kernel reads"),
    "arena.line_buffers": ("objects", "layers that run row by row, and bytes of the rows that are kept"),
    "state": ("objects", "values that stay from run to run: name, dtype, shape, byte of the arena, bytes"),
    "pack": (
        "object",
        "the pack of weights: file, layout (a hash), bytes, alignment, and each weight with its byte; only with "
        "`--weights pack`",
    ),
    "weights.size": ("number", "bytes of all constants"),
    "weights.arrays": ("objects", "each constant: identifier, name, dtype, shape, bytes, pool"),
    "measured": ("object or null", "what the C compiler of the target says: flash, code, stack, RAM, by function"),
    "accumulators": ("objects", "what is proven of the sums of integer layers"),
    "code[].name": ("text", "a memory pool of functions; only with `--pool NAME=SIZE:code`"),
    "code[].size": ("number", "bytes that it has; only beside its name"),
    "code[].kernels": ("texts", "kernels whose functions are there; only beside its name"),
    "code[].is_placed": ("truth", "whether a linker script of the tree places it at an address; only beside its name"),
    "paths[].kernel": ("text", "a kernel, or the run function, whose path through its code may depend on data"),
    "paths[].path": (
        "text",
        "`exact`: the same in every run; `bounded`: one of some; `open`: of unknown length; without library functions "
        "that compute floats on cores that have no FPU",
    ),
    "paths[].because": ("texts", "what depends on data; only where something does"),
    "paths[].repeats": ("truth", "whether data decide how often something is repeated"),
    "paths[].turns": ("number or null", "how often a loop turns at most in a call; null where nobody knows"),
    "removed_channels": (
        "object",
        "channels that no kernel computes, their multiply-adds and bytes of weights, and those of all layers; only "
        "where there are such channels",
    ),
    "decisions": ("objects", "what the compiler decided, as `s2s inspect --why --json` prints it"),
    "kernels": ("texts", "functions that compute"),
    "calls[].kernel": ("text", "a kernel that the run function calls; only of trees with executor `aot`"),
    "calls[].line": ("number", "the first line of the call in `src/<name>.c`; only beside its kernel"),
    "calls[].nodes": ("text", "the nodes of the model that it computes; only beside its kernel"),
    "tolerance.relative": ("number", "what the self-test allows, as a share of the expected value"),
    "tolerance.absolute": ("number", "and beside that"),
    "language": ("object", "positions and tokeniser; only of language models"),
    "sizes": ("objects", "sizes that a run is given: name, least and greatest, step; only with bounds in `--dim`"),
    "empty": ("objects", "inputs and outputs without elements; only where there are such"),
    "packaging": ("text", "the format, in what `s2s export` writes"),
    "files": ("texts", "files of the tree, which a later compilation may replace"),
}
"""Fields by their paths, with type and meaning; `[]` stands for every element of a list."""


def metadata_page() -> str:
    """The page."""
    lines = [
        "# metadata.json\n",
        "The record of a tree, for programs: `s2s diff`, `s2s export` and `s2s report TREE` read it. Fields that do not"
        " apply are left out or null.\n",
        "| field | value | meaning |",
        "|---|---|---|",
        *(f"| `{path}` | {kind} | {meaning} |" for path, (kind, meaning) in FIELDS.items()),
        "",
        "A tree of several networks has `networks`, a record for each, and `shared`, the kernels and constants that"
        " they share.",
    ]
    return "\n".join(lines) + "\n"
