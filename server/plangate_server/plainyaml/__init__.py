"""The files that operators write: plain YAML, read whole, every problem told with its place."""

from plangate_server.plainyaml.loading import FileProblems, load_file, parse_file

__all__ = ["FileProblems", "load_file", "parse_file"]
