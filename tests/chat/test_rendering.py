"""Chat templates are rendered as transformers renders them, and whatever else they do is a refusal."""

import time
from datetime import datetime

import pytest

from s2s.chat import Conversation, render
from s2s.errors import InputError

ASKED = Conversation([{"role": "user", "content": "<who>"}])

MEANINGS = {
    "blocks take their lines": ("{% if true %}\na\n{% endif %}\n  {% if true %}b{% endif %}", "a\nb"),
    "tojson escapes nothing": ("{{ {'a': '<é>'} | tojson }}", '{"a": "<é>"}'),
    "tojson takes an indent": ("{{ [1] | tojson(indent=1) }}", "[\n 1\n]"),
    "loops end early": ("{% for i in range(9) %}{% if i > 1 %}{% break %}{% endif %}{{ i }}{% endfor %}", "01"),
    "turns are left out": ("{% for i in range(3) %}{% if i == 1 %}{% continue %}{% endif %}{{ i }}{% endfor %}", "02"),
    "generation is marked": ("a{% generation %}b{{ 1 + 1 }}{% endgeneration %}c", "ab2c"),
    "namespaces change": ("{% set n = namespace(k=1) %}{% for i in [1] %}{% set n.k = 5 %}{% endfor %}{{ n.k }}", "5"),
    "the day is told": ("{{ strftime_now('%d %b %Y') }}", "28 Nov 2026"),
    "tools are none": ("{{ tools is none and documents is none }}", "True"),
    "tokens have names": ("{{ bos_token }}{{ messages[0]['content'] }}{{ unk_token }}", "<s><who>"),
    "an answer is asked for": ("{% if add_generation_prompt %}yes{% endif %}", "yes"),
    "messages are objects": ("{% for m in messages %}{{ m.role }}={{ m.content | trim }}{% endfor %}", "user=<who>"),
}


@pytest.mark.parametrize("name", MEANINGS)
def test_names_mean_what_they_mean_in_transformers(name: str):
    template, text = MEANINGS[name]
    assert render(template, [ASKED], {"bos_token": "<s>"}, "m", datetime(2026, 11, 28)) == [text]


def test_conversations_are_rendered_in_order():
    conversations = [Conversation([{"role": "user", "content": word}]) for word in ("a", "b")]
    assert render("[{{ messages[0].content }}]", conversations, {}, "m") == ["[a]", "[b]"]


HOSTILE = {
    "a loop without end": (
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "s or 256",
    ),
    "work in one expression": ("{{ 9 ** (9 ** 9) % 2 }}", "s or 256"),
    "a large text": ("{{ 'a' * 10000000000 }}", "memory ran out"),
    "a large list": ("{{ ([0] * 10000000000) | length }}", "memory ran out"),
    "a padded number": ("{{ '%99999999999d' % 1 }}", "memory ran out|OverflowError|ValueError"),
    "much output": ("{% for i in range(9999) %}{{ 'a' * 9999 }}{% endfor %}", "writes more than 4,194,304 characters"),
    "a macro that calls itself": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "RecursionError"),
    "deep brackets": ("{{ " + "(" * 20000 + "1" + ")" * 20000 + " }}", "RecursionError|SIGSEGV|memory ran out"),
    "deep blocks": ("{% if 1 %}" * 3000 + "{% endif %}" * 3000, "Error|SIGSEGV|memory ran out"),
    "a long chain": ("{{ " + "-" * 50000 + "1 }}", "RecursionError|SIGSEGV|memory ran out"),
    "a division by zero": ("{{ 1 // 0 }}", "ZeroDivisionError"),
    "a refusal of its own": ("{{ raise_exception('only\nfour') }}", "TemplateError: only four"),
    "a long refusal": ("{{ raise_exception('a' * 100000) }}", "aaa…"),
    "an unknown name": ("{{ strftime_now('%d') }}", "'strftime_now' is undefined"),
    "a way out of the sandbox": ("{{ messages.__class__.mro() }}", "SecurityError|UndefinedError"),
    "a format that reads attributes": ("{{ '{0.__class__.__mro__}'.format(messages) }}", "SecurityError"),
    "a change of the conversation": ("{{ messages.append(1) }}", "SecurityError"),
    "an include": ("{% include '/etc/passwd' %}", "no loader"),
    "a mistake": ("a\n{% for", "line 2: "),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_other_things_are_refused_in_one_line(name: str):
    template, reason = HOSTILE[name]
    started = time.process_time()
    with pytest.raises(InputError, match=rf"^m\.gguf: its chat template cannot be rendered \(.*({reason})") as caught:
        render(template, [ASKED], {}, "m.gguf")
    assert str(caught.value).endswith("give the model another template")
    assert len(str(caught.value).splitlines()) == 1
    assert time.process_time() - started < 1.0
