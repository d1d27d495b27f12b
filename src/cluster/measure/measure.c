#include "cluster/measure/measure.h"

#include "cluster/measure/contact.h"
#include "cluster/measure/drmsd.h"
#include "cluster/measure/ligand_rmsd.h"
#include "cluster/measure/rmsd.h"
#include "cluster/measure/scores.h"

const qn_measure *const qn_measures[] = {
    &qn_measure_drmsd,  &qn_measure_rmsd,    &qn_measure_tm_score,    &qn_measure_gdt_ts,
    &qn_measure_maxsub, &qn_measure_contact, &qn_measure_ligand_rmsd, NULL};
