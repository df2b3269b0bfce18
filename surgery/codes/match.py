"""Codes of selectors and patterns."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S200": (
        "no value of this number",
        "`%42` means the value that `surgery show` lists as %42 of @main, after `prepare`. There "
        "is none: the model is another one, or the number was counted in another print (TVM's own "
        "text of one function can number differently). Look it up with `surgery show`. A value of "
        "another function is written `@f:%3`, the value printed without a number `result`.",
    ),
    "S201": (
        "no such field",
        "`%3.1` means field 1 of the tuple %3. %3 is a tensor, or a tuple with fewer fields; they "
        "count from 0. Example: of `%2 = split(%1, indices_or_sections=2)` there are `%2.0` and "
        "`%2.1`, and `%2.*` means both.",
    ),
    "S202": (
        "no such variable",
        "`%x` means the input, weight or `let` variable of that name. `surgery show` lists them; "
        "for a variable of another function write `@f:%x`.",
    ),
    "S203": (
        "no op of this name",
        "A bare word is a run of whole components of an op's source name: `layer_._3` finds "
        "`bert/encoder/layer_._3/output/dense`, `layer_` does not. Names are case-sensitive and "
        'are split at `/`, or at `.` where they have none. Use a glob (`"*layer_*"`) or a regular '
        'expression (`re"layer_"`) for parts of components. Inputs and weights are written '
        "`input x` and `param w`.",
    ),
    "S204": (
        "the model has no source names",
        "Names of a source framework are in the spans of TVM's JSON, and in the comments of text "
        "that was printed with them; plain text drops them. Give the JSON form of the model, or "
        "name values by number (`%42`) or by op (`last(op nn.softmax)`).",
    ),
    "S205": (
        "not a regular expression",
        'What stands in `re"..."` is searched for in the whole source name, in Python\'s syntax. '
        'Characters with a meaning are escaped: `re"layer_\\._(0|1)/"`.',
    ),
    "S206": (
        "unknown or ambiguous op",
        "An op is named in full (`nn.conv2d`), by its last part (`conv2d`), or by a usual "
        "abbreviation (`bn`). The name given is no op, or could be several: `conv` could be "
        "nn.conv1d, nn.conv2d or nn.conv3d. Write the full name; a glob (`op nn.conv*`) means all.",
    ),
    "S207": (
        "the model has no such op",
        "The op exists, but no call of it is in the model (any more: `prepare` may have replaced "
        "it, e.g. SimplifyInference replaces nn.batch_norm). `surgery show` lists what there is. "
        "Look-alikes are not the same op: nn.dense is not nn.matmul.",
    ),
    "S208": (
        "no such input or weight",
        "`input x` means a runtime input, `param w` a weight: a parameter whose value is known "
        "from the params file, or a named constant. A parameter without a value is an input. Both "
        'take globs: `param "*/query/*"`.',
    ),
    "S209": (
        "no such predicate or attribute",
        "`where` asks for dtype, shape, rank, users, op, name, kind, bytes or attrs.NAME. An "
        "attribute must exist on at least one of the selected ops. Example: "
        "`op nn.softmax where attrs.axis=-1 and shape=(1,12,*,*)`.",
    ),
    "S210": (
        "a comparison that can't hold",
        "`<`, `<=`, `>` and `>=` compare numbers. Compare names, dtypes and shapes with `=` or "
        "`!=`; in a shape `*` fits any extent.",
    ),
    "S211": (
        "nothing is picked",
        "Every part of the selector finds something, but nothing is left when the parts are "
        "combined; the notes tell how many each step left. Loosen it, or write `optional` at the "
        "end of the statement when nothing is fine.",
    ),
    "S212": (
        "several values where one is needed",
        "The statement needs exactly one value. An op of a framework often becomes several ops "
        "here, all under its name. The candidates are listed: write `last(S)`, `first(S)`, "
        "`nth(S, N)`, add `where op=...`, or name one by its number.",
    ),
    "S213": (
        "nth is out of range",
        "`nth(S, N)` counts from 0, like numbers, fields and outputs do; -1 is the last.",
    ),
    "S214": (
        "nothing lies between",
        "`between(S, T)` means everything on a path from S to T, both included. T doesn't depend "
        "on S: perhaps they are the wrong way round.",
    ),
    "S215": (
        "a let that uses itself",
        "A `let` may use other `let`s, but not in a circle.",
    ),
    "S216": (
        "another count than expected",
        "`expect N` or `expect >=N` pins how many things a statement acts on, so that a changed "
        "model is noticed. Look at what the selector picks now with `surgery show`.",
    ),
    "S217": (
        "no such function",
        "`@f:%3` names a value of the function @f. The module has no function of that name.",
    ),
    "S230": (
        "unknown or ambiguous op in a pattern",
        "A pattern names ops in full (`nn.conv2d`), by their last part (`conv2d`) or by a usual "
        "abbreviation (`bn`), a class (`elementwise`, `broadcast`, `injective`), a glob (`nn.*`), "
        "or a `pattern` of the spec. Each short name must mean one op.",
    ),
    "S231": (
        "wrong number of operands in a pattern",
        "Written as a call, an op gets all its operands, `*` for those that may be anything: "
        "`nn.conv2d(*, const)`. Statistics of normalisations and scales of qnn ops may be left "
        "out: `bn(x:*)`. Written without parentheses, all operands are free.",
    ),
    "S232": (
        "a pattern without an op",
        "A pattern must hold at least one op that can't be absent; otherwise it would match "
        "everywhere.",
    ),
    "S233": (
        "a constraint that can't hold",
        "`op{name=value}` asks for an attribute of that op, or for dtype, shape or rank of its "
        "result; a leaf (`*`, `const`, `input`) only has the latter. The name is not an attribute "
        "of the op, or an order was asked of what is no number.",
    ),
    "S235": (
        "a capture that is not clear",
        "`x:` names what is matched there, once. A bare `x` in a call means the same value again, "
        "so only one capture may have that name.",
    ),
    "S236": (
        "operands or attributes where there can't be any",
        "A named pattern stands as it is: `conv_block>relu`. A repeated op (`elementwise*`) takes "
        "the result before it and has no operands of its own.",
    ),
    "S237": (
        "a leaf in a chain",
        "`a>b>c` lists ops. Operands that no op of the chain computes are free and aren't written; "
        "to name or restrict one, write the op as a call: `conv2d(x:*, w:const)>relu`.",
    ),
    "S238": (
        "a pattern that uses itself",
        "A `pattern` may use others, but not in a circle.",
    ),
    "S239": (
        "a pattern that is too large",
        "A pattern may have 100 ops, and 64 readings: alternatives of different shapes multiply. "
        "Alternatives of single ops (`(relu|clip)`) cost nothing.",
    ),
}
