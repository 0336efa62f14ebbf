"""Packagings: an emitted tree in the forms that build systems, package managers and IDEs take.

Every format is one file with a function from a `TreeDescription` to the files of the package; `FORMATS` lists them.
"""
