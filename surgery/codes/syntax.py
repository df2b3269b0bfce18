"""What the codes of the language (``S100`` to ``S149``) and of reading specs mean."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S100": (
        "something unexpected in a statement",
        "A statement makes sense up to the marked place, and not beyond. The reason lists "
        "what may stand there. Common causes: a misspelt keyword (`cut afer x`), a missing "
        "`to`, `as` or `by`, a line that goes on with the statement before it but isn't "
        "indented. Example of a right form: `offload pattern conv2d>bias_add>relu to bmlib`.",
    ),
    "S101": (
        "unknown statement",
        "A statement begins with a keyword such as `output`, `cut` or `offload`. The marked "
        "word is none. It may be misspelt (`ouput`), or its line continues the statement "
        "before it and has to be indented. Example: `output %42 as mask`.",
    ),
    "S102": (
        "a statement ends too early",
        "The statement needs more than is written. The reason lists what may follow. A "
        "statement ends at `;` or at the end of the line; indent the next line to go on. "
        "Example: `output %42 as` lacks the name: `output %42 as mask`.",
    ),
    "S103": (
        "a string without an end",
        "A string ends on the line it begins on, with the quote it began with. Inside, write "
        '`\\"` for a quote and `\\\\` for a backslash. Example: `cut after "*/attention/*"`.',
    ),
    "S104": (
        "an escape without a meaning",
        'A string knows `\\"`, `\\\\`, `\\n`, `\\t`, `\\r` and `\\u{HEX}`. Any other '
        'backslash has to be doubled: `model "C:\\\\models\\\\bert.json"`. In re"..." '
        "backslashes belong to the expression.",
    ),
    "S105": (
        "a bracket without a partner",
        "Every `(`, `[` and `{` of a statement is closed in it, and nothing else is. Inside "
        "brackets a statement goes on over line ends. Example: `cut after first(layer_._3)`.",
    ),
    "S106": (
        "too much nesting",
        "Brackets may be 64 deep, a YAML file 32, and one statement may hold 128 set "
        "operations (`and`, `or`, `except`). Give parts names by `let NAME = S` or `pattern "
        "NAME = P`, or select by a glob.",
    ),
    "S107": (
        "a variable without a value",
        "`${NAME}` stands for a value given by `--set NAME=VALUE`. This one has none. "
        "Example: with `surgery apply spec --set LAYER=3` the statement `cut after "
        "layer_._${LAYER}` cuts after `layer_._3`. For a plain `${` write `$${`.",
    ),
    "S108": (
        "a malformed variable",
        "A variable is written `${NAME}`, its name a letter or `_`, then letters, digits and "
        "`_`. For a text that itself holds `${` write `$${`.",
    ),
    "S109": (
        "none of the words that may stand here",
        "Some places take one of a few words: `share S by transfer|recompute`, `constants "
        "embed|pass`, `executor graph|aot|vm`, the keys of `where`. The message lists them.",
    ),
    "S110": (
        "a number that can't stand here",
        "A count has to be a whole number, some from 1 up; TVM's optimisation levels are 0 "
        "to 4; tolerances are not negative. Example: `build opt 3`, `expect >=1`, `verify "
        "rtol 1e-4`.",
    ),
    "S111": (
        "an option given twice",
        "A statement takes each of its options once (`config` and `disable` of `build` may "
        "be repeated), and a mapping of options each key once. Keep one of them.",
    ),
    "S112": (
        "options that don't go together",
        "`verify` takes its inputs from a file or from a seed, not both; a `backend` has to "
        "say `via` what its regions become code. Example: `backend bmlib { via tvm }`, "
        "`verify seed 0`.",
    ),
    "S113": (
        "a combination that means nothing",
        "The parts are right, but not together: a leaf inside a chain (`*>relu`), `?` on a "
        "leaf, `*` on alternatives or calls, `*` where a value is set, `set` without an "
        "attribute, a YAML backend with its name as a value. Chains hold ops only; exact operands "
        "are written as calls: `relu(conv2d(x:*, const))`.",
    ),
    "S114": (
        "not a regular expression",
        're"..." holds a Python regular expression that is searched for in the source name. '
        'The reason is what Python says of it. Example: re"layer_\\._(0|1)/".',
    ),
    "S115": (
        "not a name",
        "A name or path can't be empty; a pattern's name consists of letters, digits and "
        "`_`; an option's name may have dots. Example: `pattern conv_block = conv2d>relu`.",
    ),
    "S116": (
        "nothing where something has to be",
        "A selector, a pattern or a statement was expected and the text is empty. Example of "
        "a selector: `%42`; of a pattern: `conv2d>relu`.",
    ),
    "S120": (
        "not YAML",
        "The file can't be read as YAML at the marked place. Frequent causes: a word that "
        'begins with `%`, `@` or `*` and isn\'t quoted (write `value: "%42"`), a tab as '
        "indentation, an unclosed bracket or quote.",
    ),
    "S121": (
        "a key twice in one mapping",
        "YAML readers keep one value of a key and drop the others without a word, so a spec "
        "refuses that. Keep one, or join what they hold. For several statements of one kind "
        "use entries of `steps`.",
    ),
    "S122": (
        "an unknown key",
        "The schema knows the keys listed in the reason, no others. `surgery schema` prints "
        "it whole, for editors too. A step whose text holds `: ` has to be quoted, or YAML "
        "reads it as a mapping.",
    ),
    "S123": (
        "a value of the wrong type",
        "The value is a text where a number or a mapping is needed, or the other way round. "
        '`%42` is always quoted in YAML: `value: "%42"`. `no`, `yes`, `on` and `off` are '
        "texts, not truth values.",
    ),
    "S124": (
        "a tag",
        "YAML tags (`!name`) can make readers build any object; a spec has no use for them. "
        "Remove the tag, or quote the text when it begins with `!`.",
    ),
    "S125": (
        "an alias that can't be used",
        "An alias `*name` stands for what an anchor `&name` before it marks. It must not "
        "hold itself, nor expand to a huge document. A glob or wildcard that begins with `*` "
        'has to be quoted: "*/query/*".',
    ),
    "S126": (
        "a key is missing, or a step holds several",
        "Every mapping form needs some keys: `offload` its `pattern`, `ops` or `table`, and "
        "`to`; the file its `version`. An entry of `steps` is one statement: a text, or a "
        "mapping with one key.",
    ),
    "S127": (
        "an unknown version",
        "`version: 1` is the version of the spec language that this release reads.",
    ),
    "S128": (
        "not one mapping",
        "A YAML spec is one document, a mapping that begins with `version: 1`. A file in the "
        "text form (`output %42 as mask`) is named `.surgery`.",
    ),
    "S129": (
        "a value that can't stand here",
        "The value has the right type, but is none of those that the key takes, or out of "
        "range. The message lists what may stand there.",
    ),
    "S140": (
        "settings that contradict each other",
        "The order of statements never matters, so one thing can't be set to two values: two "
        "models, two targets of `build`, two types of one input. The note names the other "
        "place. Keep one of them.",
    ),
    "S141": (
        "one name defined twice",
        "A `let`, a `pattern` and a `backend` each have a name of their own, across all "
        "included files. The note names the other place. Rename or remove one of them.",
    ),
    "S545": (
        "a spec can't be read",
        "The file doesn't exist, is a folder, or may not be read. Paths of `include` are "
        "relative to the file that includes.",
    ),
    "S546": (
        "a spec is not a text",
        "Specs are UTF-8 texts. The file holds other bytes: it may be a model or an archive, "
        "or saved in another encoding.",
    ),
    "S547": (
        "includes in a circle",
        "A spec includes itself, through the files that the reason lists. Move what they "
        "share to a spec that includes none of them.",
    ),
    "S548": (
        "a file of the installation is missing",
        "The grammar and the schemas ship inside the package. This installation lacks one: "
        "install surgery again.",
    ),
}
