"""`--format wheel`: a Python project whose wheel holds the compiled network, by an extension module of cffi."""

from s2s.emit.templates import fill
from s2s.packagings.description import TreeDescription


def wheel(tree: TreeDescription) -> dict[str, bytes]:
    """A project for `pip install` and `pip wheel`; importing it gives the network as a typed function of arrays."""
    tree.only_aot("wheel")
    ports = [*tree.inputs, *tree.outputs]
    pointers = ", ".join(["void *"] * (len(ports) + 1 + bool(tree.threads) + bool(tree.sizes)))
    declarations = f"int {tree.name}_run({pointers});" + (
        f" int {tree.name}_reset(void *);" if tree.keeps_state else ""
    )
    more = {"declarations": declarations, "arena": tree.record["arena"]}
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
