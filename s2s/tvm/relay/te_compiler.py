"""The compiler of operators under TVM's name: operators are lowered with the network that they are in."""

from s2s.errors import UnsupportedError


class TECompiler:
    """What TVM keeps lowered operators in."""

    def clear(self) -> None:
        """Forget the operators that have been lowered; no build keeps any for the next one."""

    def lower(self, source_func: object, target: object = None, mod_name: str = "default") -> object:
        """Lower an operator by itself; refused."""
        raise UnsupportedError(
            "te_compiler.lower: operators are lowered with the network that they are in; use relay.build, and s2s "
            "inspect to look on"
        )


_COMPILER = TECompiler()


def get() -> TECompiler:
    """The one compiler."""
    return _COMPILER
