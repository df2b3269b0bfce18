"""Grammar actions for what holds no expression: lists, attribute values, types."""

from __future__ import annotations

from typing import Any

from surgery.graph import AttrValue
from surgery.listing import types as t
from surgery.listing.tokens import Token
from surgery.listing.types import TypeText
from surgery.listing.values import integers, number, string

Children = list[Any]
Attr = tuple[str, AttrValue]


class Leaves:
    """Methods that the grammar names; each gets the parts of its rule, tokens included."""

    # ------------------------------------------------------------ lists

    def nothing(self, _: Children) -> None:
        return None

    def one(self, c: Children) -> list[Any]:
        return [c[0]]

    def pair(self, c: Children) -> list[Any]:
        return [c[0], c[2]]

    def more(self, c: Children) -> list[Any]:
        found: list[Any] = c[0]
        found.append(c[2])
        return found

    def second(self, c: Children) -> Any:
        return c[1]

    # ------------------------------------------------------------ attribute values

    def attr(self, c: Children) -> Attr:
        key: Token = c[0]
        return key.value.removesuffix("="), c[-1]

    def v_integers(self, c: Children) -> AttrValue:
        return integers(c[0].value)

    def v_integer(self, c: Children) -> AttrValue:
        return number(c[0].value)[0]

    def v_real(self, c: Children) -> AttrValue:
        return number(c[0].value)[0]

    def v_string(self, c: Children) -> AttrValue:
        return string(c[0].value)

    def v_boolean(self, c: Children) -> AttrValue:
        return bool(c[0].value == "True")

    def v_none(self, _: Children) -> AttrValue:
        return None

    def v_text(self, c: Children) -> AttrValue:
        text: str = c[0].value
        return text

    def v_meta(self, c: Children) -> AttrValue:
        return self.v_text(c)

    def v_record(self, c: Children) -> AttrValue:
        fields: list[Attr] = c[2] if len(c) == 4 else []
        return f"{c[0].value}({', '.join(f'{k}={v}' for k, v in fields)})"

    def v_empty(self, _: Children) -> AttrValue:
        return ()

    def v_list(self, c: Children) -> AttrValue:
        return tuple(c[1])

    def v_entry(self, c: Children) -> AttrValue:
        return string(c[0].value), c[2]

    # ------------------------------------------------------------ types

    def t_tensor(self, c: Children) -> TypeText:
        return t.tensor(c[0].value)

    def t_name(self, c: Children) -> TypeText:
        return t.named(c[0].value)

    def t_applied(self, c: Children) -> TypeText:
        parts: list[TypeText] = c[2] if len(c) == 4 else []
        inside = ", ".join(p.text for p in parts)
        return t.other(f"{c[0].value}{c[1].value}{inside}{c[-1].value}", parts)

    def t_unit(self, _: Children) -> TypeText:
        return t.tuple_of([])

    def t_tuple(self, c: Children) -> TypeText:
        return t.tuple_of(c[1])

    def t_function(self, c: Children) -> TypeText:
        arguments = next((p for p in c if isinstance(p, list)), [])
        result: TypeText = c[-1]
        inside = ", ".join(p.text for p in arguments)
        return t.other(f"fn ({inside}) -> {result.text}", [*arguments, result])
