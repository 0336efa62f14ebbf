"""A compiled network as one HTML page, which needs no network and no script."""
