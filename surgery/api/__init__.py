"""One function a stage of the work. ``import surgery`` gives these; none imports TVM by itself."""

from surgery.api.applying import Applied, apply
from surgery.api.bisecting import Bisection, Divergence, bisect
from surgery.api.comparing import Compared, compare_models
from surgery.api.each import PassCheck
from surgery.api.emitting import Emit
from surgery.api.examining import examine
from surgery.api.folders import build, run, verify
from surgery.api.importing import Imported, import_model
from surgery.api.opening import open, pipeline_options
from surgery.api.plans import Compiled, Planned, check, compile, plan
from surgery.api.reading import Progress, load_model, load_picture, parse_spec
from surgery.api.reducing import Reduced, reduce
from surgery.api.stubbing import Stubbed, StubWritten, stub
from surgery.api.tapping import Tapped, TappedValue, manifest_path, tap
from surgery.diagnostics import SurgeryError
from surgery.doctor import Checkup
from surgery.syntax import load_spec

__all__ = [
    "Applied", "Bisection", "Checkup", "Compared", "Compiled", "Divergence", "Emit", "Imported",
    "PassCheck", "Planned", "Progress", "Reduced", "StubWritten", "Stubbed", "SurgeryError",
    "Tapped", "TappedValue", "apply", "bisect", "build", "check", "compare_models", "compile",
    "examine", "import_model", "load_model", "load_picture", "load_spec", "manifest_path", "open",
    "parse_spec", "pipeline_options", "plan", "reduce", "run", "stub", "tap", "verify",
]  # fmt: skip
