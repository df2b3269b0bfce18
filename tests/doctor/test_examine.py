"""The findings of an examination, on listings as TVM prints them: no TVM is needed here."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from surgery import api
from surgery.diagnostics import Diagnostic
from surgery.doctor import Checkup, examine
from surgery.listing import read_listing
from surgery.source import Source

CASE_51 = Path(__file__).parents[1] / "cases" / "data" / "51-partitioned-listing.relay"
CONSTANT = "meta[relay.Constant][0] /* ty=Tensor[(2, 4), float32] */"

HEALTHY = """\
def @main(%x: Tensor[(2, 4), float32], %y: Tensor[(2, 4), float32]) -> Tensor[(2, 4), float32] {
  %0 = @lib_0(%x, %y) /* ty=Tensor[(2, 4), float32] */;
  tanh(%0) /* ty=Tensor[(2, 4), float32] */
}

def @lib_0(%a: Tensor[(2, 4), float32], %b: Tensor[(2, 4), float32], Compiler="lib", Primitive=1, Inline=1, global_symbol="lib_0") -> Tensor[(2, 4), float32] {
  %3 = fn (%p: Tensor[(2, 4), float32], %q: Tensor[(2, 4), float32], PartitionedFromPattern="add_nn.relu_", Composite="lib.add_relu") -> Tensor[(2, 4), float32] {
    %2 = add(%p, %q) /* ty=Tensor[(2, 4), float32] */;
    nn.relu(%2) /* ty=Tensor[(2, 4), float32] */
  };
  %3(%a, %b) /* ty=Tensor[(2, 4), float32] */
}
"""  # noqa: E501
DEF_LINE = 6
LITERAL_LINE = 7


def examined(text: str, served: Collection[str] | None = None) -> Checkup:
    source = Source(text, "net.relay")
    return examine(read_listing(source), source, served)


def changed(old: str, new: str, text: str = HEALTHY) -> str:
    assert old in text
    return text.replace(old, new)


def only(checkup: Checkup, code: str, line: int) -> Diagnostic:
    assert [d.code for d in checkup.findings] == [code], checkup.findings
    (found,) = checkup.findings
    assert found.span is not None and found.span.line == line
    assert found.message and found.reason and found.remedy
    return found


def test_a_healthy_module_has_no_findings() -> None:
    checkup = examined(HEALTHY, {"lib"})
    assert checkup.is_healthy
    (region,) = checkup.regions
    assert (region.function, region.backend, region.arguments) == ("lib_0", "lib", 2)
    assert region.composites == ("lib.add_relu",) and region.codes == ()


def test_a_model_that_nobody_partitioned_is_healthy() -> None:
    checkup = examined("def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }", ())
    assert checkup.is_healthy and not checkup.regions


def test_51_constants_of_the_region_are_parameters_of_the_composite() -> None:
    source = Source(CASE_51.read_text(), "model.relay")
    checkup = examine(read_listing(source), source)
    found = only(checkup, "S320", 5)
    name = "bmlib.reshape_conv2d_add_bn_relu"
    assert found.message == (
        f"region @tvmgen_default_bmlib_main_0 takes 1 argument, its composite {name} (%5) takes 7"
    )
    assert found.reason.startswith("6 of the 7 are constants bound in the region.")
    assert "would need 8 arguments (7 and the output)" in found.reason
    assert "`num_args should be 8`" in found.reason
    constants = [n.split(":")[0] for n in found.notes if n.endswith("is a constant")]
    assert constants == [f"%FunctionVar_0_{i}" for i in (0, 2, 3, 4, 5, 6)]
    assert found.notes[2] == (
        "%FunctionVar_0_2: float32(128,128,1,1) (weight of nn.conv2d) is a constant"
    )
    assert found.notes[1].endswith("is %bmlib_0_i1")
    assert "`offload pattern reshape>conv2d>add>bn>relu to bmlib`" in found.remedy


def test_several_composites_with_constants_are_told_apart() -> None:
    text = changed(
        "  %3(%a, %b)", f"  %4 = %3(%a, {CONSTANT});\n  %5 = %3({CONSTANT}, %4);\n  add(%5, %b)"
    )
    found = examined(text).findings
    assert [d.code for d in found] == ["S320", "S320"]
    assert {d.span.line for d in found if d.span} == {LITERAL_LINE}
    assert "only 1 and the output are there" in found[0].reason
    assert "num_args" not in found[0].reason
    assert found[0].notes[1].endswith("is a constant") and found[1].notes[1].endswith("is %4")


def test_an_expression_of_constants_is_a_constant() -> None:
    text = changed("  %3(%a, %b)", f"  %4 = exp({CONSTANT});\n  %5 = %3(%a, %4);\n  add(%5, %b)")
    (found,) = examined(text).findings
    assert found.code == "S320" and found.notes[1].endswith("%4, which depends on no input")


def test_a_body_that_is_no_chain_gets_no_pattern() -> None:
    text = changed("nn.relu(%2)", "add(%2, exp(%2))")
    text = changed('"add_nn.relu_"', '"add_exp_add_"', text)
    text = changed("  %3(%a, %b)", f"  %4 = %3(%a, {CONSTANT});\n  add(%4, %b)", text)
    found = only(examined(text), "S320", LITERAL_LINE)
    assert "`offload S to lib`" in found.remedy


def test_a_call_with_too_few_arguments() -> None:
    found = only(examined(changed("%3(%a, %b)", "%3(%a)")), "S321", 11)
    assert found.message.endswith("in @lib_0 takes 2, its call gives 1 argument")
    found = only(examined(changed("@lib_0(%x, %y)", "@lib_0(%x)")), "S321", 2)
    assert found.message == "region @lib_0 takes 2, its call gives 1 argument"


def test_an_argument_of_another_type() -> None:
    text = changed("%q: Tensor[(2, 4), float32]", "%q: Tensor[(2, 4), float16]")
    found = only(examined(text), "S321", 11)
    assert "argument 1" in found.message
    assert found.message.endswith("is float32(2,4), its parameter is float16(2,4)")


def test_a_dynamic_dimension_and_a_missing_type_are_no_difference() -> None:
    text = changed("%q: Tensor[(2, 4), float32]", "%q: Tensor[(2, ?), float32]")
    assert examined(text).is_healthy
    assert examined(changed("%q: Tensor[(2, 4), float32]", "%q")).is_healthy


def test_a_tuple_as_an_argument() -> None:
    pair = "(Tensor[(2, 4), float32], Tensor[(2, 4), float32])"
    text = changed("%a: Tensor[(2, 4), float32]", f"%a: {pair}")
    text = changed("%p: Tensor[(2, 4), float32]", f"%p: {pair}", text)
    text = changed("add(%p, %q)", "add(%p.0, %q)", text)
    text = changed("@lib_0(%x, %y)", "@lib_0((%x, %x), %y)", text)
    found = examined(text).findings
    assert [(d.code, d.span.line) for d in found if d.span] == [
        ("S322", DEF_LINE),
        ("S322", LITERAL_LINE),
    ]
    assert found[0].message.endswith("is a tuple: (float32(2,4), float32(2,4))")


def test_a_tuple_in_a_tuple_as_a_result() -> None:
    text = changed("  %3(%a, %b) /*", "  %4 = %3(%a, %b);\n  ((%4, %a), %b) /*")
    text = changed("-> Tensor[(2, 4), float32] {\n  %3", "{\n  %3", text)
    text = changed("%4, %a), %b) /* ty=Tensor[(2, 4), float32] */", "%4, %a), %b)", text)
    text = changed(
        "  %4 = %3(%a, %b);", "  %4 = %3(%a, %b) /* ty=Tensor[(2, 4), float32] */;", text
    )
    found = examined(text).findings
    assert [d.code for d in found] == ["S323"]
    assert "returns a tuple in a tuple" in found[0].message


def test_symbols() -> None:
    missing = only(examined(changed(', global_symbol="lib_0"', "")), "S324", DEF_LINE)
    assert missing.message == "region @lib_0 has no global_symbol"
    other = only(examined(changed('"lib_0"', '"lib_7"')), "S324", DEF_LINE)
    assert other.message == "the symbol of region @lib_0 is lib_7, not its own name"
    taken = only(examined(changed('global_symbol="lib_0"', 'global_symbol="main"')), "S324", 6)
    assert taken.message == "the symbol of @lib_0, main, is another function's name"
    head, body = HEALTHY.split("\n\n")
    again = body.replace("@lib_0", "@lib_1").replace("%3", "%5").replace("%2", "%4")
    twice = f"{head}\n\n{body}\n{again}"
    found = only(examined(twice), "S324", 14)
    assert found.message == "@lib_1 and @lib_0 have one symbol, lib_0"
    assert examined(twice).regions[1].codes == ("S324",)


def test_a_composite_of_another_backend() -> None:
    found = only(examined(changed('"lib.add_relu"', '"dnnl.add_relu"')), "S325", LITERAL_LINE)
    assert "`lib.add_relu`" in found.remedy


def test_a_region_that_nothing_compiles() -> None:
    found = only(examined(HEALTHY, {"dnnl"}), "S326", DEF_LINE)
    assert found.severity == "warning" and "relay.ext.lib" in found.reason
    assert examined(HEALTHY, None).is_healthy


def test_leftover_annotations() -> None:
    text = changed(
        "tanh(%0)", "tanh(annotation.compiler_begin(%0, meta[relay.attrs.CompilerAttrs][0]))"
    )
    found = only(examined(text), "S327", 1)
    assert "1 annotation of AnnotateTarget" in found.message


def test_a_composite_that_lacks_an_op_of_its_pattern() -> None:
    text = changed('"add_nn.relu_"', '"nn.conv2d_add_TupleGetItem0_nn.relu_"')
    found = only(examined(text), "S328", LITERAL_LINE)
    assert found.message.endswith("lacks nn.conv2d")
    text = changed("nn.relu(%2)", "nn.relu(exp(%2))")
    assert only(examined(text), "S328", LITERAL_LINE).message.endswith("also holds exp")
    # A name that TVM would not write says nothing.
    assert examined(changed('"add_nn.relu_"', '"my own pattern"')).is_healthy


def test_a_parameter_that_nothing_uses() -> None:
    found = only(examined(changed("add(%p, %q)", "add(%p, %p)")), "S329", LITERAL_LINE)
    assert "never uses 1 parameter and computes only add>relu" in found.message
    assert "%q: float32(2,4)" in found.reason


def test_a_composite_whose_ops_are_in_another_order() -> None:
    found = only(examined(changed('"add_nn.relu_"', '"nn.relu_add_"')), "S328", LITERAL_LINE)
    assert found.message.endswith("has its ops in another order: add, nn.relu")


def test_a_composite_without_a_name() -> None:
    found = only(examined(changed(', Composite="lib.add_relu"', "")), "S325", LITERAL_LINE)
    assert 'Composite="lib.NAME"' in found.remedy


def test_an_empty_region() -> None:
    text = HEALTHY[: HEALTHY.index("  %3 = fn")] + "  %a\n}\n"
    found = only(examined(text), "S332", DEF_LINE)
    assert found.message == "region @lib_0 is empty: it holds no op"


def test_a_region_that_names_no_backend() -> None:
    found = only(examined(changed('Compiler="lib"', 'Compiler=""'), set()), "S326", DEF_LINE)
    assert found.severity == "error" and "its `Compiler` is empty" in found.message


def test_an_argument_of_a_region_that_nothing_uses() -> None:
    text = changed("%3(%a, %b)", "%3(%a, %a)")
    found = only(examined(text), "S329", DEF_LINE)
    assert found.message == "region @lib_0 never uses 1 argument" and found.severity == "warning"
    # Called with fewer arguments, that is the fault.
    only(examined(changed("@lib_0(%x, %y)", "@lib_0(%x)", text)), "S321", 2)


def test_a_tuple_in_a_tuple_without_types() -> None:
    text = changed("  %3(%a, %b) /*", "  %4 = %3(%a, %b);\n  (%4, (%a, %b)) /*")
    text = changed("-> Tensor[(2, 4), float32] {\n  %3", "{\n  %3", text)
    text = changed("(%4, (%a, %b)) /* ty=Tensor[(2, 4), float32] */", "(%4, (%a, %b))", text)
    assert [d.code for d in examined(text).findings] == ["S323"]


def test_a_partition_function_that_lost_its_backend() -> None:
    found = only(examined(changed('Compiler="lib", ', "")), "S330", LITERAL_LINE)
    assert found.remedy == 'give @lib_0 its `Compiler="lib"` back'


def test_a_region_pasted_without_the_model() -> None:
    region = HEALTHY[HEALTHY.index("def @lib_0") :].replace("%b) /*", "%a) /*")
    checkup = api.examine(Source(region, "paste"), codegens=["lib"])
    assert [d.code for d in checkup.findings] == ["S329"]


def test_a_composite_in_no_region() -> None:
    text = changed('Compiler="lib", Primitive=1, Inline=1, global_symbol="lib_0"', "Inline=1")
    found = only(examined(text), "S330", LITERAL_LINE)
    assert 'AnnotateTarget("lib")' in found.remedy


def test_a_region_that_is_not_primitive() -> None:
    only(examined(changed("Primitive=1, ", "")), "S331", DEF_LINE)


def test_findings_come_in_the_order_of_the_text() -> None:
    text = changed("Primitive=1, ", "", changed("@lib_0(%x, %y)", "@lib_0(%x)"))
    text = changed("add(%p, %q)", "add(%p, %p)", text)
    assert [d.code for d in examined(text).findings] == ["S321", "S331", "S329"]


def test_a_long_body_is_looked_through_once() -> None:
    ops = "".join(f"    %{i + 1} = exp(%{i});\n" for i in range(4, 30_000))
    text = changed("    nn.relu(%2)", f"    %4 = exp(%2);\n{ops}    nn.relu(%30000)")
    assert only(examined(text), "S328", LITERAL_LINE)


INLINE = """\
def @main(%x: Tensor[(10, 10), float32], %y: Tensor[(10, 10), float32]) {
  %0 = (%x, %y);
  %5 = fn (%xy: (Tensor[(10, 10), float32], Tensor[(10, 10), float32]), Primitive=1, Compiler="ccompiler", global_symbol="sums") {
    %1 = %xy.0;
    %2 = %xy.1;
    %3 = add(%1, %2);
    %4 = multiply(%1, %2);
    (%3, %4)
  };
  %6 = %5(%0);
  %6.0
}
"""  # noqa: E501
TENSOR = "Tensor[(10, 10), float32]"


def test_a_function_literal_is_a_region_too() -> None:
    checkup = examined(INLINE, {"ccompiler"})
    found = only(checkup, "S322", 3)
    assert found.message.startswith("argument %xy of region @main:%5 is a tuple")
    (region,) = checkup.regions
    assert (region.function, region.backend, region.codes) == ("main:%5", "ccompiler", ("S322",))


def test_a_literal_needs_what_a_region_needs() -> None:
    bare = changed(', Primitive=1, Compiler="ccompiler", global_symbol="sums"', "", INLINE)
    assert examined(bare).regions == ()
    lacking = changed(
        ', Primitive=1, Compiler="ccompiler", global_symbol="sums"', ', Compiler="c"', INLINE
    )
    assert {d.code for d in examined(lacking, set()).findings} == {"S322", "S324", "S326", "S331"}
    same = changed("sums", "main", INLINE)
    assert [d.message for d in examined(same).findings if d.code == "S324"] == [
        "@main:%5 and @main have one symbol, main"
    ]


def test_a_literal_that_takes_another_number_of_arguments() -> None:
    text = f"""\
def @main(%x: {TENSOR}) {{
  %1 = fn (%a: {TENSOR}, %b: {TENSOR}, Primitive=1, Compiler="c", global_symbol="sum") {{
    add(%a, %b)
  }};
  %1(%x)
}}
"""
    (found,) = examined(text).findings
    assert found.code == "S321"
    assert found.message == "region @main:%1 takes 2, its call gives 1 argument"


def test_composites_belong_to_the_literal_around_them() -> None:
    text = f"""\
def @main(%x: {TENSOR}) {{
  %2 = fn (%a: {TENSOR}, Primitive=1, Compiler="c", global_symbol="act") {{
    %1 = fn (%p: {TENSOR}, PartitionedFromPattern="nn.relu_", Composite="other.relu") {{
      nn.relu(%p)
    }};
    %1(%a)
  }};
  %2(%x)
}}
"""
    checkup = examined(text)
    (region,) = checkup.regions
    assert region.composites == ("other.relu",)
    # Its name is another backend's: the literal is what says which one compiles it.
    assert region.codes == ("S325",) and [d.code for d in checkup.findings] == ["S325"]


def test_a_constant_that_leaks_inside_a_literal() -> None:
    text = f"""\
def @main(%x: {TENSOR}) {{
  %2 = fn (%a: {TENSOR}, Primitive=1, Compiler="c", global_symbol="sum") {{
    %1 = fn (%p: {TENSOR}, %q: {TENSOR}, PartitionedFromPattern="add_", Composite="c.add") {{
      add(%p, %q)
    }};
    %1(%a, meta[relay.Constant][0] /* ty={TENSOR} */)
  }};
  %2(%x)
}}
"""
    (found,) = examined(text).findings
    assert found.code == "S320"
    assert found.message == "region @main:%2 takes 1 argument, its composite c.add (%1) takes 2"
