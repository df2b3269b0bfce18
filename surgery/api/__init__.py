"""One function a stage of the work. ``import surgery`` gives these; none imports TVM by itself."""

from surgery.api.applying import Applied, apply
from surgery.api.folders import build, run, verify
from surgery.api.plans import Compiled, Planned, check, compile, plan
from surgery.api.reading import Progress, load_model, load_picture, parse_spec
from surgery.diagnostics import SurgeryError
from surgery.syntax import load_spec

__all__ = [
    "Applied", "Compiled", "Planned", "Progress", "SurgeryError", "apply", "build", "check",
    "compile", "load_model", "load_picture", "load_spec", "parse_spec", "plan", "run", "verify",
]  # fmt: skip
