"""Hypothesis strategies for everything the language can say."""

from __future__ import annotations

import re
import warnings

from hypothesis import strategies as st

from surgery.syntax import ast

# Surrogates can't be written to a file; everything else may be in a name or path.
texts = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
words = st.sampled_from(
    [
        "layer_._3",
        "encoder/layer_._3",
        "output",
        "op",
        "input",
        "param",
        "only",
        "each",
        "drop",
        "rename",
        "result",
        "first",
        "a.b",
        "3",
        "0",
        "1e5",
        "inf",
        "true",
        "none",
        "optional",
        "to",
        "as",
        "by",
        "where",
        "x:0",
        "aten::linear_1",
        "Relu@8",
        "with",
        "expect",
        "name",
        "re",
        "${X}",
        "$${X}",
        "no",
        "yes",
        "é",
        "#x",
        "a#b",
        "and",
        "pattern",
        "table",
        "target",
        "opt",
        "disable",
    ]
)
names = words | texts
identifiers = st.sampled_from(["x", "w", "conv_block", "stem", "b1", "name"])
op_names = st.sampled_from(
    ["relu", "nn.conv2d", "bn", "add", "nn.*", "nn.*_pool2d", "elementwise", "qnn.dense"]
)
counts = st.integers(1, 9)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False)
    | st.sampled_from(
        [
            "NCHW",
            "float32",
            "true",
            "1",
            "-1",
            "1.5",
            "none",
            "nan",
            "nn.conv2d",
            "(",
            "*",
            "OIHW4o",
        ]
    )
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4)
tested = st.recursive(
    scalars | st.just(ast.STAR), lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4
)
comparisons = st.sampled_from(("=", "!=", "<", "<=", ">", ">="))
keys = st.sampled_from(
    ["axis", "relay.FuseOps.max_depth", "groups", "out_dtype", "dtype", "optional"]
)

# ---------------------------------------------------------------- selectors

fields = st.lists(st.integers(0, 9), max_size=2).map(tuple)
functions = st.none() | st.sampled_from(["f", "tvmgen_default_bmlib_main_0"])


def _normal(regex: str) -> bool:
    from surgery.syntax.literals import normal_regex

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(regex)
    except re.error:
        return False
    return normal_regex(regex) == regex


atoms = st.one_of(
    st.builds(
        ast.Numbered,
        number=st.integers(0, 999),
        path=fields,
        all_fields=st.booleans(),
        function=functions,
    ),
    st.builds(ast.Result, function=functions, path=fields, all_fields=st.booleans()),
    st.builds(ast.Variable, name=names, function=functions),
    st.builds(ast.NameRun, text=names),
    st.builds(ast.NameGlob, glob=names),
    st.builds(
        ast.NameRegex,
        regex=st.text("ab\"'\\.[]()|*+d$ \n{}", min_size=1, max_size=8).filter(_normal),
    ),
    st.builds(ast.OpKind, op=st.sampled_from(["conv2d", "nn.*", "nn.softmax", "*pool*", "op"])),
    st.builds(ast.InputSel, name=names),
    st.builds(ast.ParamSel, name=names),
)
predicates = st.builds(
    ast.Predicate,
    key=st.sampled_from(
        [*["dtype", "shape", "rank", "users", "op", "name", "kind", "bytes"], "attrs.axis"]
    ),
    comparison=comparisons,
    value=tested,
)


def _wider(inner: st.SearchStrategy[ast.Selector]) -> st.SearchStrategy[ast.Selector]:
    return st.one_of(
        st.builds(
            ast.Where,
            selector=inner,
            predicates=st.lists(predicates, min_size=1, max_size=2).map(tuple),
        ),
        st.builds(
            ast.Relation,
            kind=st.sampled_from(["first", "last", "inputs", "users"]),
            arguments=st.tuples(inner),
        ),
        st.builds(
            ast.Relation, kind=st.just("nth"), arguments=st.tuples(inner), index=st.integers(-5, 9)
        ),
        st.builds(ast.Relation, kind=st.just("between"), arguments=st.tuples(inner, inner)),
        st.builds(
            ast.SetOp, kind=st.sampled_from(["and", "or", "except"]), left=inner, right=inner
        ),
    )


selectors: st.SearchStrategy[ast.Selector] = st.recursive(atoms, _wider, max_leaves=4)

# ---------------------------------------------------------------- patterns

constraints = st.lists(
    st.builds(ast.AttrConstraint, name=keys, comparison=comparisons, value=tested), max_size=2
).map(tuple)
leaves = st.one_of(
    st.builds(ast.AnyValue, constraints=constraints),
    st.builds(ast.ConstLeaf, constraints=constraints),
    st.builds(ast.InputLeaf, constraints=constraints),
)
bare_ops = st.builds(
    ast.OpPattern,
    op=op_names,
    field=st.none() | st.integers(0, 3),
    constraints=constraints,
    optional=st.booleans(),
)
repeated = st.builds(ast.OpPattern, op=op_names, repeat=st.just(True))


def _patterns(inner: st.SearchStrategy[ast.Pattern]) -> st.SearchStrategy[ast.Pattern]:
    calls = st.builds(
        ast.OpPattern,
        op=op_names,
        arguments=st.lists(inner, max_size=3).map(tuple),
        optional=st.booleans(),
    )
    choices = inner.filter(lambda p: not isinstance(p, ast.Alternative) or p.optional)
    alternatives = st.builds(
        ast.Alternative, choices=st.lists(choices, min_size=2, max_size=3).map(tuple)
    )
    absent = st.builds(
        ast.Alternative,
        choices=st.lists(choices, min_size=2, max_size=3).map(tuple),
        optional=st.just(True),
    )
    captures = st.builds(ast.Capture, name=identifiers, pattern=inner)
    elements = inner.filter(lambda p: isinstance(p, ast.OpPattern | ast.Alternative | ast.Capture))
    chains = st.builds(ast.Chain, elements=st.lists(elements, min_size=2, max_size=4).map(tuple))
    return st.one_of(calls, alternatives, absent, captures, chains)


patterns: st.SearchStrategy[ast.Pattern] = st.recursive(
    st.one_of(bare_ops, repeated, leaves), _patterns, max_leaves=6
)

# ---------------------------------------------------------------- statements

expects = st.none() | st.builds(ast.Expect, comparison=comparisons, count=st.integers(0, 9))
tail = {"expect": expects, "optional": st.booleans()}
globs = names
pairs = st.dictionaries(keys, values, max_size=2).map(lambda d: tuple(d.items()))
levels = st.none() | st.integers(0, 4)
tolerances = st.none() | st.floats(0, 1)
output_items = st.builds(
    ast.OutputItem, selector=selectors, name=st.none() | names, each=st.booleans()
)
verifies = st.one_of(
    st.builds(ast.Verify, inputs=names, rtol=tolerances, atol=tolerances, each=st.booleans()),
    st.builds(ast.Verify, seed=st.none() | st.integers(0, 9), rtol=tolerances, atol=tolerances),
)
offload_options = {
    "name": st.none() | names,
    "constants": st.sampled_from(["embed", "pass"]),
    "require_all": st.booleans(),
    "min_ops": st.none() | counts,
    "min_macs": st.none() | counts,
    "max_regions": st.none() | counts,
    "until": st.none() | atoms,
    "between": st.none() | st.tuples(atoms, atoms),
    "inplace": st.lists(identifiers, max_size=2).map(tuple),
    "ignore_annotations": st.booleans(),
    **tail,
}
stages_on = st.builds(
    ast.StageOn,
    stage=st.integers(0, 9),
    target=names,
    opt_level=levels,
    threads=st.none() | counts,
)
statements: st.SearchStrategy[ast.Statement] = st.one_of(
    st.builds(ast.Model, path=names, params=st.none() | names),
    st.builds(ast.Include, path=names),
    st.builds(ast.Let, name=names, selector=selectors),
    st.builds(ast.PatternDef, name=identifiers, pattern=patterns),
    st.builds(
        ast.Output,
        items=st.lists(output_items, min_size=1, max_size=3).map(tuple),
        only=st.booleans(),
        **tail,
    ),
    st.builds(ast.OutputDrop, output=names | st.integers(0, 9)),
    st.builds(ast.OutputRename, output=names | st.integers(0, 9), name=names),
    st.builds(ast.Cut, where=st.sampled_from(["after", "before"]), selector=selectors, **tail),
    st.builds(
        ast.CutInto,
        stages=counts,
        by=st.sampled_from(["flops", "bytes", "time"]),
        within=st.none() | selectors,
    ),
    st.builds(
        ast.Share,
        selector=selectors,
        by=st.sampled_from(["transfer", "recompute"]),
        optional=st.booleans(),
    ),
    st.just(ast.Recompute()),
    st.builds(
        ast.Offload, what=patterns, kind=st.just("pattern"), backend=names, **offload_options
    ),
    st.builds(ast.Offload, what=selectors, kind=st.just("ops"), backend=names, **offload_options),
    st.builds(
        ast.Offload,
        what=names,
        kind=st.just("table"),
        backend=st.none() | names,
        **offload_options,
    ),
    st.builds(ast.Keep, selector=selectors, optional=st.booleans()),
    st.builds(ast.Prefer, winner=names, loser=names),
    st.builds(
        ast.Backend,
        name=names,
        kind=st.sampled_from(["tvm", "te", "c", "packed", "builtin"]),
        source=st.none() | names,
        library=st.none() | names,
        options=pairs,
    ),
    st.builds(ast.Replace, what=patterns, new=patterns, kind=st.just("pattern"), **tail),
    st.builds(ast.Replace, what=selectors, new=selectors, kind=st.just("value"), **tail),
    st.builds(ast.Remove, selector=selectors, **tail),
    st.builds(
        ast.Insert,
        new=patterns,
        selector=selectors,
        where=st.sampled_from(["after", "before"]),
        **tail,
    ),
    st.builds(
        ast.SetAttr,
        selector=selectors,
        attr=st.sampled_from(["axis", "data_layout"]),
        value=values,
        **tail,
    ),
    st.builds(ast.Cast, selector=selectors, dtype=st.sampled_from(["float16", "int8"]), **tail),
    st.builds(ast.Rename, selector=selectors, name=names, optional=st.booleans()),
    st.builds(ast.Extract, start=selectors, end=selectors, name=names, optional=st.booleans()),
    st.builds(ast.BindParams, glob=st.none() | names),
    st.builds(
        ast.BindInput,
        name=names,
        dtype=st.sampled_from(["float32", "int64"]),
        shape=st.lists(st.integers(0, 999), max_size=3).map(tuple),
    ),
    st.builds(
        ast.Prepare,
        passes=st.lists(
            st.builds(
                ast.PassCall,
                name=st.sampled_from(["FoldConstant", "ConvertLayout"]),
                arguments=st.lists(values, max_size=2).map(tuple),
            ),
            min_size=1,
            max_size=3,
        ).map(tuple),
    ),
    st.builds(
        ast.Build,
        target=st.none() | names,
        opt_level=levels,
        executor=st.none() | st.sampled_from(["graph", "aot", "vm"]),
        format=st.none() | st.sampled_from(["so", "tar", "mlf"]),
        config=pairs,
        disable=st.lists(names, max_size=2).map(tuple),
    ),
    stages_on,
    verifies,
    st.builds(
        ast.Pipeline,
        on=st.sampled_from(["threads", "processes", "ray"]),
        depth=st.none() | counts,
    ),
)
