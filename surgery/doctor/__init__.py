"""Looking over a module that TVM's own passes have partitioned: what will not build, and why."""

from surgery.doctor.examine import Checkup, RegionFile, examine

__all__ = ["Checkup", "RegionFile", "examine"]
