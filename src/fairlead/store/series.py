"""Arrays of samples to and from bytes, and the units they may carry."""

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from fairlead.errors import StoreError

UNITS: dict[str, str] = {
    "s": "seconds",
    "B": "bytes",
    "bit/s": "bits per second",
    "B/s": "bytes per second",
    "1": "a plain number, share or ratio",
    "count": "a number of things",
    "bool": "true or false",
    "index": "number of a host or row, from 0",
}
SUFFIX_UNITS: dict[str, str] = {"_s": "s", "_B": "B", "_bps": "bit/s", "_share": "1", "_count": "count"}
"""A series whose name ends like this must have this unit."""

_DTYPES = {"f": "<f8", "i": "<i8", "u": "<i8", "b": "|b1"}


def check(name: str, values: npt.ArrayLike, unit: str, *, missing: bool) -> npt.NDArray[Any]:
    """The array as it is stored: float64, int64 or bool, C order.

    Args:
        missing: NaN stands for "there is none" here (the diagonal of a matrix); else NaN is an error.

    Raises:
        StoreError: unknown unit, unit not as the name says, not numeric, empty, NaN or infinity.
    """
    if unit not in UNITS:
        raise StoreError(f"series {name}: unknown unit {unit!r}", hint=f"known are {', '.join(UNITS)}")
    for suffix, expected in SUFFIX_UNITS.items():
        if name.endswith(suffix) and unit != expected:
            raise StoreError(f"series {name}: its name says {expected!r}, its unit {unit!r}")
    array = np.asarray(values)
    if array.size == 0:
        raise StoreError(f"series {name}: no samples")
    if array.dtype.kind not in _DTYPES:
        raise StoreError(f"series {name}: {array.dtype} cannot be stored", hint="store real numbers or truth values")
    if (array.dtype.kind == "b") != (unit == "bool"):
        raise StoreError(f"series {name}: unit {unit!r} does not fit values of type {array.dtype}")
    if array.dtype.kind == "u" and array.max() > np.iinfo(np.int64).max:
        raise StoreError(f"series {name}: a value exceeds 64-bit signed integers")
    if array.dtype.kind == "f":
        _check_finite(name, array, missing=missing)
    return np.ascontiguousarray(array, dtype=_DTYPES[array.dtype.kind]).reshape(array.shape)


def _check_finite(name: str, array: npt.NDArray[Any], *, missing: bool) -> None:
    bad = np.isinf(array) if missing else ~np.isfinite(array)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        raise StoreError(
            f"series {name}: {array[where]} at {where or 'its only place'}, {int(bad.sum())} such of {array.size}",
            hint="a measurement that failed is an error of its run, not a number",
        )


def encode(array: npt.NDArray[Any]) -> tuple[str, str, bytes]:
    """Data type, shape (JSON) and bytes of what `check` gave."""
    return array.dtype.str, json.dumps(list(array.shape)), array.tobytes()


def decode(dtype: str, shape: str, data: bytes) -> npt.NDArray[Any]:
    """Inverse of `encode`; the array is read only.

    Raises:
        StoreError: the bytes do not fit the shape.
    """
    try:
        return np.frombuffer(data, dtype=np.dtype(dtype)).reshape(json.loads(shape))
    except (TypeError, ValueError) as error:
        raise StoreError(f"a stored series is damaged: {error}") from error
