"""Conversations with chat programs: the cache holds the tokens of what the template renders, turn by turn."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from s2s.artifact import compile_artifact
from s2s.chat import Conversation, render
from s2s.chat.session import Session
from s2s.chat.turns import read_template
from s2s.cli.conversation import read_text
from s2s.errors import InputError
from s2s.frontends.decoder import Config
from s2s.options import CompileOptions
from s2s.testing.decoders import write_gguf

WORDS = ["the ", "cat ", "sat ", "on ", "mat ", "</think>", "<|im_end|>", "<|user|>", "<|bot|>", "<|eot_id|>"]
TEMPLATE = (
    "{% for m in messages %}{% set text = m.content.split('</think>')[-1] if m.role == 'assistant' else m.content %}"
    "{{ {'user': '<|user|>', 'assistant': '<|bot|>', 'system': ''}[m.role] }}{{ text }}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|bot|>{% endif %}"
)


def metadata() -> Mapping[str, Any]:
    """A tokeniser of bytes and whole words, of the kind that merges by score."""
    tokens = [*(f"<0x{byte:02X}>" for byte in range(256)), *WORDS]
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": [text.replace(" ", "\u2581") for text in tokens],
        "tokenizer.ggml.scores": [0.0] * len(tokens),
        "tokenizer.ggml.token_type": [6] * 256 + [4] * 5 + [3] * 5,
        "tokenizer.ggml.eos_token_id": len(tokens) - 1,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.add_space_prefix": False,
        "tokenizer.chat_template": TEMPLATE,
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("talker")
    config = Config(vocabulary=266, width=16, layers=1, heads=2, kv_heads=1, hidden=16, length=64)
    write_gguf(folder / "talker.gguf", config, "F32", metadata=metadata())
    made = compile_artifact(str(folder / "talker.gguf"), CompileOptions(target="c")).write(folder / "tree")
    subprocess.run(["make", "-s", "chat"], cwd=made, check=True)
    return made


def session(tree: Path, *options: str, system: str | None = None) -> Session:
    template, _ = read_template(TEMPLATE, {}, "talker")
    program = tree / "build" / "chat" / "talker_chat"
    words = ["--hosted", "1", "--temperature", "0", "--tokens", "4", *options]
    return Session([program, *words], template, "talker", system)


def test_only_what_is_new_is_read_and_the_answer_is_that_of_the_whole_conversation(tree: Path):
    """A second program that has read nothing before gives the same answers to the same conversation."""
    talk, read = session(tree), list[int]()
    for text in ("the cat ", "sat on ", "the mat "):
        answer = talk.ask(text, lambda piece: None)
        read.append(answer.read)
        fresh = session(tree)
        fresh.messages = talk.messages[:-2]
        assert fresh.ask(text, lambda piece: None).text == answer.text
        fresh.close()
    talk.close()
    (rendered,) = render(TEMPLATE, [Conversation(talk.messages, asks=False)], {}, "m")
    assert "</think>" not in rendered
    assert read[0] == 5
    assert read[1] < 5 + read[0] + 4


def test_a_conversation_longer_than_the_cache_drops_its_oldest_turns(tree: Path):
    talk = session(tree, system="on ")
    answers = [talk.ask("the cat sat on the mat ", lambda piece: None) for _ in range(8)]
    assert [each.dropped for each in answers[:2]] == [0, 0]
    assert any(each.dropped for each in answers)
    assert all(each.place <= 64 for each in answers)
    assert talk.messages[0]["role"] == "system"
    with pytest.raises(InputError, match=r"talker: the text takes .* tokens, and the cache has 64 positions; shorten"):
        talk.ask("the cat " * 60, lambda piece: None)
    assert talk.ask("the ", lambda piece: None).written > 0
    talk.close()


def test_an_answer_ends_with_the_cache_and_says_so(tree: Path):
    talk = session(tree, "--tokens", "500", "--temperature", "2", "--seed", "3")
    whys = [talk.ask("the cat ", lambda piece: None).why for _ in range(6)]
    talk.close()
    assert set(whys) <= {"full", "token"}


def test_a_signal_ends_the_answer_and_not_the_program(tree: Path, tmp_path: Path):
    """The program is stopped while it writes, and answers the next conversation."""
    config = Config(vocabulary=266, width=512, layers=4, heads=4, kv_heads=4, hidden=1024, length=2000)
    write_gguf(tmp_path / "slow.gguf", config, "F32", metadata={**metadata(), "tokenizer.chat_template": "x"})
    made = compile_artifact(str(tmp_path / "slow.gguf"), CompileOptions(target="c")).write(tmp_path / "tree")
    subprocess.run(["make", "-s", "chat"], cwd=made, check=True)
    program = made / "build" / "chat" / "slow_chat"
    command = [program, "--hosted", "1", "--tokens", "1900", "--seed", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for _ in range(2):
            running.stdin.write(b"8\nthe cat ")
            running.stdin.flush()
            assert running.stdout.readline().startswith(b"piece")
            os.kill(running.pid, signal.SIGINT)
            ends = next(line for line in running.stdout if re.match(rb".*end \d+ ", line))
            assert re.search(rb"(stopped|token)\n$", ends)
            time.sleep(0.05)
            os.kill(running.pid, signal.SIGINT)  # it waits: nothing to end
        running.stdin.close()
        assert running.wait() == 0


def test_lines_that_end_with_a_backslash_go_on(capsys: pytest.CaptureFixture[str]):
    lines = iter(["one\\", "two", "three"])
    assert [read_text(lambda: next(lines)) for _ in range(2)] == ["one\ntwo", "three"]


def test_an_interrupt_forgets_what_was_typed(capsys: pytest.CaptureFixture[str]):
    events: list[str | type[BaseException]] = ["one\\", KeyboardInterrupt, "two", EOFError]

    def read() -> str:
        event = events.pop(0)
        if isinstance(event, str):
            return event
        raise event

    assert [read_text(read), read_text(read)] == ["two", None]
    assert "Ctrl-D ends" in capsys.readouterr().err
