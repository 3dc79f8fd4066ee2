"""Writes the pages of docs/reference that repeat what the code says: commands, files, tables of benchmarks.

    .venv/bin/python -m scripts.reference

Commands are described by click, files by the pydantic models that read them, benchmarks by what they register.
"""
