"""`s2s run --data`: run a tree on many samples, and count how many it classifies rightly."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from s2s.types.dtypes import Array


def run_samples(tree: Path, data: Path, classes: str | None, output: Path | None, *, as_json: bool) -> None:
    """Run a tree on each sample of a source. The outputs of all are written to a folder, or shown as counts of right
    answers where the samples have classes; otherwise the largest element of each is shown."""
    import numpy as np

    from s2s import api
    from s2s.cli.output import print_json, save, steps_shown
    from s2s.data.sets import read_samples
    from s2s.data.specs import InputSpec, Labels
    from s2s.emit.read_tree import read_tree
    from s2s.frontends.features.registry import rate_of
    from s2s.quantization.accuracy import Single, stacked
    from s2s.support import progress

    with steps_shown():
        network, steps = api.load(tree), read_tree(tree).record.get("options", {}).get("pre", ())
        ports = network.inputs
        specs = [InputSpec(port.name, port.dtype, port.shape, rate_of(port.name, len(ports), steps)) for port in ports]
        samples = read_samples(data, specs, None if classes is None else Labels(classes))
        stacks: dict[str, list[Array]] = {}
        for number, sample in enumerate(samples, 1):
            progress.step(f"running sample {number} of {samples.count}")
            network.reset()
            for name, array in network.run(sample).items():
                stacks.setdefault(name, []).append(array)
        results = {name: np.stack(arrays) for name, arrays in stacks.items()}
    if output is not None:
        save(results, output)
    scores = next(iter(results.values()))
    if samples.labels is not None:
        right = Single.of(samples, stacked(scores))
        if as_json:
            print_json(right.as_dict())
        else:
            print(*right.describe(), sep="\n")
        return
    largest = [int(row.argmax()) for row in scores.reshape(samples.count, -1)]
    if as_json:
        print_json({samples.named(number): place for number, place in enumerate(largest)})
    elif output is None:
        print(*(f"{samples.named(number)}: largest at {place}" for number, place in enumerate(largest)), sep="\n")
