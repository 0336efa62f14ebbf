"""Channels of the tensors of a network: what bounds them, which are equal, and which are needed."""
