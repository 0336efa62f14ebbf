"""Programs of PyTorch: views, changes in place, aliases, buffers and layers, beside torch."""
