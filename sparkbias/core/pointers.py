"""Pointers to the elements of arrays, for kernels that are made of many small ones.

Arrays handed from one compiled function to another are counted in and out, and each is seven
arguments; a pointer is one. Whoever makes a pointer holds the array meanwhile, and minds bounds.
"""

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic

Pointer = Any  # what `elements_of` gives: read and written by index


def _elements_of(typing_context: Any, array: Any) -> Any:  # noqa: ANN401  # numba's own
    """A pointer to the first element of a contiguous array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    pointer = types.CPointer(array.dtype)  # type: ignore[no-untyped-call]
    return pointer(array), generate


elements_of: Callable[..., Pointer] = intrinsic(_elements_of)
