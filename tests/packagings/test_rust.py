"""Crates of networks build without warnings and run, whatever names, sizes, types and state a network has."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.api import compile as compile_network
from s2s.errors import InputError
from s2s.types.dtypes import Array
from s2s.verify.build import load
from support.c_compilers import require, run
from support.onnx_text import onnx_model

HOSTILE = 'a"; rm -rf *\n*/ fn main() { `x` } \u202e'
KEYWORDS = """
(float[1, 3] fn, float[2] type) => (float[1, 2] self) <float[3, 2] w = {1, -1, 2, -1, 3, -1}>
{ a = MatMul (fn, w) self = Add (a, type) }
"""
TYPES = """
(float[2, 3] x, bool[3] keep, int64[2] n, float16[3] h) => (bool[2, 3] b, int64[2] m, float16[3] g, float s)
{ z = Cast <to = 1> (keep) c = Mul (x, z) b = Cast <to = 9> (c) m = Add (n, n) g = Neg (h)
s = ReduceSum <keepdims = 0> (x) }
"""
RECURRENT = "(float[2] x, float[2] h) => (float[2] y, float[2] g) { g = Add (x, h) y = Mul (g, g) }"
VARYING = "(float[N, 4] x) => (float[N, 4] y) { y = Neg (x) }"


def crate(folder: Path, text: str, name: str = "net", **options: Any) -> Path:
    """The crate of a network, in which a test of Cargo may be put."""
    compile_network(onnx_model(text), target="c", name=name, **options).export(folder / name, "rust")
    return folder / name


def passes(folder: Path, *programs: str) -> str:
    """Run the tests of a crate, and a program of ours among them."""
    for program in programs:
        (folder / "tests" / "more.rs").write_text(program)
    cargo = [require("cargo"), "test", "--offline", "--quiet", "--target-dir", folder.parent / "target"]
    return run(["env", "RUSTFLAGS=-D warnings", *cargo, "--", "--nocapture"], folder)


def test_words_of_rust_are_no_names(tmp_path: Path):
    said = passes(crate(tmp_path, KEYWORDS, "match"))
    assert "match: passed" in said
    assert "self_: [[0.0, 0.0]]" in said


def test_names_of_strangers_stay_texts(tmp_path: Path):
    model = onnx_model("(float[1, 3] x) => (float[1, 3] y) { y = Neg (x) }")
    model.graph.input[0].name = model.graph.node[0].input[0] = HOSTILE
    model.doc_string = model.graph.doc_string = HOSTILE
    file, folder = tmp_path / '"; rm.onnx', tmp_path / "package"
    file.write_bytes(model.SerializeToString())
    compile_network(file, target="c").export(folder, "rust")
    assert "rm: passed" in passes(folder)


def test_all_element_types_are_passed(tmp_path: Path):
    program = """
#[test]
fn types() {
    let mut network = net::Network::default();
    let (mut b, mut m, mut g, mut s) = ([[true; 3]; 2], [0; 2], [0; 3], [0.0; 1]);
    let (x, keep, n, h) = ([[1.0, 0.0, 3.0], [4.0, 5.0, -6.0]], [true, true, false], [7, -8], [0x3c00; 3]);
    network.run(&x, &keep, &n, &h, &mut b, &mut m, &mut g, &mut s).unwrap();
    assert_eq!(b, [[true, false, false], [true, true, false]]);
    assert_eq!((m, g, s), ([14, -16], [0xbc00; 3], [7.0]));
}
"""
    passes(crate(tmp_path, TYPES), program)


def test_state_is_kept_until_it_is_reset(tmp_path: Path):
    program = """
#[test]
fn state() {
    let mut network = net::Network::new();
    let mut y = [0.0; 2];
    for expected in [[1.0, 4.0], [4.0, 16.0]] {
        network.run(&[1.0, 2.0], &mut y).unwrap();
        assert_eq!(y, expected);
    }
    network.reset();
    network.run(&[1.0, 2.0], &mut y).unwrap();
    assert_eq!(y, [1.0, 4.0]);
}
"""
    passes(crate(tmp_path, RECURRENT, states={"h": "g"}), program)


def test_sizes_are_given_with_a_run(tmp_path: Path):
    program = """
#[test]
fn sizes() {
    let mut network = net::Network::new();
    let mut y = [[0.0; 4]; 9];
    network.run(&mut net::Dims { n: 2 }, &[[1.0; 4]; 9], &mut y).unwrap();
    assert_eq!(y[..3], [[-1.0; 4], [-1.0; 4], [0.0; 4]]);
    let refused = network.run(&mut net::Dims { n: 10 }, &[[1.0; 4]; 9], &mut y).unwrap_err();
    assert_eq!(refused, net::Status::Shape);
    println!("{refused}");
}
"""
    said = passes(crate(tmp_path, VARYING, dims={"N": (1, 9)}), program)
    assert "a tensor has other dimensions" in said


MAIN = """
#![no_std]
static mut NETWORK: net::Network = net::Network::new();

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

/// # Safety
/// One thread calls it, with arrays of these sizes.
#[no_mangle]
pub unsafe extern "C" fn answer(image: &[[[[f32; 8]; 8]; 1]; 1], found: &mut [[f32; 10]; 1]) -> bool {
    (*core::ptr::addr_of_mut!(NETWORK)).run(image, found).is_ok()
}
"""
MANIFEST = """
[package]
name = "firmware"
version = "0.1.0"
edition = "2021"
[lib]
crate-type = ["staticlib"]
path = "lib.rs"
[dependencies]
net = { path = "../net" }
[profile.dev]
panic = "abort"
[profile.release]
panic = "abort"
lto = true
[workspace]
"""
CALLER = """
#include <stdbool.h>
#include <stdio.h>
extern bool answer(const float *image, float *found);
int main(void)
{
    static float image[64], found[10];
    if (fread(image, sizeof image, 1, stdin) != 1 || !answer(image, found)) {
        return 1;
    }
    return fwrite(found, sizeof found, 1, stdout) != 1;
}
"""


def test_a_firmware_without_std_computes_the_bits_of_the_tree(tmp_path: Path):
    digits = Path(__file__).parents[2] / "examples" / "digits"
    artifact = compile_network(digits / "digits.onnx", target="c", name="net")
    artifact.export(tmp_path / "net", "rust")
    (tmp_path / "firmware").mkdir()
    for name, text in (("lib.rs", MAIN), ("Cargo.toml", MANIFEST), ("main.c", CALLER)):
        (tmp_path / "firmware" / name).write_text(text)
    built = tmp_path / "target"
    run([require("cargo"), "build", "--offline", "--release", "--target-dir", built], tmp_path / "firmware")
    run([require("gcc"), "main.c", built / "release" / "libfirmware.a", "-lm", "-o", "answer"], tmp_path / "firmware")
    image: Array = np.load(digits / "held_out.npz")["images"][:1]
    (tmp_path / "image").write_bytes(image.tobytes())
    run(["sh", "-c", "firmware/answer < image > found"], tmp_path)
    with load(artifact.tree()) as network:
        [expected] = network.run({"image": image}).values()
    assert (tmp_path / "found").read_bytes() == expected.tobytes()


def test_tables_have_no_crate(tmp_path: Path):
    with pytest.raises(InputError, match="--format rust: wants a run function"):
        crate(tmp_path, VARYING.replace("[N", "[3"), executor="graph")
