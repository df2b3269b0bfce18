"""For each way in which a pattern can fail to match: the closest site, and the right reason."""

from __future__ import annotations

import pytest

from surgery.listing import read_listing
from surgery.pattern import NearMiss, compile_pattern, find
from surgery.source import Source
from surgery.syntax import parse_pattern

TYPE = "Tensor[(1, 8, 8, 8), float32]"
HEAD = (
    f"def @main(%x: {TYPE}, %w: Tensor[(8, 8, 3, 3), float32], %b: Tensor[(8), float32], %c: bool)"
)
CONV = "nn.conv2d({}, %w, padding=[1, 1, 1, 1], channels=8, kernel_size=[3, 3], groups=1)"
BLOCK = f"%0 = {CONV.format('%x')}; %1 = nn.bias_add(%0, %b); nn.relu(%1)"


def misses(body: str, pattern: str, more: str = "") -> list[NearMiss]:
    typed = body.replace(";", f" /* ty={TYPE} */;\n")
    source = Source(f"{HEAD} {{\n{typed} /* ty={TYPE} */\n}}\n{more}", "net.relay")
    graph = read_listing(source).functions["main"]
    found = find(compile_pattern(parse_pattern(pattern)), graph)
    assert not found.matches
    return list(found.near_misses)


def let_block() -> str:
    return f"let %p = {CONV.format('%x')}; let %q = nn.bias_add(%p, %b); nn.relu(%q)"


@pytest.mark.parametrize(
    ("body", "pattern", "reason"),
    [
        (BLOCK, "conv2d{groups=2}>bias_add>relu", "%0 (nn.conv2d): groups is 1, pattern wants 2"),
        (
            BLOCK,
            "conv2d{groups=2}>bias_add{dtype=int8}>relu{dtype=float16}",
            "%0 (nn.conv2d): groups is 1, pattern wants 2; "
            "%1 (nn.bias_add): dtype is float32, pattern wants int8",
        ),
        (
            BLOCK,
            "relu(bias_add(conv2d(*, const), *))",
            "operand 1 of %0 (nn.conv2d) is %w (an input), not a constant or weight",
        ),
        (
            "%0 = nn.relu(%x); %1 = tanh(%x); %2 = divide(%1, %0); exp(%2)",
            "exp(divide(relu(*), *))",
            "operand 0 of %2 (divide) is %1 (tanh), pattern wants nn.relu",
        ),
        (
            "%0 = sigmoid(%w); multiply(%x, %0)",
            "multiply(a:*, sigmoid(a))",
            "operand 0 of %0 (sigmoid) is %w (an input), pattern wants a: %x (an input)",
        ),
        (
            BLOCK.replace("nn.relu", "tanh"),
            "conv2d>bias_add>(relu|clip)",
            "%1 (nn.bias_add) is followed by result (tanh), pattern wants nn.relu|clip",
        ),
        (
            f"%0 = {CONV.format('%x')}; %1 = multiply(%0, %0); nn.relu(%1)",
            "conv2d>add?>relu",
            "multiply (%1) stands between %0 (nn.conv2d) and result (nn.relu)",
        ),
        (
            let_block(),
            "conv2d>bias_add>relu",
            "%p (nn.conv2d) is bound by let %p; %q (nn.bias_add) is bound by let %q: "
            "`prepare ToGraphNormalForm` takes lets away and numbers values anew",
        ),
        (
            f"%0 = {CONV.format('%x')}; %1 = exp(%0); %2 = nn.bias_add(%1, %b); %3 = exp(%2); "
            "nn.relu(%3)",
            "conv2d>bias_add>relu",
            "exp (%1) stands between %0 (nn.conv2d) and %2 (nn.bias_add); "
            "exp (%3) stands between %2 (nn.bias_add) and result (nn.relu)",
        ),
        (
            f"%0 = {CONV.format('%x')}; %1 = if (%c) {{ nn.bias_add(%0, %b) }} else {{ exp(%0) }}; "
            "nn.relu(%1)",
            "conv2d>bias_add>relu",
            "%0 (nn.conv2d) is followed by nn.bias_add in a branch, which is in another branch or "
            "function",
        ),
        (
            f"%0 = {CONV.format('%x')}; %1 = nn.bias_add(%0, %b); "
            "if (%c) { nn.relu(%1) } else { tanh(%0) }",
            "conv2d>bias_add>relu",
            "%0 (nn.conv2d) is in another branch or function than nn.relu in a branch; "
            "%0 (nn.conv2d) is used outside the match by: tanh in a branch",
        ),
        (
            f"%0 = {CONV.format('%x')}; %1 = fn (%p: {TYPE}) {{ nn.bias_add(%p, %b) }}; "
            "%2 = %1(%0); nn.relu(%2)",
            "conv2d>bias_add>relu",
            "%0 (nn.conv2d) goes into %2 (a call of a function), which patterns don't reach into",
        ),
        (
            BLOCK,
            "conv2d>add>relu",
            "%0 nn.conv2d>%1 nn.bias_add>result nn.relu looks alike; write add|bias_add to "
            "include it",
        ),
    ],
)  # fmt: skip
def test_the_closest_site_says_what_fails(body: str, pattern: str, reason: str) -> None:
    assert [m.reason for m in misses(body, pattern)] == [reason]
    assert not any(m.distant for m in misses(body, pattern))


def test_a_call_of_another_function_is_said_to_be_one() -> None:
    body = f"%0 = {CONV.format('%x')}; %1 = @g(%0); nn.relu(%1)"
    found = misses(body, "conv2d>bias_add>relu", f"def @g(%p: {TYPE}) {{ nn.bias_add(%p, %p) }}")
    assert [m.reason for m in found] == [
        "%0 (nn.conv2d) is followed by %1 (a call of @g), pattern wants nn.bias_add",
        "result (nn.relu) takes %1 (a call of @g), pattern wants nn.bias_add",
    ]
    assert all(m.distant for m in found)


def test_of_a_pattern_that_nothing_comes_near_the_closest_is_told() -> None:
    body = f"%0 = {CONV.format('%x')}; %1 = exp(%0); tanh(%1)"
    (only,) = misses(body, "conv2d>bias_add>relu")
    assert only.distant and only.matched == (4,)
    assert only.reason == "%0 (nn.conv2d) is followed by %1 (exp), pattern wants nn.bias_add"
    assert misses("exp(%x)", "conv2d>bias_add>relu") == []
