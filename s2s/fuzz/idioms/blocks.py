"""Products with weights of few bits in blocks, of the operators of onnxruntime."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.fuzz.arrays import FLOAT32, INT64, draw_array
from s2s.fuzz.idioms.parts import one
from s2s.fuzz.network import Network, Value

DOMAIN = "com.microsoft"


def _bytes(net: Network, *shape: int) -> Value:
    rng = np.random.default_rng(net.random.getrandbits(32))
    return net.constant(rng.integers(0, 256, shape, np.uint8))


def _scales(net: Network, *shape: int) -> Value:
    """A scale for each block; half of them are numbers of 16 bits."""
    array = draw_array(net.random, FLOAT32, shape, 0.01, 0.1)
    return net.constant(array.astype(np.float16).astype(np.float32) if net.chance(0.6) else array)


def _operand(net: Network, columns: int) -> Value:
    return net.input(draw_array(net.random, FLOAT32, [net.random.choice((1, 1, 2, 5)), columns]))


def _by_blocks(net: Network) -> Value:
    """A product with integers of 4 or 8 bits, one scale for each block."""
    bits, block = net.random.choice((4, 4, 8)), net.random.choice((16, 32))
    columns, rows = net.random.choice((16, 32, 48, 64)), net.random.choice((1, 3, 8, 16, 17))
    count = -(-columns // block)
    zeros = _bytes(net, rows * -(-count * bits // 8)) if net.chance(0.4) else None
    level = {"accuracy_level": 4} if net.chance(0.4) else {}
    operands = [_operand(net, columns), _bytes(net, rows, count, block * bits // 8), _scales(net, rows * count), zeros]
    sizes = {"K": columns, "N": rows, "bits": bits, "block_size": block}
    return one(net, "MatMulNBits", *operands, domain=DOMAIN, **sizes, **level)


def _by_codes(net: Network) -> Value:
    """A product with codes of four bits that stand for numbers of a table."""
    block = net.random.choice((16, 32))
    columns, rows = block * net.random.randint(1, 2), net.random.choice((1, 3, 8, 16, 17))
    operands = [_operand(net, columns), _bytes(net, rows * columns // 2), _scales(net, rows * columns // block)]
    sizes = {"K": columns, "N": rows, "block_size": block, "quant_type": net.random.randint(0, 1)}
    return one(net, "MatMulBnb4", *operands, domain=DOMAIN, **sizes)


def _tied(net: Network) -> Value:
    """A lookup in a table of blocks that the last product reads, too."""
    block, rows = 32, net.random.choice((8, 16, 17))
    columns = block * net.random.randint(1, 2)
    table, scales = _bytes(net, rows, columns // 2), _scales(net, rows, columns // block)
    places = net.input(draw_array(net.random, INT64, [net.random.randint(1, 3)], 0, rows - 1))
    how = {"gather_axis": 0, "quantize_axis": 1, "block_size": block, "bits": 4}
    x = one(net, "GatherBlockQuantized", table, places, scales, domain=DOMAIN, **how)
    w = net.constant(table.array.reshape(rows, columns // block, block // 2))
    flat = net.constant(scales.array.reshape(-1))
    sizes = {"K": columns, "N": rows, "bits": 4, "block_size": block}
    return one(net, "MatMulNBits", x, w, flat, domain=DOMAIN, **sizes)


IDIOMS: Mapping[str, Callable[[Network], Value]] = {
    "product by blocks": _by_blocks,
    "product by codes": _by_codes,
    "tied blocks": _tied,
}
