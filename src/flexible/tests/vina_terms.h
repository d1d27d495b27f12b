/* Output of AutoDock Vina 1.2.3 for `vina --score_only --autobox` (kcal/mol): the estimated free energy of binding,
 * the intermolecular energy and the total internal energy of the crystal poses of 42 + 3 complexes. */
#ifndef QN_FLEXIBLE_TESTS_VINA_TERMS_H
#define QN_FLEXIBLE_TESTS_VINA_TERMS_H

typedef struct vina_case {
    const char *receptor, *ligand; /* below the folder of reference data */
    double affinity, inter, intra;
} vina_case;

#define OF_42(name) "docking/flexible42/" name "/protein.pdbqt.gz", "docking/flexible42/" name "/flex-xray.pdbqt"
#define OF_3(name, receptor) "docking/ligand/" name "/" name receptor, "docking/ligand/" name "/" name "_ligand.pdbqt"

static const vina_case vina_terms[] = {
    {OF_42("1ac8"), -3.278, -3.278, 0.000},
    {OF_42("1gkc"), -5.446, -7.993, -0.651},
    {OF_42("1hnn"), -7.581, -8.246, -0.086},
    {OF_42("1hwi"), -8.068, -12.313, -1.257},
    {OF_42("1ig3"), -6.752, -8.725, -0.237},
    {OF_42("1jje"), -7.578, -10.679, 0.438},
    {OF_42("1jla"), -10.840, -15.277, -0.720},
    {OF_42("1jyq"), -7.314, -15.652, -0.887},
    {OF_42("1k3u"), -9.287, -12.544, 0.336},
    {OF_42("1kzk"), -12.009, -19.029, -1.702},
    {OF_42("1l7f"), -7.985, -11.487, -0.533},
    {OF_42("1lpz"), -9.870, -13.332, -0.466},
    {OF_42("1lrh"), -6.928, -7.738, 0.165},
    {OF_42("1m2z"), -11.936, -14.379, 0.139},
    {OF_42("1mzc"), -8.591, -12.358, -1.528},
    {OF_42("1n46"), -11.791, -14.892, -0.760},
    {OF_42("1nav"), -9.313, -12.307, -0.791},
    {OF_42("1of6"), -7.250, -8.945, -0.167},
    {OF_42("1opk"), -11.659, -14.044, -0.305},
    {OF_42("1owe"), -7.771, -9.134, -0.052},
    {OF_42("1p2y"), -3.555, -3.763, 0.028},
    {OF_42("1p62"), -7.851, -9.228, -0.300},
    {OF_42("1pmn"), -9.620, -12.994, -0.659},
    {OF_42("1r55"), -5.176, -7.748, -0.648},
    {OF_42("1sq5"), -4.678, -6.592, -0.650},
    {OF_42("1t40"), -11.066, -14.948, -0.466},
    {OF_42("1t46"), -14.440, -19.505, -0.261},
    {OF_42("1v0p"), -8.294, -11.931, -0.134},
    {OF_42("1y6b"), -9.341, -13.709, -1.299},
    {OF_42("1yqy"), -8.552, -11.051, -0.542},
    {OF_42("1yv3"), -12.136, -13.200, 0.013},
    {OF_42("1ywr"), -10.321, -13.338, 0.013},
    {OF_42("2bm2"), -8.229, -11.355, -0.945},
    {OF_42("2brt"), -5.445, -6.241, -0.248},
    {OF_42("2bsm"), -8.987, -12.140, -0.109},
    {OF_42("2vaa"), -9.394, -26.144, -3.930},
    {OF_42("2wbg"), -7.177, -10.953, -0.239},
    {OF_42("2xy9"), -9.565, -19.350, -1.932},
    {OF_42("3drf"), 442.828, 1064.134, -2.029},
    {OF_42("3er5"), -6.624, -18.436, -0.688},
    {OF_42("5wlo"), -11.272, -17.532, -1.977},
    {OF_42("7cpa"), -4.116, -7.725, -1.748},
    {OF_3("1iep", "_receptor.pdbqt"), -12.513, -17.634, -0.485},
    {OF_3("1stp", "_protein.pdbqt"), -6.725, -8.691, -0.186},
    {OF_3("3ce3", "_protein.pdbqt"), -10.479, -13.542, -0.708},
};

#endif
