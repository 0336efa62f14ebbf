"""What a computation is: a product, a fold, a window, a convolution."""
