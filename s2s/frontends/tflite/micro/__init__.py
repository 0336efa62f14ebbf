"""The custom operators of TFLite-Micro: its signal library, circular buffers, detections and encoded constants."""
