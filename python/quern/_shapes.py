"""Lengths of arrays in results where their names do not tell them.

An array `poses` of a struct has `pose_count` elements if there is such a member. All others are here: `one` is the
record that has the array, `root` the whole result. The test python/results sees that every array has a length.
"""

# Members that point to one struct or to none.
SINGLE = {
    ("qn_dock_result", "receptor"), ("qn_dock_result", "ligand"), ("qn_screen_result", "enrichment"),
    ("qn_reconstruct_result", "map"), ("qn_reconstruct_result", "half_1"), ("qn_reconstruct_result", "half_2"),
    ("qn_reconstruct_result", "mask"), ("qn_reconstruct_result", "fsc"), ("qn_reconstruct_result", "weights"),
    ("qn_project_result", "particle_set"),
}  # fmt: skip

# Shapes as functions of the record and the result.
SHAPES = {
    ("qn_cluster_result", "labels"): lambda one, root: (one.count,),
    ("qn_cluster_result", "silhouettes"): lambda one, root: (one.count,),
    ("qn_cluster_result", "medoid_distances"): lambda one, root: (one.count,),
    ("qn_cluster_result", "merges"): lambda one, root: (max(one.count, 1) - 1,),
    ("qn_cluster_result", "names"): lambda one, root: (one.count,),
    ("qn_deform_result", "positions"): lambda one, root: (one.node_count, 3),
    ("qn_deform_result", "displacements"): lambda one, root: (one.node_count, 3),
    ("qn_deform_result", "reactions"): lambda one, root: (one.node_count, 3),
    ("qn_deform_result", "pressures"): lambda one, root: (one.node_count,),
    ("qn_distance_result", "values"): lambda one, root: (one.value_count,),
    ("qn_distance_result", "steps"): lambda one, root: (one.value_count,),
    ("qn_distance_result", "names"): lambda one, root: (one.count + one.reference_count,),
    ("qn_dock_result", "cluster_scores"): lambda one, root: (one.cluster_count,),
    ("qn_dock_result", "restraints_satisfied"): lambda one, root: (one.cluster_count,),
    ("qn_dock_result", "receptor_contacts"): lambda one, root: (root.receptor.residue_count,),
    ("qn_dock_result", "ligand_contacts"): lambda one, root: (root.ligand.residue_count,),
    ("qn_dock_result_set", "receptor_contacts"): lambda one, root: (root.receptor.residue_count,),
    ("qn_dock_result_set", "ligand_contacts"): lambda one, root: (root.ligand.residue_count,),
    ("qn_dock_result_pose", "terms"): lambda one, root: (root.term_count,),
    ("qn_fsc", "frequency_per_angstrom"): lambda one, root: (one.shells,),
    ("qn_fsc", "unmasked"): lambda one, root: (one.shells,),
    ("qn_fsc", "masked"): lambda one, root: (one.shells,),
    ("qn_fsc", "randomised"): lambda one, root: (one.shells,),
    ("qn_fsc", "corrected"): lambda one, root: (one.shells,),
    ("qn_mesh", "positions"): lambda one, root: (one.node_count, 3),
    ("qn_mesh", "node_labels"): lambda one, root: (one.node_count,),
    ("qn_mesh", "elements"): lambda one, root: (one.element_count, 10 if one.order == 2 else 4),
    ("qn_mesh", "element_labels"): lambda one, root: (one.element_count,),
    ("qn_mesh_group", "elements"): lambda one, root: (one.element_count, one.dimension + 1),
    ("qn_particle_set", "optics"): lambda one, root: (one.optics_count,),
    ("qn_particle_set", "classes"): lambda one, root: (one.particle_count,),
    ("qn_potential_map", "values"): lambda one, root: tuple(root.points[::-1]),
    ("qn_project_result", "images"): lambda one, root: (one.image_count, one.image_side, one.image_side),
    ("qn_query_grid", "values"): lambda one, root: tuple(one.counts),
    ("qn_reconstruct_result", "view_counts"): lambda one, root: (one.view_rows, 2 * one.view_rows),
    ("qn_screen_result", "ranking"): lambda one, root: (one.molecule_count,),
    ("qn_screen_result_pose", "positions_angstrom"): lambda one, root: (one.atom_count, 3),
    ("qn_topology", "positions_nm"): lambda one, root: (one.atom_count, 3),
    ("qn_topology", "bonds"): lambda one, root: (one.bond_count,),
    ("qn_trajectory_convert_result", "positions_nm"): lambda one, root: (one.frame_count, one.atom_count, 3),
    ("qn_trajectory_convert_result", "boxes_nm"): lambda one, root: (one.frame_count, 3, 3),
    ("qn_trajectory_convert_result", "times_ps"): lambda one, root: (one.frame_count,),
    ("qn_trajectory_result_table", "values"): lambda one, root: (one.row_count, one.column_count),
    ("qn_transport_passage", "distances_angstrom"): lambda one, root: (one.disc_count,),
    ("qn_transport_passage", "radii_angstrom"): lambda one, root: (one.disc_count,),
    ("qn_transport_passage", "lower"): lambda one, root: (one.disc_count,),
    ("qn_transport_passage", "upper_least"): lambda one, root: (one.disc_count,),
    ("qn_transport_passage", "upper_most"): lambda one, root: (one.disc_count,),
    ("qn_tunnel", "places_angstrom"): lambda one, root: (one.point_count, 3),
    ("qn_tunnel", "radii_angstrom"): lambda one, root: (one.point_count,),
    ("qn_tune_scores", "rows"): lambda one, root: (one.row_count,),
    ("qn_volume", "values"): lambda one, root: tuple(one.counts[::-1]),
}

# Arrays that are as long in every element, so that they are columns of a table.
COLUMNS = {("qn_dock_result_pose", "terms")}

# Members of a fixed length that are matrices.
MATRICES = {
    ("qn_dock_result_pose", "rotation"): (3, 3), ("qn_deform_result", "stiffness"): (3, 3),
    ("qn_topology", "box_nm"): (3, 3),
}  # fmt: skip
