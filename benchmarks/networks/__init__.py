"""Networks that people deploy, written layer by layer with made-up weights: one for each family of architectures."""
