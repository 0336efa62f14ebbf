"""A code generator for tests: products of float matrices in plain C, several of them in one call."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import numpy as np

from s2s.external.generator import Code, CodeGenerator, Composite, Region, Step
from s2s.external.pattern import Pattern, is_constant, is_op, wildcard
from s2s.external.registry import register_codegen, remove_codegen
from s2s.targets import Target
from s2s.types.dtypes import as_tensor_type

DEFINITIONS = """
static void toy_product(const float *a, const float *b, float *y, int m, int n, int k)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) {
                sum += a[i * k + p] * b[j * k + p];
            }
            y[i * n + j] = sum;
        }
    }
}
"""


class Toy(CodeGenerator):
    """Reads its second factors transposed, keeps inner tensors in its scratch, and refuses more than 32 columns."""

    name = "toy"
    regions = True
    ratio: float | None = None
    """The cycles of this generator for one of ours; None for no estimate."""

    def patterns(self) -> Sequence[tuple[str, Pattern]]:
        return [("matmul", is_op("matmul")(wildcard(), is_constant()).has_dtype("float32").has_rank(2))]

    def unsupported(self, composite: Composite, target: Target) -> str | None:
        columns = composite.outputs[0].get_shape()[1]
        return f"{columns} columns, 32 at most" if columns > 32 else None

    def cost(self, composite: Composite, target: Target) -> float | None:
        return None if self.ratio is None else 100.0 * self.ratio

    def own_cost(self, composite: Composite, target: Target) -> float | None:
        return None if self.ratio is None else 100.0

    def code(self, region: Region, target: Target) -> Code:
        packed = {
            f"packed_{name}": np.asarray(region.constants[name].T, order="C")
            for name in dict.fromkeys(step.inputs[1] for step in region.steps)
        }
        places, size = dict[str, str](), 0
        for name, type in region.inner.items():
            places[name] = f"(float *)scratch + {size}"
            size += int(np.prod(as_tensor_type(type).get_shape()))
        lines = [_call(step, places) for step in region.steps]
        passed = {name for step in region.steps for name in step.inputs[:1]}
        replaced = frozenset(name for name in region.constants if name not in passed)
        return Code("\n".join(lines), definitions=DEFINITIONS, constants=packed, replaced=replaced, scratch=4 * size)


def _call(step: Step, places: dict[str, str]) -> str:
    a, b = step.inputs
    (m, k), (_, n) = step.composite.shape(0), step.composite.shape(1)
    y = step.outputs[0]
    return f"toy_product({places.get(a, a)}, packed_{b}, {places.get(y, y)}, {m}, {n}, {k});"


@contextmanager
def registered(generator: CodeGenerator) -> Generator[CodeGenerator]:
    """Register `generator` for a while."""
    register_codegen(generator)
    try:
        yield generator
    finally:
        remove_codegen(generator.name)
