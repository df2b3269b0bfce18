"""The build recipe and the output folder it lives in."""

from surgery.recipe.atomic import atomic_file, write_atomic
from surgery.recipe.encode import recipe_from_json, recipe_json
from surgery.recipe.files import (
    check_files,
    read_recipe,
    recipe_folder,
    recipe_schema,
    with_library_hashes,
    write_recipe,
)
from surgery.recipe.folder import OutputFolder, check_target, replace_in
from surgery.recipe.lock import Terminated
from surgery.recipe.log import LOG_NAME, write_log
from surgery.recipe.model import (
    RECIPE_VERSION,
    FileReference,
    FromStage,
    PipelineOn,
    Recipe,
    RecipeBackend,
    RecipeInput,
    RecipeOutput,
    RecipePipeline,
    RecipeStage,
    StageInput,
    StageOutput,
)
from surgery.recipe.place import RECIPE_NAME, is_output_folder, recover
from surgery.recipe.regions import (
    FromComposite,
    FromConstant,
    FromInput,
    KernelOperand,
    RecipeComposite,
    RecipeRegion,
    RecipeTensor,
    RegionConstant,
)
from surgery.source import file_sha256

__all__ = [
    "LOG_NAME", "RECIPE_NAME", "RECIPE_VERSION", "FileReference", "FromComposite", "FromConstant",
    "FromInput", "FromStage", "KernelOperand", "OutputFolder", "PipelineOn", "Recipe",
    "RecipeBackend", "RecipeComposite", "RecipeInput", "RecipeOutput", "RecipePipeline",
    "RecipeRegion", "RecipeStage", "RecipeTensor", "RegionConstant", "StageInput", "StageOutput",
    "Terminated", "atomic_file", "check_files", "check_target", "file_sha256", "is_output_folder",
    "read_recipe", "recipe_folder", "recipe_from_json", "recipe_json", "recipe_schema", "recover",
    "replace_in", "with_library_hashes", "write_atomic", "write_log", "write_recipe",
]  # fmt: skip
