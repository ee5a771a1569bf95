"""The part of YAML that front matter is written in: texts, lists and tables. Everything is text.

Anchors, aliases, tags, merge keys, complex keys and documents are refused: a text stays the text that it is,
and a small file stays small. Whatever is read takes time in proportion to its size.
"""

from plangate.planfile.yaml_subset.blocks import read_front_matter
from plangate.planfile.yaml_subset.emit import flow, scalar
from plangate.planfile.yaml_subset.tree import Entry, FrontMatter, Items, Node, Scalar, Style, Table

__all__ = [
    "Entry",
    "FrontMatter",
    "Items",
    "Node",
    "Scalar",
    "Style",
    "Table",
    "flow",
    "read_front_matter",
    "scalar",
]
