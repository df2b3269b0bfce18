"""Explanations of S550-S589: recipes, output folders and the inputs of a run."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S550": (
        "no recipe there",
        "`surgery build`, `run` and `verify` work on an output folder of `surgery apply`, which "
        "holds a recipe.json, or on that file itself. The path given has none, or it can't be "
        "read. Give the folder that apply printed (by default the spec's name with `.out`): "
        "`surgery run bert_split.out --inputs x.npz`.",
    ),
    "S551": (
        "not a recipe",
        "The file is not a recipe: it is cut off, is not JSON, or is some other JSON file (a "
        "recipe has the key `recipe`). surgery writes the file whole or not at all, so something "
        "else changed it: a copy that broke off, a merge conflict, an editor. Write the folder "
        "again with `surgery apply`.",
    ),
    "S552": (
        "invalid recipe",
        "The recipe is JSON but not as its schema says (`surgery schema recipe`), or its parts "
        "contradict each other: a stage uses an output that no earlier stage gives, a name stands "
        "twice, a path leads out of the folder. The place is named as `stages[1].inputs[0]`. "
        "Write the folder again with `surgery apply`, or correct what you edited.",
    ),
    "S553": (
        "recipe of another version",
        "The number `recipe` counts versions of the format that an older surgery would misread. "
        "This surgery does not know the one in the file. Use the surgery that wrote it "
        "(surgery.log.json says which), or write the folder again with this one.",
    ),
    "S554": (
        "unknown key ignored",
        "A note, not an error: the recipe has a key that this version of surgery does not know. "
        "Either a newer surgery wrote it, which is fine, or a key was misspelt by hand; the "
        "nearest known key is named then.",
    ),
    "S555": (
        "file changed since",
        "The recipe holds the SHA-256 of every module, weight file and built library, and a file "
        "no longer has it. Results would silently not be those of the recipe. A changed library: "
        "`surgery build OUT` makes it anew. A changed module or weight file: put the original "
        "back, or write the folder again with `surgery apply`.",
    ),
    "S556": (
        "file of the recipe missing",
        "A module or weight file that the recipe names is not in the folder, or can't be read, so "
        "its stage can't be built. Copy output folders as a whole. A run alone needs only "
        "recipe.json and lib/.",
    ),
    "S557": (
        "plan.json can't be read",
        "A comparison with the original needs the folder's plan.json: what was bound and prepared "
        "before surgery, and which values are outputs. The file is missing, damaged, or written by "
        "another version. A run and a build don't need it. Write the folder again with "
        "`surgery apply`.",
    ),
    "S560": (
        "output folder not replaced",
        "surgery replaces its output folder as a whole, so it refuses when that would destroy "
        "something: a folder it did not write, files it did not write in a folder of its own, or "
        "a folder that is or holds the current folder, your home folder, the spec or the model. "
        "Give another folder with -o. `--force` replaces a foreign folder, but never the current "
        "or home folder.",
    ),
    "S561": (
        "wrong kind of path",
        "A file stands where the output folder should be, or a folder where an output file "
        "should be. Give another path with -o, or move what is there.",
    ),
    "S562": (
        "output folder in use",
        "Another surgery is writing the same folder at this moment; its process id is named. Two "
        "at once would mix their files. Wait for it, or write to another folder with -o. The lock "
        "is let go of by the system when that process ends, however it ends: there is nothing to "
        "clean up by hand.",
    ),
    "S563": (
        "cannot write",
        "The file system refused: no space, no permission, a read-only disk, a file where a "
        "folder is needed, a mount point that can't be renamed. What was there before is intact. "
        "The output folder is prepared beside its final place, so the folder above it must be "
        "writable and have the space.",
    ),
    "S570": (
        "original model not at hand",
        "`surgery verify OUT` compares with the model as it was before surgery, which the output "
        "folder does not hold. The file that the recipe names isn't there, or is no longer the "
        "one the folder was made from (its SHA-256 differs). Give it with --model (and --params), "
        "or verify while applying: `surgery apply --verify`.",
    ),
    "S571": (
        "original weights not at hand",
        "The original model is there but the file of its weights, which the recipe names, is not. "
        "Give it with --params.",
    ),
    "S580": (
        "inputs file unreadable",
        "The .npz file of inputs does not exist or can't be opened. Write one with "
        '`numpy.savez("x.npz", NAME=array, ...)`, one array for each input of the model.',
    ),
    "S581": (
        "not a whole .npz of arrays",
        "The file isn't an .npz archive, is cut off or damaged, is a single .npy array (which has "
        "no name), or holds pickled Python objects, which are never loaded as they could run "
        "code. Write it again with `numpy.savez` from arrays of numbers.",
    ),
    "S582": (
        "input missing",
        "The model needs an input that was not given. The message says its name, shape and type; "
        "the recipe's `inputs` lists all of them.",
    ),
    "S583": (
        "unknown input",
        "An array was given under a name that is no input of the model; the nearest input is "
        "named. It is an error rather than a warning because it is most often a misspelt name.",
    ),
    "S584": (
        "wrong shape",
        "An input's shape is not what the model was built for. Shapes are fixed when the stages "
        "are built, but for extents shown as `?`. Reshape or pad the array, or fix another shape "
        "with `bind x: float32(1,128)` in the spec and apply again.",
    ),
    "S585": (
        "wrong type",
        "An input's element type is not the model's. surgery does not cast silently, since an "
        "int64 array in place of float32 is more often the wrong file than a wish. numpy makes "
        'float64 and int64 by default: use `array.astype("float32")`.',
    ),
    "S586": (
        "not built",
        "The recipe's libraries are not there: apply ran with --no-build. `surgery build OUT` "
        "compiles every stage from what is in the folder.",
    ),
    "S587": (
        "stage failed",
        "A compiled stage raised an error while it ran; the stage and its last words are given. "
        "Build it again with `surgery build OUT`; if it still fails, the inputs may hold values "
        "the model can't take (indices out of range), or memory may be short.",
    ),
    "S588": (
        "library of another recipe",
        "A stage gave a number, shape or type of outputs other than the recipe says, so its "
        "library was built from something else. `surgery build OUT` makes it anew.",
    ),
    "S589": (
        "run can't be set up",
        "Random inputs can't be made for a shape with `?` (give a file, or bind the shape in the "
        "spec) or for a type that numpy doesn't have, or the number of repeats is not positive.",
    ),
}
