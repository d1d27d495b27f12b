"""Memory of the library as NumPy arrays, and arrays as the library takes them."""

import ctypes

import numpy as np

_NUMBERS = {
    ctypes.c_bool: "?", ctypes.c_byte: "i1", ctypes.c_ubyte: "u1", ctypes.c_short: "i2", ctypes.c_ushort: "u2",
    ctypes.c_int: "i4", ctypes.c_uint: "u4", ctypes.c_longlong: "i8", ctypes.c_ulonglong: "u8", ctypes.c_long: "i8",
    ctypes.c_ulong: "u8", ctypes.c_float: "f4", ctypes.c_double: "f8", ctypes.c_size_t: "u8", ctypes.c_ssize_t: "i8",
    ctypes.c_char: "S1",
}  # fmt: skip

type_of_arrays, type_of_structs = type(ctypes.c_int * 1), type(ctypes.Structure)


def number_code(ctype):
    """NumPy's code of a C number; None: it is none."""
    return _NUMBERS.get(ctype)


def is_pointer(ctype):
    return ctype in (ctypes.c_char_p, ctypes.c_void_p) or hasattr(ctype, "contents") or issubclass(ctype, ctypes._CFuncPtr)


def dtype_of(ctype):
    """The structured type of a C struct, without its reserved members. Pointers are numbers in it."""
    if issubclass(ctype, ctypes.Array):
        inner, shape = ctype, ()
        while issubclass(inner, ctypes.Array) and inner._type_ is not ctypes.c_char:
            shape, inner = shape + (inner._length_,), inner._type_
        return np.dtype((dtype_of(inner), shape)) if shape else np.dtype(f"S{ctype._length_}")
    if is_pointer(ctype):
        return np.dtype(np.uintp)
    if number_code(ctype):
        return np.dtype(number_code(ctype))
    fields = [(name, type) for name, type in ctype._fields_ if name != "reserved"]
    return np.dtype({"names": [name for name, _ in fields], "formats": [dtype_of(type) for _, type in fields],
                     "offsets": [getattr(ctype, name).offset for name, _ in fields],
                     "itemsize": ctypes.sizeof(ctype)})  # fmt: skip


class _Memory:
    """Memory that `owner` frees. An array over it keeps this object, and so the owner."""

    def __init__(self, address, shape, dtype, owner):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "shape": shape, "data": (address, True), "typestr": dtype.str,
                                    "descr": dtype.descr}  # fmt: skip


def view(address, shape, dtype, owner):
    """A read-only array over memory of the library, without a copy."""
    dtype = np.dtype(dtype)
    if not address or 0 in shape:
        return np.empty(shape, dtype)
    if dtype.names is None:
        return np.asarray(_Memory(address, shape, dtype, owner))
    raw = np.asarray(_Memory(address, (int(np.prod(shape)) * dtype.itemsize,), np.dtype("u1"), owner))
    return raw.view(dtype).reshape(shape)


def is_array_like(value):
    """Whether a value holds numbers: an array, a tensor, a list, and no text or path."""
    return not isinstance(value, (str, bytes)) and not hasattr(value, "__fspath__") and (
        hasattr(value, "__array__") or hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__")
        or hasattr(value, "__array_interface__") or isinstance(value, (list, tuple, memoryview))
    )  # fmt: skip


def _from_device(value, name):
    """An array that exports itself by DLPack as one of the host; those of a GPU are copied where they can be."""
    kind, _ = value.__dlpack_device__()
    if kind in (1, 3):  # a processor's memory, or memory that CUDA pinned
        return np.from_dlpack(value)
    try:
        return np.from_dlpack(value, device="cpu")
    except (TypeError, BufferError, RuntimeError):
        raise TypeError(f"{name} is on a GPU and cannot be copied from there; give a copy in the host's memory") from None


def as_array(value, dtype, name, dimensions=None, packed=False):
    """A value as an array of numbers of one kind, without a copy where this is possible.

    Numbers of another kind are converted if nothing but precision can be lost. `dimensions` is the number of axes.
    """
    if isinstance(value, np.ndarray):
        array = value
    elif hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        array = _from_device(value, name)
    elif hasattr(value, "__cuda_array_interface__"):
        raise TypeError(f"{name} is on a GPU; give a copy in the host's memory")
    else:
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise ValueError(f"{name} is no array of numbers: {error}") from None
    dtype = np.dtype(dtype)
    if array.dtype != dtype:
        if array.dtype.kind not in "fiub" or (dtype.kind in "iu" and array.dtype.kind == "f"):
            raise TypeError(f"{name} has the type {array.dtype}; expected {dtype}")
        if dtype.kind in "iu" and array.size and (array.min() < np.iinfo(dtype).min or array.max() > np.iinfo(dtype).max):
            raise ValueError(f"{name} has numbers from {array.min()} to {array.max()}; they do not fit {dtype}")
        array = array.astype(dtype)
    if dimensions is not None and array.ndim != dimensions:
        raise ValueError(f"{name} has {array.ndim} axes, its shape is {array.shape}; expected {dimensions} axes")
    if not array.dtype.isnative:
        array = array.astype(dtype.newbyteorder("="))
    return np.ascontiguousarray(array) if packed else array


def pointer(array, ctype):
    """A pointer to the first number of an array; NULL for an empty one."""
    address = array.ctypes.data if array.size else None
    return ctypes.cast(ctypes.c_void_p(address), ctypes.POINTER(ctype))
