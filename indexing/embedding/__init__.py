"""Embedding models: one port, a prepared and a native form of the local model, remote models, and a cache."""

import os

# onnxruntime writes down what runs it, and queues that for its maker, as soon as it is imported; the function
# that switches this off comes too late. Nothing is sent anywhere, so it is never to begin.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
