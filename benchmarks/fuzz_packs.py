"""Packs of weights as hostile files: mutated ones are bound under the address and undefined-behaviour sanitizers.

    python -m benchmarks.fuzz_packs [--count 100000] [--seed 1] [--int8]

The network is a small one of floats, with `--int8` the same one in bytes: scales and zero points are in its pack, too.

Bits, bytes and numbers of the header change, parts move, the end is missing; a pack lies in memory of just its size.
With checksums no changed pack may be accepted. Without (`S2S_PACK_CHECKSUMS=0`) changed weights are, and the network
runs on them: only sizes, layout and version are checked then, and these alone keep it in its memory. Sums and shifts of
integers are proven for numbers that `s2s pack` takes, so for others they are left to the compiler (`-fwrapv`). Exits
with 1 after any other event.
"""

import argparse
import resource
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from s2s import api
from s2s.artifact import Artifact

HERE = Path(__file__).parent
DIGITS = HERE.parent / "examples" / "digits" / "digits.onnx"
CALIBRATION = DIGITS.with_name("calibration.npz")
UNPROVEN = ("-fwrapv", "-fno-sanitize=signed-integer-overflow,shift")
"""Without checksums any number may be in a pack, of which sums of integers overflow."""
FLAGS = ("-std=gnu99", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def mutated(
    artifact: Artifact, folder: Path, *, count: int, seed: int, integers: bool = False
) -> Iterator[tuple[str, int, str]]:
    """Yield what happens to mutated packs of a network of one input and one output, which computes in `integers` or
    not: the mode, the exit code, the text."""
    tree, info = artifact.write(folder / "tree"), artifact.info
    sizes = {
        "ARENA_SIZE": info.arena_size + 1,
        "INPUT_BYTES": info.inputs[0].size,
        "OUTPUT_BYTES": info.outputs[0].size,
    }
    names = {"NETWORK": f'"{info.name}.h"', "WEIGHTS": f"{info.name}_weights"}
    names |= {"BIND": f"{info.name}_bind_weights", "RUN": f"{info.name}_run"}
    defined = [f"-D{name}={value}" for name, value in (names | sizes).items()]
    includes = [f"-I{tree / each}" for each in ("include", "src", "runtime/include")]
    sources = [*sorted((tree / "src").glob("*.c")), *sorted((tree / "runtime").rglob("*.c"))]
    for mode, checksums in (("with checksums", 1), ("without", 0)):
        program = folder / f"fuzz_{checksums}"
        harness = [f"-DS2S_PACK_CHECKSUMS={checksums}", HERE / "fuzz_packs.c"]
        flags = FLAGS if checksums or not integers else (*FLAGS, *UNPROVEN)
        subprocess.run(["gcc", *flags, *defined, *includes, *harness, *sources, "-lm", "-o", program], check=True)
        command = [program, tree / f"{info.name}.weights", str(count), str(seed)]
        ended = subprocess.run(command, check=False, capture_output=True, text=True)
        yield mode, ended.returncode, ended.stdout + ended.stderr


def _seconds() -> float:
    """Return the processor time of the programs that ran, the compiler's among it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Mutate and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--int8", action="store_true", help="the pack of a quantised network")
    arguments = parser.parse_args()
    good, model = True, api.quantize(DIGITS, CALIBRATION, ports="int8").model if arguments.int8 else DIGITS
    with api.compile(model, target="c", weights="pack") as artifact, tempfile.TemporaryDirectory() as folder:
        began = _seconds()
        runs = mutated(artifact, Path(folder), count=arguments.count, seed=arguments.seed, integers=arguments.int8)
        for mode, code, text in runs:
            taken, began = _seconds() - began, _seconds()
            print(f"{mode}: {arguments.count:,} packs in {taken:.0f} s of processor time\n{text}", flush=True)
            good &= code == 0
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
