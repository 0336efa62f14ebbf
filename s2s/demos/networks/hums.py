"""A network that hears whether a machine sounds strange.

It knows the eight ways in which the spectrum of the hum varies most. The error of what they cannot express is compared
with the limit that 99 of 100 good hums stay below.
"""

import numpy as np

from s2s.demos.made import Made
from s2s.demos.networks.fitting import network
from s2s.types.dtypes import Array

CLASSES = ("as ever", "strange")
BANDS, KNOWN = 64, 8
TRAINING, SAMPLES = 600, 8
_TEXT = f"""hums (float[1, {BANDS}] spectrum) => (float[1, 2] scores) {{
centred = Sub (spectrum, mean) code = MatMul (centred, down) known = MatMul (code, up)
rest = Sub (centred, known) squares = Mul (rest, rest) error = ReduceMean <axes = [1], keepdims = 1> (squares)
scores = Concat <axis = 1> (limit, error) }}"""


def make() -> Made:
    """Record good hums, fit the network to these, and keep some of both kinds."""
    random = np.random.default_rng(0)
    good = np.stack([spectrum(False, random) for _ in range(TRAINING)])
    mean = good.mean(axis=0)
    ways = np.linalg.svd(good - mean, full_matrices=False)[2][:KNOWN]
    rest = (good - mean) - (good - mean) @ ways.T @ ways
    limit = np.quantile(np.mean(rest**2, axis=1), 0.99)
    weights = {"mean": mean, "down": ways.T, "up": ways, "limit": np.full((1, 1), limit)}
    model = network(_TEXT, {name: array.astype(np.float32) for name, array in weights.items()})
    labels = [number % 2 for number in range(SAMPLES)]
    samples = np.stack([spectrum(bool(label), random) for label in labels]).astype(np.float32)[:, None]
    return Made(model.SerializeToString(), samples, labels)


def spectrum(is_strange: bool, random: np.random.Generator) -> Array:
    """Return the logarithm of the power in bands of a hum: a tone with overtones, and noise; a strange one whistles."""
    bands = np.arange(BANDS)
    pitch, level = random.uniform(6, 7), random.uniform(-0.5, 0.5)
    tones = sum(np.exp(-(((bands - pitch * number) / 1.5) ** 2)) / number for number in range(1, 6))
    hum = level + 2 * tones + 0.05 * random.standard_normal(BANDS)
    whistle = 1.2 * np.exp(-(((bands - random.uniform(36, 60)) / 1.5) ** 2))
    return hum + whistle if is_strange else hum


__all__ = ["CLASSES", "make", "spectrum"]
