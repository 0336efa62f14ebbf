"""The four dialects of s2s: graph, tensor, loop and c.

Installed as `s2s.dialects`. A bare `import dialects` would define every operation a second time, so it is refused.
"""

if __name__ == "dialects":
    raise ImportError("import the dialects as `from s2s.dialects import graph`, never as `import dialects`")
