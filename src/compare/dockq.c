#include "compare/dockq.h"

static double scaled(double rmsd_angstrom, double scale_angstrom)
{
    double ratio = rmsd_angstrom / scale_angstrom;
    return 1 / (1 + ratio * ratio);
}

double qn_dockq(double fnat, double interface_rmsd_angstrom, double ligand_rmsd_angstrom)
{
    return (fnat + scaled(interface_rmsd_angstrom, 1.5) + scaled(ligand_rmsd_angstrom, 8.5)) / 3;
}

qn_capri_class qn_capri_classify(double fnat, double interface_rmsd_angstrom, double ligand_rmsd_angstrom)
{
    double i = interface_rmsd_angstrom, l = ligand_rmsd_angstrom;
    if (fnat >= 0.5 && (l <= 1 || i <= 1)) return QN_CAPRI_HIGH;
    if (fnat >= 0.3 && (l <= 5 || i <= 2)) return QN_CAPRI_MEDIUM;
    if (fnat >= 0.1 && (l <= 10 || i <= 4)) return QN_CAPRI_ACCEPTABLE;
    return QN_CAPRI_INCORRECT;
}

const char *qn_capri_class_name(qn_capri_class capri)
{
    switch (capri) {
    case QN_CAPRI_HIGH: return "high";
    case QN_CAPRI_MEDIUM: return "medium";
    case QN_CAPRI_ACCEPTABLE: return "acceptable";
    case QN_CAPRI_INCORRECT: break;
    }
    return "incorrect";
}
