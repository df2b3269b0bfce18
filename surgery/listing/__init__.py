"""Relay text without TVM: any listing as printed, read into :mod:`surgery.graph`."""

from surgery.listing.names import Mention
from surgery.listing.paste import Pasted, begins_inside, unpasted
from surgery.listing.prescan import prescan
from surgery.listing.reader import parse_type, read_listing
from surgery.listing.required import missing_required_attrs
from surgery.listing.scan import Binding, parameter_names, scan_bindings, variable_mentions

__all__ = [
    "Binding", "Mention", "Pasted", "begins_inside", "missing_required_attrs", "parameter_names",
    "parse_type", "prescan", "read_listing", "scan_bindings", "unpasted", "variable_mentions",
]  # fmt: skip
