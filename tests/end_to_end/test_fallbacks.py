"""One tree on many compilers: vectors of GNU C in every width, plain loops, and tcc, with the same results.

Where products and sums are not contracted, every build gives the same bits; with the flags that the tree states, floats
stay within the usual bound and integers are the same.
"""

import platform
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from s2s import api
from s2s.artifact import Artifact
from s2s.data.samples import sample
from s2s.targets.flags import STANDARD
from s2s.types.dtypes import Array, tensor_type
from s2s.verify.build import load
from s2s.verify.compare import compare
from support.c_compilers import AVX2, FEATURES, require, require_features
from support.fallback_networks import NETWORKS, written

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="flags of x86-64")

QUICK = (*STANDARD, "-fno-math-errno")
EXACT = "-ffp-contract=off"


@dataclass(frozen=True)
class Build:
    """A compiler, with flags beside those of the target."""

    compiler: str
    flags: tuple[str, ...] = ()
    needs: tuple[str, ...] | None = None
    """Features of the processor; None for those of the target."""
    optimise: str = "-O1"


PLAIN = "-DS2S_SIMD_PORTABLE"


BUILDS = {
    "as stated": Build("gcc"),
    "without AVX-512": Build("gcc", ("-mno-avx512f",), AVX2),
    "without AVX": Build("gcc", ("-mno-avx2", "-mno-avx"), ()),
    "without SSE3": Build("gcc", ("-march=x86-64", "-mno-sse3"), ()),
    "plain loops": Build("gcc", (PLAIN,), optimise="-O0"),
    "clang": Build("clang"),
    "clang without AVX": Build("clang", ("-mno-avx2", "-mno-avx"), ()),
    "clang, plain loops": Build("clang", (PLAIN,), optimise="-O0"),
    "tcc": Build("tcc", (), ()),
}
REFERENCE = Build("gcc", ("-march=x86-64", PLAIN), (), "-O0")


@cache
def compiled(network: str, target: str) -> Artifact:
    with TemporaryDirectory() as folder:
        return api.compile(written(network, Path(folder)), target=target, name="net")


def outputs(artifact: Artifact, build: Build, *more: str) -> list[Array]:
    """What a build with `more` flags gives for made-up inputs."""
    flags = (*QUICK, build.optimise, *artifact.info.target.cflags, *build.flags, *more)
    inputs = {port.name: sample(port.name, tensor_type(port.element, port.shape)) for port in artifact.info.inputs}
    with load(artifact.tree(), compiler=(require(build.compiler),), flags=flags) as network:
        return list(network.run(inputs).values())


@cache
def reference(network: str, target: str) -> list[Array]:
    return outputs(compiled(network, target), REFERENCE, EXACT)


def runnable(build: str, target: str) -> Build:
    """A build of `target`; where this processor lacks what it needs, the test is skipped."""
    variant = BUILDS[build]
    require_features(*(FEATURES[target] if variant.needs is None else variant.needs))
    return variant


@pytest.mark.sample(2, each="build")
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("target", FEATURES)
@pytest.mark.parametrize("network", NETWORKS)
def test_without_contraction_every_build_gives_the_same_bits(network: str, target: str, build: str):
    variant = runnable(build, target)
    artifact = compiled(network, target)
    for wanted, found in zip(reference(network, target), outputs(artifact, variant, EXACT), strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.sample(2, each="build")
@pytest.mark.parametrize("build", ["as stated", "without SSE3", "clang"])
@pytest.mark.parametrize("target", FEATURES)
@pytest.mark.parametrize("network", NETWORKS)
def test_with_the_flags_of_the_tree_results_stay_within_the_bound(network: str, target: str, build: str):
    variant = runnable(build, target)
    artifact = compiled(network, target)
    for wanted, found in zip(reference(network, target), outputs(artifact, variant), strict=True):
        result = compare(wanted, found)
        assert result.passed, result.describe()
