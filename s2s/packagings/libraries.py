"""Libraries for Arduino and PlatformIO: everything below `src/`, the one folder that their builds see."""

from s2s.emit.templates import fill
from s2s.packagings.description import TreeDescription
from s2s.packagings.example import call, declarations


def arduino(tree: TreeDescription) -> dict[str, bytes]:
    """A library by revision 2.2 of Arduino's specification, with an example sketch."""
    tree.check_call("arduino")
    example = f"examples/{tree.name}_once/{tree.name}_once.ino"
    return {
        "library.properties": fill("packagings/library.properties.j2", tree=tree).encode(),
        "keywords.txt": f"{tree.name}_run\tKEYWORD2\n{tree.macro}_ARENA_SIZE\tLITERAL1\n".encode(),
        **_sources(tree),
        example: _filled("packagings/sketch.ino.j2", tree),
    }


def platformio(tree: TreeDescription) -> dict[str, bytes]:
    """A library for PlatformIO, for all platforms and frameworks, with an example."""
    tree.check_call("platformio")
    return {
        "library.json": fill("packagings/library.json.j2", tree=tree).encode(),
        **_sources(tree),
        "examples/once/main.c": _filled("packagings/main.c.j2", tree),
    }


def _sources(tree: TreeDescription) -> dict[str, bytes]:
    """The library in a folder of its own: two networks have a runtime each."""
    return {
        f"src/{tree.name}.h": fill("packagings/outer.h.j2", tree=tree).encode(),
        **tree.flat(f"src/{tree.name}/"),
        **tree.copied(tree.licences),
    }


def _filled(template: str, tree: TreeDescription) -> bytes:
    network = tree.network
    views = {"headers": (f"{tree.name}.h",), "declarations": declarations(network), "call": call(network)}
    return fill(template, tree=tree, **views).encode()
