"""``verify each``: the model compared with what it was, after every pass that changes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from surgery.api.bisecting import Divergence, first_divergence
from surgery.api.reading import Progress
from surgery.api.sides import Side
from surgery.diagnostics import SurgeryError
from surgery.engines.base import Engine, EngineModel
from surgery.graph import Ref, TensorType
from surgery.planning import BuildPlan, Plan, Preparation

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.verification import Verification

#: The pass after which a module returns what the plan says.
_EXPOSES = "surgery.ExposeOutputs"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassCheck:
    """The model after one pass.

    Attributes:
        name: The pass: as ``prepare`` names it, or one of surgery's own (``surgery.SplitStages``).
        ops: How many ops ``main`` has after it, in one piece.
        verification: How its outputs compare; ``None`` where it has the very ops it had before.
        first: Where it begins to differ, if it does and that could be found.
        unknown: Why it could not.
    """

    name: str
    ops: int
    verification: Verification | None
    first: Divergence | None = None
    unknown: str = ""

    @property
    def passed(self) -> bool:
        return self.verification is None or self.verification.passed

    def as_json(self) -> dict[str, object]:
        """Return the check as JSON-ready data."""
        return {
            "pass": self.name,
            "ops": self.ops,
            "changed": self.verification is not None,
            "passed": self.passed,
            "verification": None if self.verification is None else self.verification.as_json(),
            "first": None if self.first is None else self.first.as_json(),
            "unknown": self.unknown or None,
        }


@dataclass(slots=True, kw_only=True)
class PassChecker:
    """Builds and runs a model as passes change it, in memory, and compares with how it began.

    Regions run as the compiler's own code here; what is built of them is compared at the end.

    Attributes:
        inputs, origin: What it runs on, and where that came from.
        builds: Builds of the whole model so far, but for the search of what differs.
    """

    engine: Engine
    plan: Plan
    inputs: Mapping[str, Array]
    origin: str
    tell: Progress
    builds: int = 0

    def prepared(self, loaded: EngineModel, steps: Preparation) -> Iterator[PassCheck]:
        """Check each pass of ``prepare``; nothing comes after the first that changes the values.

        Args:
            loaded: The model before ``bind`` and ``prepare``.
        """
        if not steps.passes:
            return
        types = {b.name: TensorType(b.shape, b.dtype) for b in steps.inputs}
        before = self.engine.prepare(loaded, types, (), self.plan.bind_params)
        names = [f"out{i}" for i in range(len(before.module.main.outputs))]
        expected: list[Array] | None = None
        for step in steps.passes:
            after = self.engine.prepare(before, {}, [step])
            if self.engine.same(before, after):
                yield self._unchanged(step[0], after)
                continue
            if expected is None:
                expected = self._values(before, before.module.main.outputs)
            check = self._check(step[0], before, after, names, expected)
            yield check
            if not check.passed:
                return
            before = after

    def operated(
        self, model: EngineModel, modules: Sequence[tuple[str, Any]]
    ) -> Iterator[PassCheck]:
        """Check surgery's own passes; nothing comes after the first that changes the values.

        Args:
            model: What they were run on.
            modules: Their names, and the module that each made.
        """
        refs: Sequence[Ref] = model.module.main.outputs
        names = [f"out{i}" for i in range(len(refs))]
        before = model
        known: dict[tuple[Ref, ...], list[Array]] = {}
        for name, module in modules:
            after = self.engine.in_one(model, module)
            if name == _EXPOSES:
                by_place = {o.index: o for o in self.plan.outputs}
                outputs = [by_place[i] for i in sorted(by_place)]
                refs, names = [o.ref for o in outputs], [o.name for o in outputs]
            elif self.engine.same(before, after):
                yield self._unchanged(name, after)
                continue
            asked = tuple(refs)
            if asked not in known:
                known[asked] = self._values(model, asked)
            check = self._check(name, before, after, names, known[asked])
            yield check
            if not check.passed:
                return
            before = after

    def _unchanged(self, name: str, after: EngineModel) -> PassCheck:
        return PassCheck(name=name, ops=_ops(after), verification=None)

    def _check(
        self,
        name: str,
        before: EngineModel,
        after: EngineModel,
        names: Sequence[str],
        expected: Sequence[Array],
    ) -> PassCheck:
        from surgery.verification import compare

        self.tell(f"verifying {name}")
        try:
            actual = self._values(after, after.module.main.outputs)
        except SurgeryError as failure:
            note = f"`verify each` built the model as it is after {name}"
            raise SurgeryError(
                [replace(d, notes=(*d.notes, note)) for d in failure.diagnostics]
            ) from failure
        verification = compare(
            dict(zip(names, actual, strict=True)),
            dict(zip(names, expected, strict=True)),
            rtol=self.plan.verify.rtol,
            atol=self.plan.verify.atol,
            inputs=self.origin,
            between_floats=True,
        )
        check = PassCheck(name=name, ops=_ops(after), verification=verification)
        return check if verification.passed else self._located(check, before, after)

    def _values(self, model: EngineModel, refs: Sequence[Ref]) -> list[Array]:
        from surgery.verification import tap_values

        found: dict[Ref, Array] = {}
        for values in tap_values(
            self.engine, model, list(dict.fromkeys(refs)), self.inputs, build=self._build()
        ):
            found |= values
        self.builds += 1
        return [found[ref] for ref in refs]

    def _build(self) -> BuildPlan:
        build = self.plan.build
        return BuildPlan(
            target=build.target, opt_level=build.opt_level, config=build.config,
            disable=build.disable,
        )  # fmt: skip

    def _located(self, check: PassCheck, before: EngineModel, after: EngineModel) -> PassCheck:
        """Return a failed check with the first value that differs."""
        sides = [
            Side(shown=shown, engine=self.engine, model=model, build=self._build())
            for shown, model in ((f"before {check.name}", before), (f"after {check.name}", after))
        ]
        try:
            first = first_divergence(
                sides[0], sides[1], self.inputs, self.plan.verify.rtol, self.plan.verify.atol,
                self.tell,
            )  # fmt: skip
        except SurgeryError as failure:
            # That it differs stands; some values of it can't be built to be read.
            return replace(check, unknown=failure.diagnostics[0].message)
        return replace(check, first=first, unknown="" if first else "all values in common agree")


def _ops(model: EngineModel) -> int:
    return sum(kind == "call" for kind in model.module.main.kinds)
