"""The stages of a compilation: one file each, with the facts that the stage makes."""
