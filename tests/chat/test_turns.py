"""What templates write around texts equals what they render for a conversation, or is not stated."""

import pytest

from s2s.chat.turns import read_template
from s2s.types.language import Turns

TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
LLAMA2 = (
    "{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}"
    "{% set system_message = messages[0]['content'] %}{% else %}{% set loop_messages = messages %}"
    "{% set system_message = false %}{% endif %}{% for message in loop_messages %}"
    "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('no turn') }}{% endif %}"
    "{% if loop.index0 == 0 and system_message != false %}"
    "{% set content = '<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}"
    "{% else %}{% set content = message['content'] %}{% endif %}"
    "{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}"
    "{% elif message['role'] == 'assistant' %}{{ ' ' + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}"
)
MISTRAL = (
    "{{ bos_token }}{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }}[/INST]"
    "{% elif m.role == 'assistant' %} {{ m.content }}{{ eos_token }}"
    "{% else %}{{ raise_exception('no system') }}{% endif %}{% endfor %}"
)
DEEPSEEK = (
    "{{ bos_token }}{% for m in messages %}{% if m.role == 'system' %}{{ m.content }}{% endif %}"
    "{% if m.role == 'user' %}<｜User｜>{{ m.content }}{% endif %}{% if m.role == 'assistant' %}"
    "{% set content = m.content %}{% if '</think>' in content %}{% set content = content.split('</think>')[-1] %}"
    "{% endif %}<｜Assistant｜>{{ content }}<｜end｜>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<｜Assistant｜><think>\n{% endif %}"
)
DATED = (
    "{% set day = strftime_now('%Y') if strftime_now is defined else '2024' %}{{ day }}:"
    "{% for m in messages %}{{ m.content }}{% endfor %}"
)
PARTS = (
    "{% for m in messages %}<{{ m.role }}>{% for p in m.content %}{% if p.type == 'text' %}{{ p.text }}{% endif %}"
    "{% endfor %}\n{% endfor %}<assistant>"
)

KINDS = {
    "chatml": (
        CHATML,
        Turns(
            "<|im_start|>user\n",
            "<|im_end|>\n<|im_start|>assistant\n",
            "<|im_end|>\n<|im_start|>user\n",
            ("<|im_start|>system\n", "<|im_end|>\n<|im_start|>user\n"),
        ),
    ),
    "llama2": (LLAMA2, Turns("[INST] ", " [/INST]", " </s><s>[INST] ", ("[INST] <<SYS>>\n", "\n<</SYS>>\n\n"))),
    "mistral": (MISTRAL, Turns("[INST] ", "[/INST]", "</s>[INST] ", None)),
    "deepseek": (DEEPSEEK, Turns("<｜User｜>", "<｜Assistant｜><think>\n", None, ("", "<｜User｜>"))),
    "dated": (DATED, Turns("2024:", "", "", ("2024:", ""))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_turns_are_what_a_template_writes_around_texts(kind: str):
    text, turns = KINDS[kind]
    assert read_template(text, TOKENS, "m", "<s>")[1] == turns


def test_content_may_be_a_list_of_parts():
    template, turns = read_template(PARTS, TOKENS, "m")
    assert (template.in_parts, turns) == (
        True,
        Turns("<user>", "<assistant>", "<user>", ("<system>", "<user>")),
    )


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ messages[0]['content'] | upper }}", "writes no text of the user"),
        ("x", "writes no text of the user"),
        ("{% for", "cannot be rendered"),
        ("{{ raise_exception('no') }}", "cannot be rendered (TemplateError: no)"),
        ("{{ strftime_now('%Y') }}{{ messages[0].content }}", "'strftime_now' is undefined"),
    ],
)
def test_templates_without_such_texts_say_why(template: str, reason: str):
    found, turns = read_template(template, TOKENS, "m")
    assert found.text == template
    assert isinstance(turns, str)
    assert turns.startswith("m: its chat template")
    assert reason in turns
