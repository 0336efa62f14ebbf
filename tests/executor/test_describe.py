"""The graph JSON of a plan whose buffers lie in each other."""

from xdsl.parser import Parser

from s2s.executor.describe import describe
from s2s.executor.graph_json import CONCAT, NO_OPERATION, SPLIT, Call, Entry, Network, Source, Value
from s2s.passes.context import CompilerContext
from s2s.types.weights import WeightStore

KERNELS = """
func.func private @one(%y: memref<4xf32>, %x: memref<4xf32>, %s: memref<2xf32>) {
  %v = loop.load %x[affine_map<() -> (0)>()] : memref<4xf32> -> f32
  loop.store %v, %s[affine_map<() -> (0)>()] : f32, memref<2xf32>
  loop.store %v, %y[affine_map<() -> (0)>()] : f32, memref<4xf32>
  func.return
}
func.func private @two(%y: memref<4xf32>, %x: memref<8xf32>) {
  %v = loop.load %x[affine_map<() -> (0)>()] : memref<8xf32> -> f32
  loop.store %v, %y[affine_map<() -> (0)>()] : f32, memref<4xf32>
  func.return
}
"""
SHAPES = "shapes = [array<i64: 2, 2>, array<i64: 2, 2>]"


def described(main: str) -> Network:
    context = CompilerContext(WeightStore())
    text = f"""{KERNELS}
func.func @main(%arena: memref<64xi8> {{role = "arena"}},
                %y: memref<4xf32> {{role = "output", name = "y", shape = array<i64: 4>}},
                %x: memref<4xf32> {{role = "input", name = "x", shape = array<i64: 2, 2>}}) {{
  {main}
  func.return
}}"""
    return describe(Parser(context, text).parse_module(), "net", context.weights)


def f32(shape: tuple[int, ...], storage: int) -> Value:
    return Value("float32", shape, storage)


CONCATENATION = f"""
  %whole = loop.view %arena[0 : i64] : memref<64xi8> -> memref<8xf32>
  %a = loop.view %whole[0 : i64] : memref<8xf32> -> memref<4xf32>
  %b = loop.view %whole[16 : i64] : memref<8xf32> -> memref<4xf32>
  %s = loop.view %arena[32 : i64] : memref<64xi8> -> memref<2xf32>
  func.call @one(%a, %x, %s) {{{SHAPES}}} : (memref<4xf32>, memref<4xf32>, memref<2xf32>) -> ()
  func.call @one(%b, %x, %s) {{{SHAPES}}} : (memref<4xf32>, memref<4xf32>, memref<2xf32>) -> ()
  func.call @two(%y, %whole) {{shapes = [array<i64: 4>, array<i64: 4, 2>]}} : (memref<4xf32>, memref<8xf32>) -> ()
"""


def test_parts_of_a_concatenation_are_joined_before_they_are_read():
    x, one = Entry(0), "net_one"
    scratch = {"scratch": "1"}
    assert described(CONCATENATION) == Network(
        (
            Source("x", f32((2, 2), 0)),
            Call("one", one, (x,), (f32((2, 2), 1), f32((2,), 2)), scratch),
            Call("one #2", one, (x,), (f32((2, 2), 3), f32((2,), 2)), scratch),
            Call("concat", CONCAT, (Entry(1), Entry(2)), (f32((8,), 1),)),
            Call("reshape", NO_OPERATION, (Entry(3),), (f32((4, 2), 1),)),
            Call("two", "net_two", (Entry(4),), (f32((4,), 4),)),
        ),
        (Entry(5),),
    )


SLICE = f"""
  %part = loop.view %x[4 : i64] : memref<4xf32> -> memref<2xf32>
  %s = loop.view %arena[32 : i64] : memref<64xi8> -> memref<2xf32>
  func.call @one(%y, %x, %s) {{{SHAPES}}} : (memref<4xf32>, memref<4xf32>, memref<2xf32>) -> ()
  func.call @two(%y, %part) {{shapes = [array<i64: 4>, array<i64: 2>]}} : (memref<4xf32>, memref<2xf32>) -> ()
"""


def test_a_slice_is_cut_out_before_it_is_read():
    network = described(SLICE)
    split = network.nodes[2]
    assert split == Call("split", SPLIT, (Entry(0),), (f32((1,), 4), f32((2,), 3), f32((1,), 4)))
    used = network.nodes[3]
    assert isinstance(used, Call)
    assert used.operands == (Entry(2, 1),)
