"""What the grammar can't say: checks that both forms of a spec share."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from surgery.diagnostics import error, nearest
from surgery.source import Span
from surgery.syntax import ast
from surgery.syntax.literals import normal_regex
from surgery.syntax.origin import KeptFloat, KeptInt, Variables

BACKEND_KINDS = ("tvm", "te", "c", "packed", "builtin")
PREDICATE_KEYS = ("dtype", "shape", "rank", "users", "op", "name", "kind", "bytes")
COMPARISONS: tuple[str, ...] = get_args(ast.Comparison)

_INT = re.compile(r"[+-]?\d+(?:_\d+)*")
_FLOAT = re.compile(
    r"[+-]?(?:(?:\d+(?:_\d+)*\.(?:\d+)?|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|inf|nan)"
)
_WORDS: dict[str, bool | None] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "none": None,
    "None": None,
    "null": None,
}
#: Python refuses to read longer numbers, and none is meant.
_MAX_DIGITS = 300


# ---------------------------------------------------------------- numbers and scalars


def scalar(text: str) -> ast.Scalar:
    """Return the number, truth value or ``None`` that a bare word stands for, else the text."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= _MAX_DIGITS:
        if _INT.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
    return text


def whole_number(text: str, span: Span) -> int:
    """Return a whole number (``3``, ``1e6``, ``10_000``), or raise ``S110``."""
    value = scalar(text.strip())
    if isinstance(value, float) and value.is_integer() and "e" in text.lower():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise error("S110", f"`{_short(text)}` is not a whole number", span, remedy="write `3`")
    return value


def number(text: str, span: Span) -> float:
    """Return a number as a float, or raise ``S110``."""
    value = scalar(text.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise error("S110", f"`{_short(text)}` is not a number", span, remedy="write `1e-4`")
    return float(value)


def at_least(low: int, value: int, what: str, span: Span) -> int:
    """Return ``value``, or raise ``S110`` when it is below ``low``."""
    if value < low and not isinstance(value, KeptInt):
        raise error("S110", f"{what} is at least {low}, not {value}", span)
    return value


def opt_level(level: int, span: Span) -> int:
    """Return an optimisation level that TVM knows, or raise ``S110``."""
    if not 0 <= level <= 4 and not isinstance(level, KeptInt):
        raise error("S110", f"TVM's optimisation levels are 0 to 4, not {level}", span)
    return level


def tolerance(value: float, span: Span) -> float:
    """Return a tolerance, or raise ``S110`` when it isn't one."""
    if not isinstance(value, KeptFloat) and not (value >= 0 and math.isfinite(value)):
        raise error("S110", f"a tolerance is a finite number from 0 up, not {value}", span)
    return value


# ---------------------------------------------------------------- words


def chosen(text: str, among: Sequence[str], what: str, span: Span, variables: Variables) -> Any:
    """Return a word when it is one of a few, else raise ``S109``."""
    if text in among or (variables.kept and "${" in text):
        return text
    close = nearest(text, among, limit=1)
    raise error(
        "S109",
        f"{what}: `{_short(text)}` is none of {', '.join(f'`{a}`' for a in among)}",
        span,
        remedy=f"did you mean `{close[0]}`?" if close else f"write `{among[0]}`",
    )


def comparison(sign: str) -> ast.Comparison:
    """Return the comparison that a sign writes (``==`` is ``=``)."""
    return cast(ast.Comparison, "=" if sign == "==" else sign)


def predicate_key(key: str, span: Span) -> str:
    """Return what a predicate speaks of, or raise ``S109``."""
    if key in PREDICATE_KEYS or (key.startswith("attrs.") and key != "attrs."):
        return key
    close = nearest(key, PREDICATE_KEYS, limit=1)
    raise error(
        "S109",
        f"`{key}` is nothing that `where` can ask for",
        span,
        reason=f"it knows {', '.join(PREDICATE_KEYS)} and attrs.NAME",
        remedy=f"did you mean `{close[0]}`?"
        if close
        else f"an attribute of the op is written `attrs.{key}`",
    )


def pattern_name(name: str, span: Span) -> str:
    """Return the name of a pattern, or raise ``S115``."""
    if not re.fullmatch(r"[^\W\d]\w*", name):
        raise error(
            "S115",
            f"`{name}` can't name a pattern",
            span,
            reason="names with dots or wildcards are names of ops",
            remedy="use letters, digits and `_`: `pattern conv_block = conv2d>relu`",
        )
    return name


def op_name(name: str, span: Span) -> str:
    """Return the name of an op that a variable stands for, or raise ``S115``."""
    if not re.fullmatch(r"[^\W\d][\w.]*(?:\*[\w.]+)*(?:(?<=\.)\*)?", name):
        raise error("S115", f"`{_short(name)}` is not the name of an op", span)
    return name


def empty_name(span: Span) -> Exception:
    """Return the error for a name or path without a character."""
    return error("S115", "a name or path can't be empty", span)


def regex(text: str, span: Span) -> str:
    """Return a regular expression in normal form, or raise ``S114`` when it is none."""
    normal = normal_regex(text)
    try:
        with warnings.catch_warnings():
            # `[[` and the like: what Python may mean by it one day.
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(normal)
    except (re.error, RecursionError, OverflowError) as fault:
        raise error(
            "S114",
            "this is not a regular expression",
            span,
            reason=str(fault),
            remedy='check the expression, or use a glob: "*/attention/*"',
        ) from None
    return normal


# ---------------------------------------------------------------- combinations


def no_star(value: Any, what: str, span: Span) -> None:
    """Raise ``S113`` when a value that is put somewhere holds ``*``."""
    if value is ast.STAR or isinstance(value, ast.Star):
        raise error(
            "S113",
            f"{what} can't be `*`",
            span,
            reason="`*` matches any value; here one is set",
            remedy='write a value, or "*" in quotes for the text',
        )
    if isinstance(value, tuple):
        for item in value:
            no_star(item, what, span)


def not_assigned(key: str, sign: str, span: Span) -> Exception:
    """Return the error for ``KEY < VALUE`` where a value is set."""
    return error(
        "S113", f"`{key}` is set here, not compared by `{sign}`", span, remedy=f"write `{key}=...`"
    )


def unique_keys(pairs: Iterable[tuple[str, Any]], what: str, span: Span) -> None:
    """Raise ``S111`` when one key is set twice."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise error("S111", f"{what} sets `{key}` twice", span, remedy="keep one of them")
        seen.add(key)


def inputs_or_seed(inputs: str | None, seed: int | None, span: Span) -> None:
    """Raise ``S112`` when inputs are both read and drawn."""
    if inputs is not None and seed is not None:
        raise error(
            "S112",
            "`verify` takes `inputs` or `seed`, not both",
            span,
            reason="the inputs come from the file or from a random generator",
            remedy="keep one of them",
        )


def backend_without_kind(name: str, span: Span) -> Exception:
    """Return the error for a backend that doesn't say how it makes code."""
    return error(
        "S112",
        f"the backend `{name}` doesn't say how its regions become code",
        span,
        remedy=f"write `backend {name} {{ via tvm }}`; `via` knows {', '.join(BACKEND_KINDS)}",
    )


def split_attr(selector: ast.Selector, span: Span) -> tuple[ast.Selector, str]:
    """Take the attribute off the end of the name in ``set a/b.axis = 1``, or raise ``S113``."""
    match selector:
        case ast.NameRun(text=text) | ast.OpKind(op=text) | ast.Variable(name=text):
            name, dot, attr = text.rpartition(".")
            if dot and name and re.fullmatch(r"[^\W\d]\w*", attr):
                match selector:
                    case ast.NameRun(span=place) if name == "result":
                        return ast.Result(span=place), attr
                    case ast.NameRun():
                        return replace(selector, text=name), attr
                    case ast.OpKind():
                        return replace(selector, op=name), attr
                    case _:
                        return replace(selector, name=name), attr
        case _:
            pass
    raise error(
        "S113",
        "`set` doesn't say which attribute",
        selector.span or span,
        remedy="write the attribute after a dot: `set %5.axis = 1`, "
        "`set (op conv2d).data_layout = NCHW`",
    )


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
