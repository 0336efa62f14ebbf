"""Compile a model in one variant, run the C, and compare its outputs with the expected ones."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypeVar

import numpy as np

from s2s.emit.files import Tree
from s2s.errors import CompilerBug, InputError, ToolchainError, UnsupportedError
from s2s.fuzz.arrays import is_floating
from s2s.fuzz.compiled import compile_drawn
from s2s.fuzz.model import FuzzModel
from s2s.fuzz.spread import PAIRS_IN_DOUBT, Spread
from s2s.fuzz.variants import Variant
from s2s.support.frozen import frozen
from s2s.targets.target import Target
from s2s.types.dtypes import Array
from s2s.verify.build import LoadedNetwork, load
from s2s.verify.compare import default_tolerance

T_co = TypeVar("T_co", covariant=True)
Kind = Literal["wrong", "bug", "refused", "build", "crash", "hang"]


@frozen
class Failure:
    """What is wrong with a model in one variant."""

    kind: Kind
    detail: str
    variant: Variant
    output: str = ""
    """The first wrong output."""

    def describe(self) -> str:
        """The failure in one line."""
        return f"{self.kind} ({self.variant.describe()}): {self.detail}"


def check(
    model: FuzzModel, inputs: Mapping[str, Array], expected: Mapping[str, Spread], variant: Variant
) -> list[Failure]:
    """The failures of a model in one variant: every wrong output, or the one reason why there are none."""
    try:
        written = model.rewritten() if variant.rewritten else model
        artifact = compile_drawn(written.source_for(variant.target), variant.options())
        scaled, target = artifact.info.tolerance.scaled, artifact.info.target
        tree = artifact.tree()
    except Exception as error:
        return [failure_to_compile(error, variant)]
    try:
        with loaded(tree, variant, target) as network:
            found = network.run({name: inputs[name] for name in network.input_names})
    except ToolchainError as error:
        return [Failure("build", text_of(error), variant)]
    except (CompilerBug, InputError) as error:
        return [Failure("wrong", text_of(error), variant)]
    differences = differences_of(model, inputs, expected, found, scaled=scaled)
    return [Failure("wrong", f"{name}: {text}", variant, name) for name, text in differences.items()]


def failure_to_compile(error: Exception, variant: Variant) -> Failure:
    """Why a model gave no tree: refused where s2s cannot do it or names an option (`--weights pack: …`), else a bug."""
    is_option = isinstance(error, InputError) and str(error).startswith("--")
    if is_option or isinstance(error, UnsupportedError):
        return Failure("refused", str(error), variant)
    return Failure("bug", text_of(error), variant)


class Load(Protocol[T_co]):
    """What builds a tree and loads it."""

    def __call__(self, tree: Tree, *, compiler: Sequence[str], flags: Sequence[str]) -> T_co:
        """Build the tree by the compiler, with the flags."""
        ...


def loaded(tree: Tree, variant: Variant, target: Target) -> LoadedNetwork:
    """The network built by the compiler of the variant."""
    return built(load, tree, variant, target)


def built(load: Load[T_co], tree: Tree, variant: Variant, target: Target) -> T_co:
    """What `load` makes of a tree by the compiler of the variant; by gcc where tcc fails, as at a NaN in a table."""
    try:
        return load(tree, compiler=(variant.compiler,), flags=variant.flags(target))
    except ToolchainError:
        if variant.compiler != "tcc":
            raise
    return load(tree, compiler=("gcc",), flags=variant.flags(target))


def differences_of(
    model: FuzzModel,
    inputs: Mapping[str, Array],
    expected: Mapping[str, Spread],
    found: Mapping[str, Array],
    *,
    scaled: bool,
) -> dict[str, str]:
    """How outputs differ from the expected ones, by name; what seems to is compared again with more noisy runs."""
    differing = {name: value for name, value in found.items() if difference(expected[name], value, scaled=scaled)}
    if not differing:
        return {}
    surer = model.evaluate(inputs, pairs=PAIRS_IN_DOUBT)
    texts = {name: difference(surer[name], value, scaled=scaled) for name, value in differing.items()}
    return {name: text for name, text in texts.items() if text}


def difference(expected: Spread, found: Array, *, scaled: bool = False) -> str:
    """How an output differs from the expected one; empty where it does not.

    With `scaled`, bounds count in units of the largest output: convolutions are transformed by whole tiles.
    """
    clean = expected.clean
    if (found.dtype, found.shape) != (clean.dtype, clean.shape):
        return f"expected {clean.dtype}{list(clean.shape)}, found {found.dtype}{list(found.shape)}"
    allowed = expected.bounds()
    with np.errstate(all="ignore"):
        if not is_floating(clean.dtype):
            wrong = (found != clean) & (allowed == 0)
        else:
            size = np.abs(clean.astype(np.float64))
            if scaled and size.size:
                allowed = allowed + default_tolerance(clean.dtype).atol * max(1.0, float(size.max()))
            error = np.abs(found.astype(np.float64) - clean.astype(np.float64))
            agrees = np.isnan(found) & np.isnan(clean)
            wrong = ~((error <= allowed) | agrees | np.isposinf(allowed))
    if not wrong.any():
        return ""
    place = tuple(int(index) for index in np.argwhere(wrong)[0])
    bound = f", allowed ± {allowed[place]:.3g}" if is_floating(clean.dtype) else ""
    return (
        f"{int(wrong.sum())} of {wrong.size} elements differ, first at {list(place)}: "
        f"expected {clean[place]}{bound}, found {found[place]}"
    )


def text_of(error: Exception) -> str:
    """An error as the detail of a failure."""
    return f"{type(error).__name__}: {str(error).strip()[:2000]}"
