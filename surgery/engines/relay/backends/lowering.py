"""``via te``: a Python function of the user's writes each kernel as tensor expressions.

``def conv_block(call, inputs)`` gets the composite's Relay call and a ``te.Tensor`` for each of the
kernel's operands, and returns a ``te.Tensor``, or as many as the composite has outputs. Each
becomes a PrimFunc with a default schedule, which is written out wherever regions call it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from surgery.diagnostics import SurgeryError, error, nearest
from surgery.engines.base import LOWERINGS_GROUP
from surgery.engines.relay.backends.calls import written_out
from surgery.engines.relay.backends.region import RegionCode, Step, Tensor
from surgery.engines.relay.backends.schedule import scheduled
from surgery.engines.relay.backends.user_code import UserFile
from surgery.engines.relay.failure import diagnosed, engine_error
from surgery.engines.relay.tvm_import import tvm as load_tvm
from surgery.source import Span

tvm = load_tvm()
te = tvm.te


class Lowerings:
    """A module of a user's lowerings, loaded.

    Args:
        module: The module.
        file: Its file, for places in messages.
        shown: What its user calls it.
    """

    def __init__(self, module: ModuleType, file: UserFile | None, shown: str) -> None:
        self._module, self._file, self._shown = module, file, shown
        self._kernels: dict[str, Any] = {}

    @classmethod
    def load(cls, path: Path, shown: str) -> Lowerings:
        """Run a file of lowerings.

        Raises:
            SurgeryError: S464 it doesn't load.
        """
        file = UserFile(path, shown)
        module = ModuleType(f"surgery_lowerings_{_identifier(path.stem)}")
        module.__file__ = str(path)
        try:
            with _importing(path.parent):
                exec(compile(file.source.text, str(path), "exec"), module.__dict__)
        except (Exception, SystemExit) as failure:
            raise _unloadable(shown, failure, file.raised_at(failure)) from failure
        return cls(module, file, shown)

    @classmethod
    def installed(cls, name: str) -> Lowerings:
        """Load the lowerings that an installed package brings, by their entry point.

        Raises:
            SurgeryError: S464 there is none, or it doesn't load.
        """
        found = list(entry_points(group=LOWERINGS_GROUP, name=name))
        if not found:
            raise error(
                "S464",
                f"no installed package has lowerings {name}",
                reason=f"there is no entry point of that name in the group {LOWERINGS_GROUP}",
                remedy="install the package that the spec was written with",
            )
        try:
            module = found[0].load()
        except (Exception, SystemExit) as failure:
            raise _unloadable(found[0].value, failure, None) from failure
        if not isinstance(module, ModuleType):
            raise error(
                "S464",
                f"{found[0].value} can't be loaded",
                reason=f"the entry point {name} is a {type(module).__name__}, not a module",
                remedy=f'write it as `{name} = "{found[0].module}"` in the package',
            )
        path = getattr(module, "__file__", None)
        file = UserFile(Path(path), path) if path and Path(path).is_file() else None
        return cls(module, file, found[0].value)

    def invoke(self, _code: RegionCode, step: Step, buffers: Sequence[Any]) -> Any:
        """Return a step of a region as a statement on TIR buffers: operands, then outputs."""
        return written_out(self.kernel(step), buffers)

    def kernel(self, step: Step) -> Any:
        """Return a step's kernel as a PrimFunc: its operands, then its outputs.

        Raises:
            SurgeryError: S465 no function of the composite's name, S466 it raises, S467 it returns
                something else than the composite's outputs.
        """
        known = self._kernels.get(step.kernel)
        if known is None:
            known = self._kernels[step.kernel] = self._made(step)
        return known

    def _made(self, step: Step) -> Any:
        inputs = [
            te.placeholder(type_.shape, type_.dtype, name=f"a{index}")
            for index, type_ in enumerate(step.operand_types)
        ]
        outputs: list[Any] = []
        for tensor in self._lower(step, inputs):
            # An output needs a buffer of its own: not an operand's, and not another output's.
            shared = any(tensor.same_as(t) for t in (*inputs, *outputs))
            outputs.append(tvm.topi.identity(tensor) if shared else tensor)
        try:
            return scheduled(_at_their_start(te.create_prim_func([*inputs, *outputs])))
        except (tvm.TVMError, ValueError, TypeError) as failure:
            name = _identifier(step.name)
            raise error(
                "S466",
                f"what {name} of {self._shown} returns can't be computed",
                self._place(step.name),
                reason=engine_error(failure),
                remedy="compute from the given inputs only, with te.compute or topi",
            ) from failure

    def _find(self, step: Step) -> Any:
        name = _identifier(step.name)
        found = self._module.__dict__.get(name)
        if callable(found):
            return found
        known = [
            k for k, v in self._module.__dict__.items()
            if callable(v) and getattr(v, "__module__", None) == self._module.__name__
        ]  # fmt: skip
        close = nearest(name, known)
        raise error(
            "S465",
            f"{self._shown} has no function {name}",
            reason=f"the composite {step.name} is lowered by the function of its name; the file "
            f"has {', '.join(known) or 'none'}",
            remedy=f"did you mean {' or '.join(close)}?"
            if close
            else f"write `def {name}(call, inputs)`, or name the offload: `as NAME`",
        )

    def _place(self, name: str) -> Span | None:
        function = self._module.__dict__.get(_identifier(name))
        if self._file is None or not isinstance(function, FunctionType):
            return None
        code = function.__code__
        mine = code.co_filename == str(self._file.path)
        return self._file.span(code.co_firstlineno) if mine else None

    def _lower(self, step: Step, inputs: list[Any]) -> list[Any]:
        function = self._find(step)
        name = _identifier(step.name)
        try:
            with diagnosed() as found:
                returned = function(step.call, list(inputs))
        except (Exception, SystemExit) as failure:
            by_tvm = isinstance(failure, tvm.TVMError)
            raise error(
                "S466",
                f"{name} of {self._shown} raises",
                (self._file.raised_at(failure) if self._file else None) or self._place(name),
                reason=engine_error(failure, found) if by_tvm else _said(failure),
                remedy=f"its inputs are {_types(step.operand_types)}; it must return "
                f"{_types(step.output_types)}",
            ) from failure
        outputs = (
            list(returned) if isinstance(returned, (list, tuple, tvm.ir.Array)) else [returned]
        )
        fault = _fault(outputs, step)
        if fault:
            raise self._wrong(step, fault)
        return outputs

    def _wrong(self, step: Step, reason: str) -> SurgeryError:
        name = _identifier(step.name)
        return error(
            "S467",
            f"{name} of {self._shown} returns something else than the composite's outputs",
            self._place(name),
            reason=reason,
            remedy=f"for the inputs {_types(step.operand_types)} it must return "
            f"{_types(step.output_types)}",
        )


def _at_their_start(function: Any) -> Any:
    """Let buffers that a function allocates begin where their memory does.

    Those of ``te.extern`` begin at a variable, which nothing defines for one that is no argument.
    """
    offsets: dict[Any, Any] = {}

    def note(node: Any) -> None:
        if isinstance(node, tvm.tir.Block):
            for buffer in node.alloc_buffers:
                offset = buffer.elem_offset
                if isinstance(offset, tvm.tir.Var):
                    offsets[offset] = tvm.tir.const(0, offset.dtype)

    tvm.tir.stmt_functor.post_order_visit(function.body, note)
    if not offsets:
        return function
    return function.with_body(tvm.tir.stmt_functor.substitute(function.body, offsets))


def _unloadable(shown: str, failure: BaseException, span: Span | None) -> SurgeryError:
    return error(
        "S464",
        f"{shown} can't be loaded",
        span,
        reason=_said(failure),
        remedy="it is run as Python code: it must import without an error",
    )


def _fault(outputs: list[Any], step: Step) -> str:
    """Return why a lowering's outputs aren't the composite's, or ''."""
    for output in outputs:
        if not isinstance(output, te.Tensor):
            return f"it returns a {type(output).__name__}, not a te.Tensor"
    if len(outputs) != len(step.output_types):
        return f"it returns {len(outputs)} tensors, the composite has {len(step.output_types)}"
    analyzer = tvm.arith.Analyzer()
    for index, (output, wanted) in enumerate(zip(outputs, step.output_types, strict=True)):
        shape = [analyzer.simplify(d) for d in output.shape]
        if any(not isinstance(d, tvm.tir.IntImm) for d in shape):
            return f"output {index} has no static shape: {shape}"
        found = Tensor(tuple(int(d) for d in shape), str(output.dtype))
        if found != wanted:
            return f"output {index} is {found}, not {wanted}"
    return ""


def _types(types: tuple[Tensor, ...]) -> str:
    return ", ".join(map(str, types)) or "none"


def _identifier(name: str) -> str:
    made = re.sub(r"\W", "_", name)
    return f"_{made}" if made[:1].isdigit() else made


def _said(failure: BaseException) -> str:
    text = " ".join(str(failure.msg if isinstance(failure, SyntaxError) else failure).split())
    return f"{type(failure).__name__}: {text}" if text else type(failure).__name__


@contextmanager
def _importing(folder: Path) -> Iterator[None]:
    """Let a file import its neighbours, and leave no compiled copies of them in the folder."""
    before = sys.dont_write_bytecode
    modules = set(sys.modules)
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = before
        # Another backend's neighbour of the same name is another file.
        for name in set(sys.modules) - modules:
            origin = getattr(sys.modules[name], "__file__", None)
            if origin and Path(origin).is_relative_to(folder):
                del sys.modules[name]
