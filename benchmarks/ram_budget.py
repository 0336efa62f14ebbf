"""What the smallest RAM costs: the multiply-adds that networks execute in it, beside the plain trees, counted exactly.

    python -m benchmarks.ram_budget [kws vww ic ad wake resnet mcunet] [--target cortex-m4] [--at-most 2]

Counted are the products that the loops of all kernels add up: for each turn of each loop, in the rings of line buffers
too, with the lanes of dual instructions and the zeros that fill them. RAM is arena, inputs and outputs. VWW is measured
a second time with rows that the caller pushes: in at most 16,384 bytes. The exit code is 1 if a network takes over
`--at-most` per cent more multiply-adds, or pushed rows more RAM.
"""

import argparse
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.hold_out import HELD_OUT
from benchmarks.mcu import MODELS, NETWORKS
from s2s.budgets.ram import within_ram
from s2s.compilation import Compilation
from s2s.interpret.loop.cost import executed_multiply_adds
from s2s.options import CompileOptions

DEFAULT = (*NETWORKS, "wake", "resnet", "mcunet")
PUSHED, PUSHED_RAM = "vww", 16_384


class Figures(NamedTuple):
    """What a compilation takes."""

    ram: int
    multiply_adds: int


def figures(name: str, **options: Any) -> Figures:
    """Compile a network, and count."""
    model = MODELS / f"{NETWORKS[name].model}.tflite" if name in NETWORKS else HELD_OUT[name]()
    compilation = within_ram(Compilation(model, CompileOptions(name=name, **options)))
    info = compilation.info
    return Figures(info.arena_size + info.ports_size, executed_multiply_adds(compilation.at("memory").module))


def rows(networks: list[str], target: str) -> Iterator[tuple[str, Figures, Figures]]:
    """Yield each network, plain and in the smallest RAM."""
    for name in networks:
        plain = figures(name, target=target)
        yield name, plain, figures(name, target=target, ram_budget="min")
        if name == PUSHED:
            yield f"{name}, pushed", plain, figures(name, target=target, push="input_1_int8:1")


def main() -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=DEFAULT)
    parser.add_argument("--target", default="cortex-m4")
    parser.add_argument("--at-most", type=float, default=2.0)
    options = parser.parse_args()
    good = True
    print(f"{'':14}{'RAM':>10}{'least':>10}{'multiply-adds':>16}{'in least RAM':>16}{'more':>9}")
    for name, plain, least in rows(options.networks, options.target):
        more = 100 * (least.multiply_adds / plain.multiply_adds - 1)
        passed = more <= options.at_most and ("pushed" not in name or least.ram <= PUSHED_RAM)
        good &= passed
        print(f"{name:14}{plain.ram:10,}{least.ram:10,}{plain.multiply_adds:16,}{least.multiply_adds:16,}{more:8.2f}%"
              f"{'' if passed else '  FAILED'}", flush=True)  # fmt: skip
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
