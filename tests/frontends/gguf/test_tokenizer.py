"""Tokenisers of GGUF files: special tokens, chat programs, and refusals."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.cli.main import run as run_cli
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.gguf.tokenizer import read_tokenizer
from s2s.options import CompileOptions
from s2s.types.language import NO_TOKEN
from support.project import ROOT
from support.tokenizers import Encoder, by_definition_gpt2, compiled, gpt2, letters, llama


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("gpt2"), gpt2())


def test_special_tokens_stand_for_themselves(tree: Path):
    size = len(gpt2()["tokenizer.ggml.tokens"])
    assert Encoder(tree)("<s>the</s>") == [size - 2, *by_definition_gpt2("the"), size - 1]


def test_chat_answers_with_the_most_likely_tokens(tree: Path, capfd: pytest.CaptureFixture[str]):
    """The program prints what the network says token by token, run from Python."""
    assert run_cli(["chat", str(tree), "--prompt", "the cat", "--temperature", "0", "--tokens", "6"]) == 0
    shown = capfd.readouterr()
    network = compile_artifact(str(tree.parent / "talker.gguf"), CompileOptions(target="c"))
    given = Encoder(tree)("<s>[user]the cat</s>\n[assistant]")
    names, bytes_of = gpt2()["tokenizer.ggml.tokens"], {letter: byte for byte, letter in enumerate(letters())}
    written: list[int] = []
    for position in range(len(given) + 6):
        token = given[position] if position < len(given) else written[-1]
        logits = network.run({"token": np.array([token]), "position": np.array([position])})["logits"]
        if position >= len(given) - 1:
            written.append(int(logits.argmax()))
    answer = [names[token] for token in written[:6]]
    assert shown.out.encode() == b"".join(bytes(bytes_of[letter] for letter in name) for name in answer) + b"\n"
    assert re.fullmatch(rf"\[read {len(given)} tokens, [\d.]+/s; wrote 6, [\d.]+/s; \d+ of 64 positions\]\n", shown.err)


def test_chat_with_prefill_gives_the_same_answer(tree: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    """A prompt of two runs of eight tokens, and single ones."""
    model, made = str(tree.parent / "talker.gguf"), str(tmp_path / "both")
    assert run_cli(["compile", model, "--prefill", "8", "--target", "c", "-o", made]) == 0
    capfd.readouterr()
    answers: list[str] = []
    for folder in (str(tree), made):
        assert run_cli(["chat", folder, "--prompt", "the cat sat", "--temperature", "0", "--tokens", "6"]) == 0
        shown = capfd.readouterr()
        answers.append(shown.out + shown.err.partition(" tokens, ")[0])
    assert answers[0] == answers[1]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "pools",
    [
        ["tcm=2KiB", "sram=64KiB"],
        ["tcm=2KiB", "sram=64KiB:buffers", "--prefill", "4"],
        ["tcm=8KiB", "sram=64KiB:loaded"],
    ],
)
def test_chat_in_memory_pools_gives_the_same_answer(
    pools: list[str], tree: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    """The cache of 4,096 bytes is in the first pool that has room for it."""
    model, made = str(tree.parent / "talker.gguf"), str(tmp_path / "pooled")
    options = [word for each in pools[:2] for word in ("--pool", each)]
    assert run_cli(["compile", model, *options, *pools[2:], "--target", "c", "-o", made]) == 0
    capfd.readouterr()
    answers: list[str] = []
    for folder in (str(tree), made):
        assert run_cli(["chat", folder, "--prompt", "the cat sat", "--temperature", "0", "--tokens", "6"]) == 0
        answers.append(capfd.readouterr().out)
    assert answers[0] == answers[1]


def test_state_that_fits_no_pool_is_named(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model, made = str(tree.parent / "talker.gguf"), str(tmp_path / "pooled")
    assert run_cli(["compile", model, "--pool", "tcm=2KiB", "--pool", "sram=3KiB", "--target", "c", "-o", made]) == 2
    assert "the largest are state 4,096; give tcm 4,096 bytes" in capsys.readouterr().err


def test_chat_begins_anew_when_the_cache_is_full(tree: Path):
    subprocess.run(["make", "-s", "chat"], cwd=tree, check=True)
    program = tree / "build" / "chat" / "talker_chat"
    command = [program, "--plain", "1", "--tokens", "20", "--seed", "5"]
    text = b"the cat\n\nsat\\\non the mat\non the mat\n" + b"the cat " * 60 + b"\nthe\n"
    done = subprocess.run(command, input=text, capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stderr.count(b"[read ") == 4
    assert b"the cache has no room for more; the conversation begins anew\n" in done.stderr
    assert b"the text is too long for the cache; shorten it" in done.stderr


def test_an_answer_ends_where_the_cache_does(tree: Path):
    subprocess.run(["make", "-s", "chat"], cwd=tree, check=True)
    program = tree / "build" / "chat" / "talker_chat"
    command = [program, "--plain", "1", "--tokens", "200", "--seed", "5", "--prompt", "the"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"64 of 64 positions]\ntalker: the answer ends where the cache does" in done.stderr


@pytest.mark.sample(1)
@pytest.mark.parametrize("prefill", [(), ("--prefill", "12")], ids=["steps", "prefill"])
def test_chat_goes_on_in_a_ring_until_the_text_is_as_long_as_those_of_training(
    tree: Path, tmp_path: Path, prefill: tuple[str, ...]
):
    model, made = str(tree.parent / "talker.gguf"), tmp_path / "ring"
    options = ["--cache", "float32-ring", "--dim", "positions=24", *prefill, "--target", "c", "-o", str(made)]
    assert run_cli(["compile", model, *options]) == 0
    subprocess.run(["make", "-s", "chat"], cwd=made, check=True)
    command = [next(made.glob("build/chat/*_chat")), "--plain", "1", "--tokens", "20", "--seed", "5"]
    done = subprocess.run(command, input=b"the cat\n\nsat\non the mat\non it sat\n", capture_output=True, check=False)
    assert b" of 64 positions]" in done.stderr
    assert b"the conversation begins anew\n" in done.stderr


def test_chat_refuses_trees_without_tokeniser(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    compiled(tmp_path, gpt2(pre="klingon"))
    assert run_cli(["chat", str(tmp_path / "tree")]) == 2
    assert "cuts words by the rules 'klingon'; known are gpt-2, " in capsys.readouterr().err
    assert run_cli(["chat", str(tmp_path)]) == 2
    assert "is no tree of s2s" in capsys.readouterr().err
    assert run_cli(["chat", str(tmp_path / "talker.gguf")]) == 2
    assert "talker.gguf -o talker" in capsys.readouterr().err


def test_words_of_llama3_are_looked_up_whole():
    size = len(gpt2()["tokenizer.ggml.tokens"])
    found = read_tokenizer(gpt2(pre="llama-bpe"), size, "m")
    ends = found.tables["starts"]
    text = found.text.tobytes()
    in_order = [text[ends[number] : ends[number + 1]] for number in found.tables["by_text"]]
    assert in_order == sorted(in_order)
    assert (found.words, found.digits, "by_text" in read_tokenizer(gpt2(), size, "m").tables) == ("llama3", 3, False)


@pytest.mark.parametrize(
    ("metadata", "error", "message"),
    [
        ({"model": "bert"}, UnsupportedError, "the tokeniser is 'bert'"),
        ({"tokens": 3}, InputError, "there are no tokens"),
        ({"tokens": ["a"] * 1000}, InputError, "1000 tokens for 283 rows"),
        ({"token_type": [1]}, InputError, "types of tokens"),
        ({"merges": ["a b"]}, InputError, "the merge 'a b' is of no tokens"),
        ({"eos_token_id": 4000}, InputError, "eos_token_id is 4000"),
    ],
)
def test_metadata_that_contradict_themselves_are_refused(
    metadata: Mapping[str, object], error: type[Exception], message: str
):
    with pytest.raises(error, match=f"m: .*{message}"):
        read_tokenizer(gpt2(**metadata), 283, "m")


def test_scores_of_llama_are_as_many_as_tokens():
    with pytest.raises(InputError, match="no score for each token"):
        read_tokenizer(llama(scores=[1.0]), 1000, "m")
    assert read_tokenizer(llama(add_bos_token=False), 1000, "m").begin == NO_TOKEN


def test_a_template_that_cannot_be_rendered_leaves_the_tokeniser(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    made = compiled(tmp_path, gpt2() | {"tokenizer.chat_template": "{{ 1 // 0 }}"})
    assert "_OPENING" not in (made / "include" / "talker_tokenizer.h").read_text()
    assert run_cli(["chat", str(made), "--prompt", "the"]) == 2
    assert ": its chat template cannot be rendered (ZeroDivisionError" in capsys.readouterr().err
    assert run_cli(["chat", str(made), "--plain", "--prompt", "the", "--tokens", "1"]) == 0


def test_the_runtime_files_come_with_tokenisers_only(tree: Path):
    assert {path.name for path in (tree / "runtime" / "src").iterdir()} == {"sampler.c", "tokenizer.c"}
    assert (ROOT / "runtime_c" / "src" / "sampler.c").read_text() == (tree / "runtime/src/sampler.c").read_text()
