"""The names of the demos, which the command line lists before anything is loaded."""

NAMES = ("kws", "vww", "ad", "digits")
"""The names of the classifiers."""
CHAT = "chat"
"""The name of the language model."""

__all__ = ["CHAT", "NAMES"]
