"""Instructions of int8 networks on a Cortex-M33 by the schedules of a Cortex-M4, and by others.

    python -m benchmarks.m33 [kws ad ic vww]

The networks of MLPerf Tiny are compiled for `cortex-m33` as it is, whose data and so schedules are a Cortex-M4's, and
for variants of it: without single forms of products, which leaves schedules around the others, and without any. Each
runs on QEMU's M33 with golden vectors. Prints the instructions over those of the target as it is. The exit code is 1
where a variant takes less than 0.98 of them in all networks, which would be schedules of M33's own, or an output is
wrong.
"""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace

from benchmarks.mcu import MODELS, NETWORKS
from s2s.artifact import compile_artifact
from s2s.options import CompileOptions
from s2s.targets import Target, get_target

BOARD, TARGET, GAIN = "qemu:m33", "cortex-m33", 0.98


def without_intrinsics(target: Target, *names: str) -> Target:
    """Return a target without some intrinsics, or without any if none is named."""
    kept = tuple(entry for entry in target.intrinsics if names and entry.name not in names)
    return replace(target, intrinsics=kept)


def variants(target: Target) -> Mapping[str, Target]:
    """Return the target as it is, and others by what they change."""
    names = sorted({entry.name for entry in target.intrinsics})
    forms = {f"without {name}": without_intrinsics(target, name) for name in names}
    return {
        "as Cortex-M4": target,
        **forms,
        "without DSP instructions": without_intrinsics(target),
    }


def instructions(name: str, target: Target) -> int:
    """Return the instructions of a network; raise if an output is wrong."""
    model = NETWORKS[name].model
    artifact = compile_artifact(MODELS / f"{model}.tflite", CompileOptions(target=target))
    counts = artifact.verify_on(BOARD, golden=MODELS / f"{model}_golden.npz").as_dict()
    if not counts["bit_exact"]:
        raise SystemExit(f"{name}: outputs differ from the golden ones")
    return counts["instructions"]


def main() -> int:
    """Count, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=f"of {', '.join(NETWORKS)}; all by default")
    names = parser.parse_args().networks or [*NETWORKS]
    print(f"{'':34}" + "".join(f"{name.upper():>12}" for name in names))
    baseline: list[int] = []
    gains: list[str] = []
    for variant, target in variants(get_target(TARGET)).items():
        counts = [instructions(name, target) for name in names]
        baseline = baseline or counts
        shares = [entry / base for entry, base in zip(counts, baseline, strict=True)]
        cells = [f"{entry:12,}" for entry in counts] if counts is baseline else [f"{entry:12.3f}" for entry in shares]
        print(f"{variant:34}" + "".join(cells), flush=True)
        gains += [variant] if max(shares) < GAIN else []
    print(*(f"{entry} is faster in all" for entry in gains), sep="\n", end="\n" if gains else "")
    return 1 if gains else 0


if __name__ == "__main__":
    sys.exit(main())
