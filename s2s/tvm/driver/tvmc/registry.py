"""Executors and runtimes as arguments of a command line: `--executor=aot --executor-aot-interface-api=c`."""

import argparse
from collections.abc import Mapping

from s2s.tvm.driver.tvmc.errors import TVMCException
from s2s.tvm.relay.options import Executor, Runtime

Registry = type[Executor] | type[Runtime]
TRUE, FALSE = ("true", "1"), ("false", "0")


def generate_registry_args(parser: argparse.ArgumentParser, registry: Registry, default: str | None = None) -> None:
    """Declare an argument for the name, and one for each option of each name."""
    what = registry.__name__.lower()
    parser.add_argument(f"--{what}", default=default, help=f"the {what}")
    for name, options in registry.KNOWN.items():
        group = parser.add_argument_group(f"{what} {name}")
        for option, kind in options.items():
            group.add_argument(f"--{what}-{name}-{option}", type=boolean if kind is bool else kind)


def boolean(text: str) -> bool:
    """Return what a text says: true, false, 1 or 0."""
    if text.lower() not in (*TRUE, *FALSE):
        raise argparse.ArgumentTypeError(f"{text} is no Boolean; give true, false, 1 or 0")
    return text.lower() in TRUE


def reconstruct_registry_entity(args: argparse.Namespace, registry: Registry) -> Executor | Runtime | None:
    """Return what arguments describe; None where they do not name it, and an error where options are for another."""
    what = registry.__name__.lower()
    name = getattr(args, what)
    if name is None:
        return None
    if name not in registry.KNOWN:
        raise TVMCException(f'{what}: {registry.__name__} "{name}" is not defined; give {" or ".join(registry.KNOWN)}')
    options = {each: _options(args, what, each, known) for each, known in registry.KNOWN.items()}
    other = next((each for each, values in options.items() if values and each != name), None)
    if other is not None:
        option = next(iter(options[other]))
        raise TVMCException(
            f"{what} {name}: Passed --{what}-{other}-{option} but did not specify {other} {what}; name it"
        )
    return registry(name, options[name])


def _options(args: argparse.Namespace, what: str, name: str, known: Mapping[str, type]) -> dict[str, bool | int | str]:
    """The options of a name that arguments give."""
    values = {option: getattr(args, f"{what}_{name}_{option.replace('-', '_')}") for option in known}
    return {option: value for option, value in values.items() if value is not None}


__all__ = ["generate_registry_args", "reconstruct_registry_entity"]
