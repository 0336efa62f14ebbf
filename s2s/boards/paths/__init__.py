"""The longest path through a linked program: control flow, branches on data, and the price of their longest side."""
