"""What runs in a forked process ends, whatever the process before it has run."""

import torch

from s2s.support.child import run_in_child


def largest() -> float:
    return float(torch.softmax(torch.ones(512, 4096), 1).max())


def test_operators_of_torch_end_behind_a_fork():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        expected = largest()  # starts the threads, which a fork leaves behind
        assert run_in_child(largest, 60).result == expected
    finally:
        torch.set_num_threads(before)
