"""Regions made by hand, for tests that need a plan and no planner."""

from __future__ import annotations

from dataclasses import replace

from surgery.planning.model import Composite, Operand, Region


def with_composite(region: Region) -> Region:
    """Return a region with the one composite that its own fields describe."""
    operands = [
        *(
            Operand(name=a.name, type=a.type, source=("argument", i))
            for i, a in enumerate(region.arguments)
        ),
        *(
            Operand(name=c.name, type=c.type, source=("constant", i))
            for i, c in enumerate(region.constants)
        ),
    ]
    first = {"argument": 0, "constant": len(region.arguments)}
    composite = Composite(
        name=region.composite,
        kernel=f"{region.symbol}_k0",
        pattern=region.pattern,
        nodes=region.nodes,
        operands=tuple(operands),
        uses={key: first[kind] + at for key, (kind, at) in region.slots.items()},
        outputs=region.outputs,
        output_types=region.output_types,
        captures=region.captures,
        statement=region.statement,
    )
    return replace(region, composites=(composite,))
