"""Write a compiled network as one HTML page without external resources or scripts."""
