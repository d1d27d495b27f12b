"""The programs of the library, and their options as the option tables state them."""

import ctypes

# Of each program: the function that runs it and the function that returns its table. Structs of options and results
# follow from the first, and everything about an option from the second.
PROGRAMS = {
    "dock": ("qn_dock_run", "qn_dock_option_table"),
    "evaluate": ("qn_evaluate_run", "qn_evaluate_option_table"),
    "distance": ("qn_distance_run", "qn_distance_option_table"),
    "cluster": ("qn_cluster_run", "qn_cluster_option_table"),
    "trajectory": ("qn_trajectory_run", "qn_trajectory_option_table"),
    "trajectory_convert": ("qn_trajectory_convert", "qn_trajectory_convert_option_table"),
    "fsc": ("qn_fsc_run", "qn_fsc_option_table"),
    "reconstruct": ("qn_reconstruct_run", "qn_reconstruct_option_table"),
    "project": ("qn_project_run", "qn_project_option_table"),
    "movie": ("qn_movie_run", "qn_movie_option_table"),
    "screen": ("qn_screen_run", "qn_screen_option_table"),
    "screen_pack": ("qn_screen_pack", "qn_screen_pack_option_table"),
    "potential": ("qn_potential_run", "qn_potential_option_table"),
    "tunnel": ("qn_tunnel_run", "qn_tunnel_option_table"),
    "transport": ("qn_transport_run", "qn_transport_option_table"),
    "deform_solve": ("qn_deform_solve", "qn_deform_solve_option_table"),
    "deform_space": ("qn_deform_space", "qn_deform_space_option_table"),
    "deform_simulate": ("qn_deform_simulate", "qn_deform_simulate_option_table"),
    "deform_serve": ("qn_deform_serve", "qn_deform_serve_option_table"),
    "fuse_write": ("qn_fuse_write", "qn_fuse_write_option_table"),
    "fuse_explain": ("qn_fuse_explain", "qn_fuse_explain_option_table"),
    "fuse_run": ("qn_fuse_run", "qn_fuse_run_option_table"),
    "fuse_list": ("qn_fuse_list", "qn_fuse_list_option_table"),
    "fuse_measure": ("qn_fuse_measure", "qn_fuse_measure_option_table"),
    "tune_simulate": ("qn_tune_simulate", "qn_tune_simulate_option_table"),
}

# Commands print less where they are quiet; a program in Python prints nothing.
LEFT_OUT = {"quiet"}


def target(type):
    """What a pointer of the headers points to."""
    return type.of if type.kind == "pointer" else None


def places(struct, offset=0, path=()):
    """All leaves of a struct of options with their offsets: (offset, path)."""
    for name, type in struct._fields_:
        here = offset + getattr(struct, name).offset
        if isinstance(type, type_of_structs) and name not in ("reserved",):
            yield from places(type, here, path + (name,))
        else:
            yield here, path + (name,)


type_of_structs = type(ctypes.Structure)


def destroyer(headers, result):
    """The function that releases a result."""
    for one in headers.functions.values():
        if one.name.endswith("_destroy") and len(one.parameters) == 1:
            type = target(target(one.parameters[0][1]) or one.parameters[0][1])
            if type and type.kind == "name" and type.name == result:
                return one.name
    raise LookupError(f"no function destroys {result}")


def leaf(struct, path):
    """The type of a member that lies in structs within structs."""
    for name in path:
        struct = dict(struct._fields_)[name]
    return struct


def row_facts(row, kinds, groups):
    words = {one: (getattr(row, one) or b"").decode() for one in (
        "argument", "choices", "fallback", "fallback_meaning", "unit", "meaning")}  # fmt: skip
    return {"command_name": row.name.decode(), "letter": row.letter.decode().strip("\0"), "kind": kinds[row.kind],
            "group": groups[row.group], "offset": row.offset, "least": row.least, "most": row.most, "count": row.count,
            "required": bool(row.required), "by_commands": bool(row.by_commands), "is_output": bool(row.is_output),
            **words}  # fmt: skip


def spans(kind, type):
    """Whether a value covers more than the member at its offset: a range of two numbers, a box of two arrays."""
    size = {"range": 16, "pair": 16, "box": 48}.get(kind, 0)
    return size > ctypes.sizeof(type)


def options_of(library, namespace, table, struct):
    """The rows of a table as dictionaries. An option has the name of its member in the struct."""
    kinds = {number: name[len("QN_OPTION_"):].lower() for name, number in namespace["ENUMS"]["qn_option_kind"].items()}
    groups = {number: name[len("QN_OPTION_"):].lower() for name, number in namespace["ENUMS"]["qn_option_group"].items()}
    paths = {}
    for offset, path in places(struct):
        if path != ("size",):
            paths.setdefault(offset, path)
    order, row, rows, index = sorted(paths), namespace["qn_option"](), [], 0
    while library.qn_option_row(table, index, ctypes.byref(row)):
        index += 1
        facts = row_facts(row, kinds, groups)
        if facts["command_name"] in LEFT_OUT:
            continue
        path = paths[row.offset]
        if spans(facts["kind"], leaf(struct, path)):
            following = order[order.index(row.offset) + 1]
            name = facts["command_name"].replace("-", "_")
            rows.append({"name": name, **facts, "offset": None, "parts": (path[-1], paths[following][-1])})
            rows += [{"name": paths[at][-1], **facts, "command_name": "", "kind": "plain", "offset": at, "fallback": "",
                      "path": paths[at]} for at in (row.offset, following)]  # fmt: skip
        else:
            rows.append({"name": path[-1], **facts, "path": path})
            if facts["kind"] == "texts":
                rows[-1]["count_path"] = paths[row.offset + ctypes.sizeof(ctypes.c_void_p)]
    return distinct(rows, struct.__name__)


def distinct(rows, struct):
    """Each name means one option. A value of two members keeps the name of the command line where it is free."""
    members = [row["name"] for row in rows if "parts" not in row]
    if len(set(members)) < len(members):
        raise ValueError(f"{struct}: a name of a member names two options: {sorted(members)}")
    return [row for row in rows if "parts" not in row or row["name"] not in members]


def members_without_rows(headers, struct, rows):
    """Members that are not in the table because only programs set them, such as keep_images: numbers and flags."""
    kinds = {ctypes.c_bool: "flag", ctypes.c_int: "integer", ctypes.c_uint64: "whole", ctypes.c_double: "number"}
    covered = {row.get("offset") for row in rows}
    comments = {one.name: one.comment for one in headers.records[struct.__name__].fields}
    enums = {one.name for one in headers.records[struct.__name__].fields if one.type.name in headers.enums}
    made = []
    for name, type in struct._fields_:
        offset = getattr(struct, name).offset
        if type in kinds and name != "size" and name not in enums and offset not in covered and not name.endswith("_count"):
            made.append({"name": name, "command_name": "", "kind": kinds[type], "group": "own", "path": (name,),
                         "offset": offset, "fallback": "", "fallback_meaning": "", "choices": "", "unit": "",
                         "argument": "", "required": False, "is_output": False, "meaning": comments[name]})  # fmt: skip
    return made


def programs_of(headers, library, namespace):
    programs = {}
    structs = [target(headers.functions[run].parameters[1][1]).name for run, _ in PROGRAMS.values()]
    shared = {one for one in structs if structs.count(one) > 1}  # each program reads a part of it
    for name, (run, table) in PROGRAMS.items():
        function = headers.functions[run]
        options = target(function.parameters[1][1]).name
        result = target(target(function.parameters[2][1])).name
        rows = options_of(library, namespace, getattr(library, table)(), namespace[options])
        if options not in shared:
            rows += members_without_rows(headers, namespace[options], rows)
        programs[name] = {
            "run": run, "table": table, "options_struct": options, "result_struct": result,
            "destroy": destroyer(headers, result), "options": rows,
            "comment": function.comment,
        }  # fmt: skip
    return programs


def queries_of(library, namespace):
    """The classes of queries of trajectories, with their parameters."""
    kinds = {n: name[len("QN_PARAMETER_"):].lower() for name, n in namespace["ENUMS"]["qn_parameter_kind"].items()}
    classes, queries, index = library.qn_query_classes(), {}, 0
    while classes[index]:
        one = classes[index].contents
        parameters, number = [], 0
        while one.parameters and one.parameters[number].name:
            row = one.parameters[number]
            parameters.append({
                "name": row.name.decode(), "kind": kinds[row.kind], "choices": (row.choices or b"").decode(),
                "fallback": row.fallback.decode() if row.fallback is not None else None, "least": row.least,
                "most": row.most, "meaning": (row.meaning or b"").decode(),
            })  # fmt: skip
            number += 1
        queries[one.name.decode()] = {"meaning": one.meaning.decode(), "selections": one.selections,
                                      "parameters": parameters}  # fmt: skip
        index += 1
    return queries


def searchers_of(library):
    """The searchers of the tuner with their meanings."""
    names, meanings = (ctypes.POINTER(ctypes.c_char_p)() for _ in range(2))
    count = library.qn_tune_searchers(ctypes.byref(names), ctypes.byref(meanings))
    return {names[i].decode(): meanings[i].decode() for i in range(count)}
