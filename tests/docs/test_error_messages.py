"""Messages of errors state the place, the fact and the way out; the page docs/reference/errors.md lists all of them."""

from docs.error_messages import PARTIAL, Message, messages

PLACED_BY_CALLERS = (
    "s2s/analysis/structure/extents.py",
    "s2s/analysis/structure/multiples.py",
    "s2s/analysis/structure/shape_functions.py",
    "s2s/analysis/network/extents.py",
    "s2s/passes/tensor/propagate_sizes.py",
)
"""Files whose errors get the place where they are caught."""
OF_ONE_MEASUREMENT = ("CallTimedOutError", "CallDiedError")
"""What a tuner notes of a measurement that failed: no user sees it as the end of a command."""


def test_messages_of_all_kinds_are_found():
    found = messages()
    assert len(found) > 1000
    texts = {each.text for each in found}
    assert "{flag} {text}: {thing} {name} is given twice; name it once" in texts
    assert any(each.kind == "UnsupportedError" and each.stage == "Reading TFLite" for each in found)


def test_messages_state_place_fact_and_way_out():
    wrong = [each for each in messages() if not says_enough(each)]
    assert wrong == [], "\n".join(f"{each.module}: {each.text}" for each in wrong)


def says_enough(message: Message) -> bool:
    if message.kind in (*PARTIAL, *OF_ONE_MEASUREMENT):
        return True
    return message.is_complete or (message.module.as_posix() in PLACED_BY_CALLERS and bool(message.way_out))
