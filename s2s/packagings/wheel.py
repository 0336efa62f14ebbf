"""`--format wheel`: a Python project whose wheel holds the compiled network, by an extension module of cffi."""

from s2s.c_syntax.interface import Interface
from s2s.emit.templates import fill
from s2s.packagings.description import TreeDescription
from s2s.types.sizes import SizeRange, spelled


def wheel(tree: TreeDescription) -> dict[str, bytes]:
    """A project for `pip install` and `pip wheel`; importing it gives the network as a typed function of arrays."""
    tree.check_call("wheel")
    network = tree.network
    pointers = network.arguments(
        ["_pointer(self._arena)"],
        ["*map(_pointer, given)", "*map(_pointer, found.values())"],
        weights="_native.ffi.NULL",
        pool="_native.ffi.NULL",
        sizes="_pointer(dims)",
    )
    more = {
        "declarations": network.prototypes(),
        "pointers": pointers,
        "derived_sizes": _derived_sizes(network),
        "told_sizes": _told_sizes(network),
    }
    texts = {
        "pyproject.toml": "wheel_pyproject.toml.j2",
        "setup.py": "wheel_setup.py.j2",
        f"{tree.name}_extension.py": "wheel_extension.py.j2",
        "MANIFEST.in": "wheel_manifest.j2",
        f"{tree.name}/__init__.py": "wheel_init.py.j2",
    }
    return {
        **{path: fill(f"packagings/{template}", tree=tree, **more).encode() for path, template in texts.items()},
        f"{tree.name}/py.typed": b"",
        **tree.copied(tree.library, "csrc/"),
        **tree.copied(tree.licences),
    }


def _derived_sizes(network: Interface) -> dict[str, str]:
    """The sizes that follow from the sizes of a run, by name, as expressions in Python of the list `s` of these."""
    names = [f"s[{number}]" for number in range(len(network.sizes))]
    texts = {name: spelled(map.results[0], names) for name, map in network.derived_sizes.items()}
    return {name: text.replace(" floordiv ", " // ").replace(" mod ", " % ") for name, text in texts.items()}


def _told_sizes(network: Interface) -> list[tuple[str, SizeRange, str]]:
    """The sizes that only formulas of axes tell, each with the size of such an axis: it tells them one by one."""
    sizes, maps = list(network.sizes), network.derived_sizes
    axes = [name for port in network.inputs for name in port.varies if name]
    told, tellers = {name for name in axes if name not in maps}, list[tuple[str, SizeRange, str]]()
    for name in [name for name in axes if name in maps] * len(sizes):
        missing = [sizes[dim] for dim in maps[name].results[0].used_dims() if sizes[dim] not in told]
        if len(missing) == 1:
            tellers.append((missing[0], network.sizes[missing[0]], name))
            told.add(missing[0])
    return tellers
