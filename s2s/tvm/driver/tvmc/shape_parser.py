"""Shapes of inputs as they stand on the command line of the driver."""

import argparse
import re

from s2s.tvm.relay.ty import Any

_SHAPE = re.compile(r"((?:\w+/)?[:\w.]+):\s*\[(-?\d+(?:,\s*-?\d+)*)\]")


def parse_shape_string(inputs_string: str) -> dict[str, list[int | Any]]:
    """Return the shapes of `x:[1,3,224,224] mask:[1,8]` by name; a size that is not positive is `relay.Any()`.

    A text without a shape is an `argparse.ArgumentTypeError`.
    """
    written = _SHAPE.findall(inputs_string)
    if not written:
        raise argparse.ArgumentTypeError(f"--input-shapes {inputs_string}: has no shape; write x:[1,3,224,224]")
    return {name: [int(size) if int(size) > 0 else Any() for size in sizes.split(",")] for name, sizes in written}


__all__ = ["parse_shape_string"]
