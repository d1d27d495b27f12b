"""Soft tissue: a tool pushes a body of tetrahedra."""

from ._programs import program
from ._results import Result
from .data import Mesh, data_form

_FORMS = {"mesh": data_form("given_mesh", Mesh)}


class SolveResult(Result):
    """`force` and `stiffness` of the tool; positions, displacements and reactions of the nodes."""


solve = program("deform_solve", SolveResult, _FORMS, "Find the state of a body under a tool.", called="solve")
space = program("deform_space", Result, _FORMS, "Find the states of a grid of places of the tool.", called="space")
simulate = program("deform_simulate", Result, _FORMS, "Move a hand through a body and write what it feels.", called="simulate")
