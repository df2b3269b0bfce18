"""What a picture shows, before it is laid out."""

from dataclasses import replace

from surgery.graph import Graph, Ref, Scope, TensorType
from surgery.report.drawing import DETAIL_LIMIT, UNNAMED_LIMIT, Box, Drawing, draw
from surgery.report.grouping import COLLAPSED_LIMIT
from tests.report.plans import Draft, conv_plan, f32, layers_plan


def arrows(drawing: Drawing) -> set[tuple[str, str]]:
    names = {b.id: b.lines[0] for b in drawing.boxes}
    return {(names[a.start], names[a.end]) for a in drawing.arrows}


def boxes(drawing: Drawing, kind: str) -> list[Box]:
    return [b for b in drawing.boxes if b.kind == kind]


def test_a_small_plan_is_drawn_op_by_op() -> None:
    plan = conv_plan()
    drawing = draw(plan.module.main, plan)
    assert drawing.collapsed == 0
    assert [b.lines[0] for b in boxes(drawing, "op")] == [
        "nn.conv2d", "nn.batch_norm", "nn.relu", "nn.conv2d", "nn.batch_norm", "nn.relu",
        "nn.softmax",
    ]  # fmt: skip
    assert drawing.stages == ("stage_0: 3 ops", "stage_1: 4 ops")
    assert [b.stage for b in boxes(drawing, "op")] == [0, 0, 0, 1, 1, 1, 1]
    assert [b.region for b in boxes(drawing, "op")] == [0, 0, 0, None, None, None, None]
    assert drawing.regions == {0: "bmlib_0 to bmlib"}


def test_a_crossing_value_stands_between_its_stages() -> None:
    plan = conv_plan()
    drawing = draw(plan.module.main, plan)
    (crossing,) = boxes(drawing, "crossing")
    assert crossing.lines == ("hidden", "float32(1,8,6,6), 1.1 KiB")
    assert crossing.stage is None
    found = {(a.start, a.end) for a in drawing.arrows}
    assert ("b2", crossing.id) in found
    assert (crossing.id, "b3") in found
    assert ("b2", "b3") not in found


def test_outputs_are_marked_at_what_computes_them() -> None:
    plan = conv_plan()
    drawing = draw(plan.module.main, plan)
    ends = {
        b.lines[0]: next(a.start for a in drawing.arrows if a.end == b.id)
        for b in boxes(drawing, "output")
    }
    assert ends == {"output output_0": "b6", "output raw": "b3", "output taps": "b0"}
    assert [b.stage for b in boxes(drawing, "output")] == [1, 1, 0]


def test_tuples_and_fields_are_seen_through() -> None:
    plan = conv_plan()
    assert ("nn.batch_norm", "nn.relu") in arrows(draw(plan.module.main))


def test_a_big_graph_with_names_is_drawn_by_their_parts() -> None:
    plan = layers_plan(24, cut=11)
    drawing = draw(plan.module.main, plan)
    assert drawing.collapsed == 242 > DETAIL_LIMIT
    groups = boxes(drawing, "group")
    assert [b.lines[0] for b in groups[:3]] == [
        "mul", "embeddings/take", "encoder/layer_._0/attention",
    ]  # fmt: skip
    assert len(groups) == 50 <= COLLAPSED_LIMIT
    assert groups[0].lines[1] == "multiply %0: float32(1,1,1,128)"
    assert groups[4].lines[1] == "6 ops: dense 3, add 3"
    assert {b.stage for b in groups[:26]} == {0}
    assert {b.stage for b in groups[26:]} == {1}
    assert [b.lines[0] for b in boxes(drawing, "crossing")] == ["mask", "hidden"]


def test_a_big_graph_without_names_is_drawn_by_runs() -> None:
    plan = layers_plan(44, named=False)
    drawing = draw(plan.module.main, plan)
    assert drawing.collapsed == 442 > UNNAMED_LIMIT
    groups = boxes(drawing, "group")
    assert 2 < len(groups) <= COLLAPSED_LIMIT
    assert groups[0].lines[0] == "%0 .. %6"
    small = layers_plan(24, named=False)
    assert draw(small.module.main, small).collapsed == 0


def test_regions_of_a_collapsed_picture_are_boxes_of_their_own() -> None:
    for named in (True, False):
        plan = layers_plan(44, named=named)
        adds = [i for i, op in enumerate(plan.module.main.ops) if op == "nn.dense"][:50]
        region = conv_plan().regions[0]
        regions = tuple(
            replace(region, symbol=f"k{i}", nodes=(i, i + 1), function="main") for i in adds
        )
        drawing = draw(plan.module.main, replace(plan, regions=regions))
        taken = [b for b in boxes(drawing, "group") if b.offloaded]
        assert [b.region for b in taken] == list(range(50))
        assert {b.lines[1] for b in taken} == {"2 ops: dense 1, add 1"}


def test_a_group_never_mixes_stages() -> None:
    plan = layers_plan(50, named=False, cut=13)
    drawing = draw(plan.module.main, plan)
    count = sum(int(b.lines[1].split()[0]) for b in boxes(drawing, "group") if b.stage == 0)
    assert count == plan.stages[0].op_count


def test_a_value_with_many_users_is_named_instead_of_drawn() -> None:
    plan = layers_plan(12)
    drawing = draw(plan.module.main, plan)
    mask = next(b for b in drawing.boxes if b.lines[0] == "multiply")
    assert len([a for a in drawing.arrows if a.start == mask.id]) == 3
    assert sum("+ %0" in b.lines for b in drawing.boxes) == 9


def test_a_recomputed_op_says_where_else_it_is_computed() -> None:
    plan = conv_plan()
    first, second = plan.stages
    plan = replace(
        plan, crossings=(), stages=(first, replace(second, recomputed=(first.nodes[2],)))
    )
    drawing = draw(plan.module.main, plan)
    relu = next(b for b in drawing.boxes if b.id == "b2")
    assert relu.lines[-1] == "also in stage 1"
    assert next(a for a in drawing.arrows if (a.start, a.end) == ("b2", "b3")).recomputed


def test_what_a_branch_uses_is_used_by_its_if() -> None:
    graph = Graph(
        kinds=["input", "input", "call", "call", "if"],
        ops=["", "", "nn.relu", "tanh", ""],
        operands=[(), (), (1,), (1,), (0, 2, 3)],
        result=4, params=[0, 1],
        types=[TensorType((), "bool"), *[f32(2)] * 4],
        names=["c", "x", None, None, None], numbers=[None, None, 1, 2, 0],
        scopes=[0, 0, 1, 2, 0],
        scope_table=(Scope(0, -1, "body"), Scope(0, 4, "then"), Scope(0, 4, "else")),
    )  # fmt: skip
    drawing = draw(graph)
    assert arrows(drawing) == {("%c", "if"), ("%x", "if"), ("if", "result 0")}


def test_a_deep_graph_is_drawn_without_recursion() -> None:
    size = 100_000
    graph = Graph(
        kinds=["input", *["call"] * size], ops=["", *["nn.relu"] * size],
        operands=[(), *((i,) for i in range(size))], result=size, params=[0],
        types=[f32(1)] * (size + 1), names=["x", *[None] * size],
        numbers=[None, *range(size)],
    )  # fmt: skip
    drawing = draw(graph)
    assert drawing.collapsed == size
    assert len(boxes(drawing, "group")) <= COLLAPSED_LIMIT
    assert graph.outputs == (Ref(size),)


def test_weights_without_values_do_not_flood_the_picture() -> None:
    d = Draft()
    at = d.input("x", f32(4, 4))
    for index in range(20):
        at = d.call("nn.dense", at, d.input(f"w{index}", f32(4, 4)), type_=f32(4, 4))
    drawing = draw(d.graph(at))
    assert boxes(drawing, "input") == []
    assert drawing.inputs_left_out == 21


def test_long_names_are_cut_in_the_box_and_whole_in_the_tooltip() -> None:
    plan = conv_plan()
    name = "net/encoder/layer_._3/output/LayerNorm/batchnorm/add_1"
    plan = replace(plan, crossings=(replace(plan.crossings[0], name=name),))
    (box,) = boxes(draw(plan.module.main, plan), "crossing")
    assert box.lines[0] == ".../output/LayerNorm/batchnorm/add_1"
    assert box.tooltip.startswith(name + "\n")


def test_very_many_layers_share_boxes_with_their_neighbours() -> None:
    plan = layers_plan(300, cut=99)
    groups = boxes(draw(plan.module.main, plan), "group")
    assert 12 < len(groups) <= COLLAPSED_LIMIT + 1
    titles = [b.lines[0] for b in groups]
    assert len(set(titles)) == len(titles)
    assert titles[1].startswith("encoder, %")
    assert {b.stage for b in groups} == {0, 1}
