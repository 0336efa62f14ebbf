"""Names of states with a star, which stands for the same text in the name of an input and of an output.

past_key_values.*=present.*     past_key_values.0.key=present.0.key, past_key_values.0.value=present.0.value, …
"""

from collections.abc import Collection, Mapping, Sequence

from s2s.errors import InputError
from s2s.frontends.names import one_line


def expanded_states(
    states: Mapping[str, str], inputs: Collection[str], outputs: Collection[str], *, check: bool = True
) -> dict[str, str]:
    """Return `states` with a pair for each input that a name with a star fits: of `past.*=present.*` it stands for the
    same on both sides. `check` that there are such outputs."""
    found = dict[str, str]()
    for name, output in states.items():
        if "*" not in name:
            found[name] = output
            continue
        before, _, behind = name.partition("*")
        fitting = [each for each in inputs if len(each) >= len(name) - 1]
        fitting = [each for each in fitting if each.startswith(before) and each.endswith(behind)]
        for each in fitting:
            found[each] = output.replace("*", each[len(before) : len(each) - len(behind)])
        if not fitting:
            names = ", ".join(map(repr, map(one_line, inputs)))
            raise InputError(f"--state {name}={output}: no input of the model is called so; its inputs are {names}")
    starred = [each for each in found if each not in states]
    unknown = next((each for each in starred if found[each] not in outputs), None)
    if unknown is not None and check:
        names = ", ".join(map(repr, map(one_line, outputs)))
        raise InputError(
            f"--state {unknown}={found[unknown]}: the model has no output of this name; its outputs are {names}"
        )
    return found


def with_star(states: Mapping[str, str]) -> dict[str, str]:
    """Return `states` as one pair of names with a star, if there is one that stands for all of them and no other."""
    names = list(states)
    before, behind = _common(names), _common([name[::-1] for name in names])[::-1]
    if len(names) < 2 or not before:
        return dict(states)
    behind = behind[max(0, len(before) + len(behind) - min(map(len, names))) :]
    middle = names[0][len(before) : len(names[0]) - len(behind)]
    for at in range(len(states[names[0]])):
        output = states[names[0]]
        if output.startswith(middle, at):
            pair = {f"{before}*{behind}": f"{output[:at]}*{output[at + len(middle) :]}"}
            if expanded_states(pair, names, list(states.values()), check=False) == states:
                return pair
    return dict(states)


def _common(names: Sequence[str]) -> str:
    """Return what all names begin with."""
    ends = range(min(map(len, names), default=0), -1, -1)
    return next((names[0][:end] for end in ends if all(name.startswith(names[0][:end]) for name in names)), "")
