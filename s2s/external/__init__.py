"""External code generators: libraries and accelerators that compute parts of a network, and the C that calls them."""
