"""Evidence about an emitted tree, for whoever assesses it: one document a subject, and an index.

`pack.py` writes all documents; each module beside it makes one or two. A document states what was measured and by what
program, or why it was not measured.
"""
