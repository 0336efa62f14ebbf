"""Several networks in one tree: `s2s compile --together` and `s2s verify --together`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

from s2s.cli.options import PATH
from s2s.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from s2s.joint.artifact import JointArtifact, JointReport
    from s2s.options import CompileOptions

SEVERAL = "Several networks"
TOKENS = "tokens"
"""The dimension of tokens of decoders in GGUF files."""
NAME_LENGTH = 16
"""Characters of the name of a tree with prefill, at most: its networks have longer ones."""


class Prefill(NamedTuple):
    """The second network of a decoder: `tokens` a run, along the dimension `name`."""

    tokens: int
    name: str | None = None

    def __str__(self) -> str:
        return f"--prefill {self.tokens if self.name is None else f'{self.name}={self.tokens}'}"


def _prefill(_: click.Context, __: click.Parameter, option: str | None) -> Prefill | None:
    """Take `128` or `sequence=128`."""
    if option is None:
        return None
    name, number = option.rpartition("=")[::2]
    if not number.isdecimal() or not 2 <= int(number) < 1 << 31 or ("=" in option and not name):
        raise InputError(f"--prefill {option}: is no number of tokens from 2 on; give one as 128 or sequence=128")
    return Prefill(int(number), name or None)


models = click.argument(
    "models",
    nargs=-1,
    type=PATH,
    required=True,
    metavar="MODEL…",
    help="The network: an .onnx, .tflite, .pt2 or .gguf file. FILE.py:FUNCTION runs your Python file, and compiles the "
    "PyTorch module that the function returns with its example inputs. With --together, several.",
)
together_flag = click.option(
    "--together", is_flag=True, help="Put all networks into one tree with one arena; --name then names the tree."
)
concurrent_flag = click.option(
    "--concurrent",
    is_flag=True,
    help="With --together: the networks may run at the same time, so the arena has room for all.",
)
prefill_tokens = click.option(
    "--prefill",
    metavar="N|NAME=N",
    callback=_prefill,
    help="Add a network that takes N tokens a run, with the same weights and cache; NAME is the dimension of tokens, "
    "and is left out for GGUF files.",
)
share_kernels = click.option(
    "--share",
    type=click.Choice(["equal", "alike"]),
    default="equal",
    help="With --together: kernels that are shared; `alike` turns numbers in which they differ into parameters, "
    "for smaller and slower code.",
)


SLOWER = (
    "alike kernels are one and no loop is unrolled: smaller and slower, by 0 and 11 % for the two networks of "
    "`python -m benchmarks.together`; --share equal costs nothing"
)


def only_model(models: "Sequence[Path]", *, concurrent: bool, share: str) -> Path:
    """Return the model of a command without `--together`."""
    if len(models) != 1:
        raise InputError(f"{models[1]}: is a second network; add --together for one tree of both, or compile it alone")
    if concurrent or share != "equal":
        option = "--concurrent" if concurrent else f"--share {share}"
        raise InputError(f"{option}: is about several networks in one tree; add --together")
    return models[0]


def join_networks(
    models: "Sequence[Path]",
    options: "CompileOptions",
    name: str,
    *,
    concurrent: bool,
    share: Literal["equal", "alike"],
) -> "JointArtifact":
    """Compile `models` with the same options and join them."""
    from s2s.artifact import compile_artifact
    from s2s.joint.artifact import together
    from s2s.joint.devices import devices_of_networks
    from s2s.joint.sizes import dims_of_networks

    alone = replace(options, name=None)
    own = [replace(alone, dims=dims) for dims in dims_of_networks(models, alone)]
    devices = devices_of_networks(models, own)
    artifacts = [
        compile_artifact(model, replace(each, devices=placed))
        for model, each, placed in zip(models, own, devices, strict=True)
    ]
    return together(artifacts, name=name, concurrent=concurrent, share=share)


def with_prefill(model: Path, options: "CompileOptions", prefill: Prefill) -> "JointArtifact":
    """Compile a decoder twice: for one token a run, and for several, with one state and one set of weights."""
    from s2s.artifact import compile_artifact
    from s2s.c_syntax.identifiers import c_identifier
    from s2s.frontends.recognition import format_of
    from s2s.joint.artifact import together

    if prefill.name is None and format_of(model) != "GGUF":
        way_out = f"name the dimension of tokens, as sequence={prefill.tokens}"
        raise InputError(f"{prefill}: {model} is no GGUF file; {way_out}")
    dim = prefill.name or TOKENS
    if dim in options.dims:
        fact = f"gives the dimension {dim} two sizes, 1 and {prefill.tokens}"
        raise InputError(f"{prefill}: {fact}; leave --dim {dim} out")
    name = options.name if options.name is not None else c_identifier(model.stem, NAME_LENGTH)
    parts = {"decode": 1, "prefill": prefill.tokens}
    artifacts = [
        compile_artifact(model, replace(options, name=f"{name}_{part}", dims={**options.dims, dim: count}))
        for part, count in parts.items()
    ]
    return together(artifacts, name=name, share_state=True)


def tree_name(options: "CompileOptions", output: Path | None) -> str:
    """Return the name of the tree: the option `--name`, else the folder's, else a common one."""
    from s2s.c_syntax.identifiers import c_identifier
    from s2s.joint.artifact import DEFAULT_NAME

    if options.name is not None:
        return options.name
    return c_identifier(output.name) if output is not None else DEFAULT_NAME


def describe_joint(report: "JointReport") -> dict[str, str]:
    """Describe the figures of several networks in words."""
    from s2s.cli.output import number

    alone = ", ".join(f"{name} {number(size)}" for name, size in report.arenas.items())
    how = "all at once" if report.concurrent else "one after the other"
    slower = {"sharing": SLOWER} if report.share == "alike" else {}
    return {
        "target": f"{report.target}, executor aot",
        "networks": f"{', '.join(report.networks)}; they run {how}",
        "kernels": f"{number(report.kernels)}, {number(report.shared_kernels)} of them shared",
        **slower,
        "RAM": f"{number(report.ram)} bytes; {number(report.arena)} of them arena, alone {alone}",
        "constants": f"{number(report.weights)} bytes, {number(report.shared_weights)} of them shared",
    }
