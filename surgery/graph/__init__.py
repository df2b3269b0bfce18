"""The engine-neutral picture of a model, and what can be asked of it without a compiler."""

from surgery.graph.columns import BulkColumn, ConstantColumn, LazyColumn
from surgery.graph.graph import (
    ROOT_SCOPES,
    AttrValue,
    Graph,
    Kind,
    Module,
    Node,
    Ref,
    Resolved,
    Scope,
)
from surgery.graph.inherit import inherited_names
from surgery.graph.types import (
    UNKNOWN,
    Dim,
    OtherType,
    TensorType,
    TupleType,
    UnknownType,
    ValueType,
    dtype_bits,
    field_type,
    leaf_paths,
)
from surgery.graph.walk import (
    STRUCTURAL,
    ancestors,
    descendants,
    is_meant,
    leaving_path,
    mark_ancestors,
    needed,
    path,
    reads,
    runtime_dependent,
)

__all__ = [
    "ROOT_SCOPES", "STRUCTURAL", "UNKNOWN", "AttrValue", "BulkColumn", "ConstantColumn", "Dim",
    "Graph", "Kind", "LazyColumn", "Module", "Node", "OtherType", "Ref", "Resolved", "Scope",
    "TensorType", "TupleType", "UnknownType", "ValueType", "ancestors", "descendants",
    "dtype_bits", "field_type", "inherited_names", "is_meant", "leaf_paths", "leaving_path",
    "mark_ancestors", "needed", "path", "reads", "runtime_dependent",
]  # fmt: skip
