"""Lists of passes as they stand on the command line of the driver."""

import argparse

from s2s.passes.levels import OPT_LEVELS, TVM_NAMES


def parse_pass_list_str(input_string: str) -> list[str]:
    """Return the names of passes that stand with commas between them, ours or TVM's.

    Unknown ones are an `argparse.ArgumentTypeError`.
    """
    names = input_string.split(",")
    unknown = [name.strip() for name in names if name.strip() and name.strip() not in (*TVM_NAMES, *OPT_LEVELS)]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"passes {', '.join(unknown)}: are not known; give some of {', '.join((*TVM_NAMES, *OPT_LEVELS))}"
        )
    return names


__all__ = ["parse_pass_list_str"]
