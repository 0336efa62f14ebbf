"""Planted bugs: which of them `s2s prove` finds, and which random tests find.

    python -m benchmarks.prove_planted [--target c] [--rounds 100]

Each bug is one replacement in the tree of a small int8 network. The prover proves the tree with it. A random test runs
the tree with N inputs, drawn evenly from int8, and compares its outputs with the sound tree's, which is proved equal to
the model; one that crashes counts as found. The table gives the share of inputs that show a bug, of 100 * `--rounds`,
and how many of `--rounds` tests of 1, 10 and 100 inputs find it. The exit code is 1 if the prover misses one.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from s2s.api import compile as compile_network
from s2s.prove.proof import prove_tree
from s2s.verify.toolchain import default_compiler, run_program

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.planted_bugs import BUGS, with_bug
from support.proved_networks import quantised_network

COUNTS = (1, 10, 100)
"""Inputs of one random test."""
DRIVER = """
#include <stdio.h>
#include "small.h"

int main(void)
{
    static uint8_t arena[SMALL_ARENA_SIZE];
    static int8_t x[SMALL_X_SIZE], y[SMALL_SCORES_SIZE];
    while (fread(x, sizeof x, 1, stdin) == 1) {
        if (small_run(arena, x, y) != 0) return 1;
        fwrite(y, sizeof y, 1, stdout);
    }
    return 0;
}
"""


def outputs_of(tree: Path, inputs: np.ndarray) -> np.ndarray | None:
    """What a tree of the small network computes of each row of int8; None if it cannot be built, or crashes."""
    driver, program = tree / "driver.c", tree / "driver"
    driver.write_text(DRIVER)
    folders = [f"-I{tree / folder}" for folder in ("include", "src", "runtime/include")]
    run_program(
        [*default_compiler(), "-std=c99", "-O1", "-w", *folders, driver, *(tree / "src").glob("*.c"), "-o", program]
    )
    done = subprocess.run([program], input=inputs.tobytes(), capture_output=True, check=False)
    if done.returncode:
        return None
    return np.frombuffer(done.stdout, np.int8).reshape(len(inputs), -1)


def shown_by(found: np.ndarray | None, sound: np.ndarray) -> np.ndarray:
    """For each input, whether the outputs differ from the sound tree's; for all inputs if there are none."""
    return np.full(len(sound), True) if found is None else np.any(found != sound, axis=1)


def rounds_that_find(shown: np.ndarray, count: int, rounds: int) -> int:
    """How many of `rounds` tests of `count` inputs each find a bug that the inputs `shown` show."""
    return int(np.any(shown[: count * rounds].reshape(rounds, count), axis=1).sum())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--target", default="c", help="what the network is compiled for")
    parser.add_argument("--rounds", type=int, default=100, help="random tests of each size")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        sys.exit(measure(Path(folder), arguments.target, arguments.rounds))


def measure(folder: Path, target: str, rounds: int) -> int:
    """Print a row a bug; return 1 if the prover misses one."""
    model = folder / "small.tflite"
    model.write_bytes(quantised_network())
    tree = compile_network(model, target=target).write(folder / "tree")
    inputs = np.random.default_rng(1).integers(-128, 128, (max(COUNTS) * rounds, 90)).astype(np.int8)
    sound = outputs_of(tree, inputs)
    assert sound is not None
    print("| planted bug | prover | inputs that show it |", " | ".join(f"tests of {count}" for count in COUNTS), "|")
    print("| --- |" + " --- |" * (2 + len(COUNTS)))
    missed, caught = 0, np.zeros(len(COUNTS), np.int64)
    for name, bug in BUGS.items():
        copy = with_bug(tree, bug, folder / name.replace(" ", "_"))
        wrong = prove_tree(model, copy).wrong
        missed += not wrong
        shown = shown_by(outputs_of(copy, inputs), sound)
        found = [rounds_that_find(shown, count, rounds) for count in COUNTS]
        caught += np.array(found) == rounds
        cells = [
            name,
            "wrong" if wrong else "missed",
            f"{shown.mean():.2%}",
            *(f"{each} of {rounds}" for each in found),
        ]
        print("|", " | ".join(cells), "|", flush=True)
    total = [f"{len(BUGS) - missed} of {len(BUGS)}", "", *(f"{each} of {len(BUGS)}" for each in caught.tolist())]
    print("| found, by every test of that size |", " | ".join(total), "|")
    return int(missed > 0)


if __name__ == "__main__":
    main()
