"""Sequences of linear algebra whose calls share kernels."""

from ._programs import program
from ._results import Result

write = program("fuse_write", Result, None, "Write a sequence as files of another language.", called="write")
explain = program("fuse_explain", Result, None, "Explain which calls of a script share a kernel.", called="explain")
run = program("fuse_run", Result, None, "Run a sequence and compare its results with their meaning.", called="run")
functions = program("fuse_list", Result, None, "List the functions that scripts can call.", called="functions")
measure = program("fuse_measure", Result, None, "Measure the functions of the library on a device.", called="measure")
