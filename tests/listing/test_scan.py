"""Names, mentions and bindings, found without parsing."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgery.listing import parameter_names, scan_bindings, variable_mentions
from surgery.source import Source
from tests.work import work

DATA = Path(__file__).parent / "data"

TEXT = """\
#[version = "0.0.5"]
def @block(%p: float32 /* ty=float32 */) -> float32 {
  tanh(%p) /* span=block/tanh:0:0 */
}

def @main(%x: Tensor[(2), float32], %c: bool, Compiler="b{m", k={"a"=1}) {
  %1 = @block(%x) /* a/call */;
  %2 = (%x, 1f /* ty=float32 span=no:0:0 */);
  %3 = %2.0 /* ty=float32 span=a/field:0:0 */;
  let %v.1: Tensor[(2), float32] /* ty=Tensor[(2), float32] */ = add(%1, %3) /* a/add */;
  %5 = fn (%a: float32, Composite="x.y") -> float32 {
    %4 = nn.relu(%a); // a/relu
    exp(%4) /* a/exp */
  } /* ty=fn (float32) -> float32 span=a/fn:0:0 */;
  %6 = %5(%v.1);
  %8 = if (%c) {
    %7 = reshape(%6, newshape=[1]) /* a/then */;
    %7
  } else {
    meta[relay.Constant][0]
  } /* a/if */;
  add(%8, %6) /* ty=float32 span=a/result:0:0 */
}
"""


def test_bindings_in_text_order() -> None:
    found = [
        (b.kind, b.number, b.variable, b.head, b.source_name) for b in scan_bindings(Source(TEXT))
    ]
    assert found == [
        ("parameter", None, "p", "", None),
        ("result", None, None, "tanh", "block/tanh"),
        ("parameter", None, "x", "", None),
        ("parameter", None, "c", "", None),
        ("value", 1, None, "@block", "a/call"),
        ("value", 2, None, "(", None),
        ("value", 3, None, ".", "a/field"),
        ("let", None, "v.1", "add", "a/add"),
        ("value", 5, None, "fn", "a/fn"),
        ("local", None, "a", "", None),
        ("value", 4, None, "nn.relu", "a/relu"),
        ("result", None, None, "exp", "a/exp"),
        ("value", 6, None, "%(", None),
        ("value", 8, None, "if", "a/if"),
        ("value", 7, None, "reshape", "a/then"),
        ("result", None, None, "%", None),
        ("result", None, None, "meta", None),
        ("result", None, None, "add", "a/result"),
    ]


def test_places_and_functions() -> None:
    source = Source(TEXT)
    bindings = scan_bindings(source)
    value = next(b for b in bindings if b.number == 5)
    assert (value.line, value.span.text, value.function) == (11, "%5", "main")
    let = next(b for b in bindings if b.kind == "let")
    assert (let.line, let.span.text) == (10, "v.1")
    assert [b.function for b in bindings][:2] == ["block", "block"]
    last = bindings[-1]
    assert source.text[last.span.start :].startswith("add(%8")


def test_parameter_names() -> None:
    (path,) = DATA.glob("37-*.relay")
    source = Source(path.read_text())
    found = parameter_names(source)
    assert [b.variable for b in found] == [
        "input:0",
        "bert/encoder/layer_._0/attention/self/query/kernel",
        "features.1.conv.bias",
    ]
    assert [b.span.text for b in found] == [b.variable for b in found]


NAMES = [
    "x", "input:0", "features.1.conv.bias", "a.0", "a", "my input", "a;b", "a,b", "a, b", "a{b}",
    "a[0]", "f(x)", "q=1", "größe", "a//b", "a/*b*/", 'a"b', "let", "fn", "if", "def", "True",
    "a: b", "@at", "v#1", "x+y", "it's", "a-malformed", "Tensor", "float32",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_found_where_it_stands(name: str) -> None:
    text = (
        f"def @main(%{name}: Tensor[(2), float32], %w: (float32, bool)) {{\n"
        f'  %0 = add(%{name}, %w.0, k="%{name}") /* %{name} */;\n'
        f"  let %y = (%{name}, %{name});\n"
        f"  (%0, %y.1, %{name}, %w)\n"
        "}\n"
    )
    source = Source(text)
    found = [m for m in variable_mentions(source) if m.name == name]
    assert [m.span.line for m in found] == [1, 2, 3, 3, 4]
    for mention in found:
        assert mention.span.text == name
        assert text[mention.span.start - 1] == mention.sigil == "%"
    assert [b.variable for b in parameter_names(source)] == [name, "w"]
    assert [b.head for b in scan_bindings(source) if b.kind in ("value", "let")] == ["add", "("]


def test_the_longest_name_wins() -> None:
    text = "def @main(%a: (float32,), %a.0: float32, %a.0 b: float32) { (%a, %a.0, %a.0 b, %a.1) }"
    used = [m.name for m in variable_mentions(Source(text))][4:]
    assert used == ["a", "a.0", "a.0 b", "a"]


def test_untyped_and_wrapped_headers() -> None:
    text = "def @f(%x,\n       %input:0,\n  %z /* ty=float32 */, Inline=1) -> float32 {\n  %x\n}\n"
    assert [b.variable for b in parameter_names(Source(text))] == ["x", "input:0", "z"]


def test_function_names_with_odd_characters() -> None:
    text = "def @g h:1.x(%x: float32) { %x }\ndef @main(%x: float32) { @g h:1.x(%x) }"
    found = [(m.sigil, m.name) for m in variable_mentions(Source(text))]
    assert found == [
        ("@", "g h:1.x"), ("%", "x"), ("%", "x"),
        ("@", "main"), ("%", "x"), ("@", "g h:1.x"), ("%", "x"),
    ]  # fmt: skip


def listing(size: int) -> Source:
    lines = "".join(
        f"  %{i} = add(%{max(i - 1, 0)}, %w{i}.b) /* ty=Tensor[(1, 128, 768), float32] "
        f"span=model/layer_{i}/add:0:0 */;\n"
        for i in range(1, size + 1)
    )
    header = ", ".join(f"%w{i}.b: Tensor[(1, 128, 768), float32]" for i in range(1, size + 1))
    return Source(f"def @main({header}) {{\n  %0 = tanh(%w1.b);\n{lines}  %{size}\n}}\n")


def test_the_work_of_a_scan_grows_with_the_listing() -> None:
    small, large = listing(2_000), listing(8_000)
    _, few = work(lambda: scan_bindings(small))
    found, many = work(lambda: scan_bindings(large))
    assert len(found) == 16_002
    assert found[-2].source_name == "model/layer_8000/add"
    # Linear is 4 times (about 117 calls a line); a call for each pair of lines makes it 15.
    assert many < 5 * few
