"""Stages that run side by side: the driver of a pipeline and where its workers run."""

from surgery.runtime.pipeline.base import PipelineBackend, StageWorker, WorkerLost
from surgery.runtime.pipeline.opened import PipelineRunner, open_pipeline
from surgery.runtime.pipeline.options import BACKENDS, DEFAULT_DEPTH, PipelineOptions
from surgery.runtime.pipeline.statistics import PipelineStatistics, StageStatistics, Times

__all__ = [
    "BACKENDS", "DEFAULT_DEPTH", "PipelineBackend", "PipelineOptions", "PipelineRunner",
    "PipelineStatistics", "StageStatistics", "StageWorker", "Times", "WorkerLost", "open_pipeline",
]  # fmt: skip
