"""Stages that run side by side: the driver of a pipeline and where its workers run."""

from surgery.runtime.pipeline.base import PipelineBackend, StageWorker, WorkerLost
from surgery.runtime.pipeline.options import BACKENDS, DEFAULT_DEPTH, Backend, PipelineOptions

__all__ = [
    "BACKENDS", "DEFAULT_DEPTH", "Backend", "PipelineBackend", "PipelineOptions", "StageWorker",
    "WorkerLost",
]  # fmt: skip
