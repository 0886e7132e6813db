"""Python values and marks, and the form in which they are stored. No I/O."""

from scripts.helpers.watermarks.values.named import WatermarkValues
from scripts.helpers.watermarks.values.stored import Stored, StoredMap, canonical_number, decode, encode

__all__ = ["Stored", "StoredMap", "WatermarkValues", "canonical_number", "decode", "encode"]
