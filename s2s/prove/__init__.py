"""Proof that an emitted tree computes what its model file says, for every input.

The proof takes two things, the model file and the tree of C, and nothing else of the compiler: the C is parsed again
and executed on symbols, the operators of the model are executed on the same symbols, and the two results are compared.
This package imports no pass, planner or emitter; `tests/prove/test_independence.py` holds that.
"""
