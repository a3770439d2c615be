"""Where a local model can run. Torch, which takes seconds, is not imported where there is only a CPU."""

from __future__ import annotations

import glob
import os
import platform
import re
import sys

_CUDA_SIGNS = ("/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
"""Device files of NVIDIA's driver, Windows' for Linux guests, and AMD's (torch says cuda to it too)."""
_NAME = re.compile(r"cpu|cuda(:[0-9]{1,3})?|mps")
_HIDDEN = frozenset({"", "-1", "none", "NoDevFiles"})


def asked_device(setting: str) -> str:
    """The device that the person names: WORKBENCH_DEVICE, else the ``setting``; empty when neither does."""
    return os.environ.get("WORKBENCH_DEVICE", "").strip() or setting.strip()


def is_device(name: str) -> bool:
    """Whether ``name`` is one that a model can be put on."""
    return bool(_NAME.fullmatch(name))


def likely_device() -> str:
    """``cuda`` or ``mps`` where the machine shows signs of it, else ``cpu``. Opens nothing."""
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return "mps"
    if os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in _HIDDEN:
        return "cpu"
    return "cuda" if any(glob.glob(sign) for sign in _CUDA_SIGNS) else "cpu"


def has_device(name: str) -> bool:
    """Whether torch can use the device. Imports torch; never fails."""
    if name == "cpu":
        return True
    try:
        import torch  # noqa: PLC0415 - takes seconds

        kind, _, number = name.partition(":")
        if kind == "mps":
            return bool(torch.backends.mps.is_available())
        return bool(torch.cuda.is_available()) and int(number or 0) < int(torch.cuda.device_count())
    except Exception:  # a driver that does not fit fails in its own ways
        return False
