"""Networks over sliding windows, run on new frames and compared with the whole network on each window."""
