#include "dock/search/energy.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/receptor_grids.h"
#include "score/electrostatics.h"
#include "score/pair_potential.h"
#include "score/rpsc.h"

/* Order of the ligand grids: these two come first in both scoring functions. */
enum { SHAPE_GRID, CHARGE_GRID, FIRST_PAIR_GRID };

/* Reach of the masks: that of the shape in most coefficient sets, about the reach of a dispersion contact. */
static const double mask_reach_angstrom = 3.6;

static qn_status add_layer(qn_dock_energy *energy, const qn_dock_partner *receptor, qn_dock_layer layer,
                           qn_dock_layer **added)
{
    void *memory;
    layer.cap = layer.cap > 0 ? layer.cap : INFINITY;
    QN_TRY(qn_allocate(receptor->site_count, sizeof(double), &memory));
    layer.weights = memory;
    for (size_t i = 0; i < receptor->site_count; i++)
        if (layer.kind == QN_DOCK_COUNT && receptor->sites[i].heavy) layer.weights[i] = 1;
    energy->layers[energy->layer_count] = layer;
    *added = &energy->layers[energy->layer_count++];
    return QN_OK;
}

/* Index of the layer with this kind and these numbers, or −1. */
static long find_layer(const qn_dock_energy *energy, qn_dock_layer_kind kind, double reach, double length, double cap)
{
    for (size_t i = 0; i < energy->layer_count; i++) {
        const qn_dock_layer *layer = &energy->layers[i];
        if (layer->kind == kind && layer->reach_angstrom == reach && layer->length_angstrom == length &&
            layer->cap == cap)
            return (long)i;
    }
    return -1;
}

/* Allocate the ligand grids, the sets, and layers for all sets, pair terms and masks; fill the first two grids. */
static qn_status allocate(qn_dock_energy *energy, const qn_dock_partner *ligand, int grids, size_t sets, size_t layers)
{
    void *memory;
    memset(energy, 0, sizeof *energy);
    energy->trilinear_grid = CHARGE_GRID;
    QN_TRY(qn_allocate((size_t)grids * ligand->site_count, sizeof(double), &memory));
    energy->ligand_weights = memory;
    QN_TRY(qn_allocate(layers, sizeof(qn_dock_layer), &memory));
    energy->layers = memory;
    QN_TRY(qn_allocate(sets, sizeof(qn_dock_set), &memory));
    energy->sets = memory;
    energy->set_count = sets;
    energy->grid_count = grids;
    for (size_t s = 0; s < sets; s++) {
        QN_TRY(qn_allocate(layers, sizeof(double), &memory));
        energy->sets[s].scale = memory;
    }
    for (size_t i = 0; i < ligand->site_count; i++) {
        energy->ligand_weights[SHAPE_GRID * ligand->site_count + i] = ligand->sites[i].heavy;
        energy->ligand_weights[CHARGE_GRID * ligand->site_count + i] = ligand->sites[i].charge_e;
    }
    return QN_OK;
}

static void use_layer(qn_dock_energy *energy, const qn_dock_layer *layer, double scale)
{
    for (size_t s = 0; s < energy->set_count; s++) energy->sets[s].scale[layer - energy->layers] = scale;
}

static void penalise_outside_cdrs(qn_dock_energy *energy, const qn_dock_layer *layer, const qn_coefficients *sets,
                                  const qn_dock_masks *masks)
{
    for (size_t s = 0; s < energy->set_count; s++)
        if (sets && sets[s].cdrs_only) energy->sets[s].scale[layer - energy->layers] = masks->cdr_penalty;
}

/* Number of ligand grids that the masks need. */
static int mask_grids(const qn_dock_masks *masks)
{
    return masks ? (masks->ligand != NULL) + (masks->ligand_cdrs != NULL) : 0;
}

/* Add the masks of both partners, and penalties outside complementarity-determining regions, as layers of term `term`.
 * The ligand's masks take the last ligand grids. */
static qn_status add_masks(qn_dock_energy *energy, const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                           const qn_coefficients *sets, const qn_dock_masks *masks, int term)
{
    qn_dock_layer *layer;
    const qn_dock_layer blank = {
        .kind = QN_DOCK_COUNT, .term = term, .ligand_grid = SHAPE_GRID, .reach_angstrom = mask_reach_angstrom};
    if (!masks) return QN_OK;
    if (masks->receptor) {
        QN_TRY(add_layer(energy, receptor, blank, &layer));
        for (size_t i = 0; i < receptor->site_count; i++)
            layer->weights[i] *= masks->receptor[receptor->sites[i].residue];
        use_layer(energy, layer, 1);
    }
    if (masks->ligand) {
        int grid = energy->grid_count - 1 - (masks->ligand_cdrs != NULL);
        QN_TRY(add_layer(energy, receptor, blank, &layer));
        layer->ligand_grid = grid;
        use_layer(energy, layer, 1);
        for (size_t i = 0; i < ligand->site_count; i++)
            if (ligand->sites[i].heavy)
                energy->ligand_weights[(size_t)grid * ligand->site_count + i] = masks->ligand[ligand->sites[i].residue];
    }
    if (masks->cdrs) {
        QN_TRY(add_layer(energy, receptor, blank, &layer));
        for (size_t i = 0; i < receptor->site_count; i++)
            if (masks->cdrs[receptor->sites[i].residue]) layer->weights[i] = 0;
        penalise_outside_cdrs(energy, layer, sets, masks);
    }
    if (masks->ligand_cdrs) {
        QN_TRY(add_layer(energy, receptor, blank, &layer));
        layer->ligand_grid = energy->grid_count - 1;
        for (size_t i = 0; i < ligand->site_count; i++)
            energy->ligand_weights[(size_t)layer->ligand_grid * ligand->site_count + i] =
                ligand->sites[i].heavy && !masks->ligand_cdrs[ligand->sites[i].residue];
        penalise_outside_cdrs(energy, layer, sets, masks);
    }
    return QN_OK;
}

static void charge_layer(const qn_dock_partner *receptor, qn_dock_layer *layer)
{
    for (size_t i = 0; i < receptor->site_count; i++) layer->weights[i] = receptor->sites[i].charge_e;
}

enum { REPULSION, ATTRACTION, ELECTROSTATIC, PAIR, MASK };

/* Add the layers that depend on the numbers of a set. A layer is shared with earlier sets that have the same numbers.
 */
static qn_status add_set_layers(qn_dock_energy *energy, const qn_dock_partner *receptor, const qn_coefficients *from,
                                qn_dock_set *set)
{
    qn_dock_layer *layer;
    long attraction = find_layer(energy, QN_DOCK_COUNT, from->reach_angstrom, 0, from->cap);
    if (attraction < 0) {
        attraction = (long)energy->layer_count;
        QN_TRY(add_layer(energy, receptor,
                         (qn_dock_layer){.kind = QN_DOCK_COUNT,
                                         .term = ATTRACTION,
                                         .ligand_grid = SHAPE_GRID,
                                         .reach_angstrom = from->reach_angstrom,
                                         .cap = from->cap},
                         &layer));
    }
    long potential = find_layer(energy, QN_DOCK_POTENTIAL, 0, from->length_angstrom, INFINITY);
    if (potential < 0) {
        potential = (long)energy->layer_count;
        QN_TRY(add_layer(energy, receptor,
                         (qn_dock_layer){.kind = QN_DOCK_POTENTIAL,
                                         .term = ELECTROSTATIC,
                                         .ligand_grid = CHARGE_GRID,
                                         .length_angstrom = from->length_angstrom},
                         &layer));
        charge_layer(receptor, layer);
    }
    set->scale[0] = from->core; /* the core layer is the first */
    set->scale[attraction] = 1;
    set->scale[potential] = 1;
    memcpy(set->name, from->name, sizeof set->name);
    set->weight[REPULSION] = from->repulsion;
    set->weight[ATTRACTION] = from->attraction;
    set->weight[ELECTROSTATIC] = from->electrostatic;
    set->weight[PAIR] = from->pair;
    set->weight[MASK] = 1;
    return QN_OK;
}

/* Add one layer and one ligand grid per eigenvector. */
static qn_status add_pair_terms(qn_dock_energy *energy, const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                                int pair_terms)
{
    for (int p = 0; p < pair_terms; p++) {
        qn_dock_layer *layer;
        int grid = FIRST_PAIR_GRID + p;
        QN_TRY(add_layer(
            energy, receptor,
            (qn_dock_layer){
                .kind = QN_DOCK_NEAR, .term = PAIR, .ligand_grid = grid, .reach_angstrom = QN_PAIR_RANGE_ANGSTROM},
            &layer));
        for (size_t i = 0; i < receptor->site_count; i++) {
            int type = receptor->sites[i].type;
            if (type >= 0) layer->weights[i] = qn_pair_eigenvalue[p] * qn_pair_eigenvector[p][type];
        }
        for (size_t i = 0; i < ligand->site_count; i++) {
            int type = ligand->sites[i].type;
            if (type >= 0) energy->ligand_weights[(size_t)grid * ligand->site_count + i] = qn_pair_eigenvector[p][type];
        }
        use_layer(energy, layer, 1);
    }
    return QN_OK;
}

static qn_status add_piper(qn_dock_energy *energy, const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                           const qn_coefficients *sets, int pair_terms, const qn_dock_masks *masks)
{
    static const char *const names[] = {"repulsion", "attraction", "electrostatic", "pair", "mask"};
    qn_dock_layer *layer;
    energy->term_count = QN_DOCK_TERMS_MAX;
    for (int term = 0; term < QN_DOCK_TERMS_MAX; term++) energy->term_names[term] = names[term];
    QN_TRY(add_layer(energy, receptor, (qn_dock_layer){.kind = QN_DOCK_CORE, .term = REPULSION}, &layer));
    for (size_t s = 0; s < energy->set_count; s++) QN_TRY(add_set_layers(energy, receptor, &sets[s], &energy->sets[s]));
    QN_TRY(add_pair_terms(energy, receptor, ligand, pair_terms));
    return add_masks(energy, receptor, ligand, sets, masks, MASK);
}

qn_status qn_dock_energy_piper(const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                               const qn_coefficients *sets, size_t set_count, int pair_terms,
                               const qn_dock_masks *masks, qn_dock_energy *energy)
{
    int grids = FIRST_PAIR_GRID + pair_terms + mask_grids(masks);
    qn_status status = allocate(energy, ligand, grids, set_count, 5 + 2 * set_count + (size_t)pair_terms);
    if (status == QN_OK) status = add_piper(energy, receptor, ligand, sets, pair_terms, masks);
    if (status != QN_OK) qn_dock_energy_clear(energy);
    return status;
}

static qn_status add_rpsc(qn_dock_energy *energy, const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                          const qn_dock_masks *masks)
{
    enum { RPSC_SHAPE, RPSC_ELECTROSTATIC, RPSC_MASK };
    qn_dock_layer *layer;
    energy->term_count = 3;
    energy->term_names[RPSC_SHAPE] = "shape";
    energy->term_names[RPSC_ELECTROSTATIC] = "electrostatic";
    energy->term_names[RPSC_MASK] = "mask";
    strcpy(energy->sets[0].name, "rpsc");
    energy->sets[0].weight[RPSC_SHAPE] = energy->sets[0].weight[RPSC_MASK] = 1;
    energy->sets[0].weight[RPSC_ELECTROSTATIC] = QN_RPSC_ELECTROSTATIC_WEIGHT;
    QN_TRY(add_layer(energy, receptor, (qn_dock_layer){.kind = QN_DOCK_CORE, .term = RPSC_SHAPE}, &layer));
    use_layer(energy, layer, QN_RPSC_CORE);
    QN_TRY(add_layer(
        energy, receptor,
        (qn_dock_layer){.kind = QN_DOCK_COUNT, .term = RPSC_SHAPE, .reach_angstrom = QN_RPSC_REACH_ANGSTROM}, &layer));
    for (size_t i = 0; i < receptor->site_count; i++)
        if (receptor->sites[i].type >= 0)
            layer->weights[i] *= 1 - QN_RPSC_CONTACT_WEIGHT * qn_rpsc_contact_energy[receptor->sites[i].type];
    use_layer(energy, layer, -1);
    QN_TRY(add_layer(energy, receptor,
                     (qn_dock_layer){.kind = QN_DOCK_POTENTIAL,
                                     .term = RPSC_ELECTROSTATIC,
                                     .ligand_grid = CHARGE_GRID,
                                     .length_angstrom = QN_ELECTROSTATIC_LENGTH_ANGSTROM},
                     &layer));
    charge_layer(receptor, layer);
    use_layer(energy, layer, 1);
    return add_masks(energy, receptor, ligand, NULL, masks, RPSC_MASK);
}

qn_status qn_dock_energy_rpsc(const qn_dock_partner *receptor, const qn_dock_partner *ligand,
                              const qn_dock_masks *masks, qn_dock_energy *energy)
{
    enum { LAYERS_MAX = 6 };
    int grids = FIRST_PAIR_GRID + mask_grids(masks);
    qn_status status = allocate(energy, ligand, grids, 1, LAYERS_MAX);
    if (status == QN_OK) status = add_rpsc(energy, receptor, ligand, masks);
    if (status != QN_OK) qn_dock_energy_clear(energy);
    return status;
}

void qn_dock_energy_clear(qn_dock_energy *energy)
{
    for (size_t i = 0; i < energy->layer_count; i++) {
        qn_release(&energy->layers[i].weights);
        qn_release(&energy->layers[i].values);
    }
    for (size_t s = 0; energy->sets && s < energy->set_count; s++) qn_release(&energy->sets[s].scale);
    qn_release(&energy->layers);
    qn_release(&energy->sets);
    qn_release(&energy->ligand_weights);
    memset(energy, 0, sizeof *energy);
}

void qn_dock_energy_reach(const qn_dock_energy *energy, const qn_dock_partner *receptor, double *contact_angstrom,
                          double *reach_angstrom)
{
    double radius = 0, contact = 0, reach = 0;
    for (size_t i = 0; i < receptor->site_count; i++)
        if (receptor->sites[i].heavy) radius = fmax(radius, (double)receptor->sites[i].radius_angstrom);
    for (size_t i = 0; i < energy->layer_count; i++) {
        const qn_dock_layer *layer = &energy->layers[i];
        if (layer->kind == QN_DOCK_POTENTIAL)
            reach = QN_ELECTROSTATIC_CUTOFF_ANGSTROM;
        else
            contact = fmax(contact, layer->reach_angstrom + (layer->kind == QN_DOCK_NEAR ? 0 : radius));
    }
    *contact_angstrom = contact;
    *reach_angstrom = fmax(contact, reach);
}

qn_status qn_dock_energy_fill(qn_dock_energy *energy, const qn_dock_partner *receptor, const qn_dock_grid *grid,
                              qn_pool *pool)
{
    for (size_t i = 0; i < energy->layer_count; i++) {
        void *memory;
        QN_TRY(qn_allocate(qn_dock_grid_volume(grid), sizeof(float), &memory));
        energy->layers[i].values = memory;
    }
    return qn_dock_receptor_grids(receptor, grid, pool, energy->layers, energy->layer_count);
}

/* Factor of a layer in the weighted energy of a set. */
static float factor_of(const qn_dock_energy *energy, size_t set, size_t layer)
{
    const qn_dock_set *of = &energy->sets[set];
    return (float)(of->scale[layer] * of->weight[energy->layers[layer].term]);
}

static bool is_common(const qn_dock_energy *energy, int ligand_grid)
{
    for (size_t l = 0; l < energy->layer_count; l++)
        for (size_t set = 1; set < energy->set_count && energy->layers[l].ligand_grid == ligand_grid; set++)
            if (factor_of(energy, set, l) != factor_of(energy, 0, l)) return false;
    return true;
}

int qn_dock_energy_common_grids(const qn_dock_energy *energy)
{
    int count = 0;
    if (energy->set_count == 1) return 0;
    while (count + 1 < energy->grid_count && is_common(energy, energy->grid_count - 1 - count)) count++;
    return count;
}

void qn_dock_energy_combine(const qn_dock_energy *energy, size_t set, int ligand_grid, size_t first, size_t count,
                            float *values)
{
    for (size_t cell = 0; cell < count; cell++) values[cell] = 0;
    for (size_t i = 0; i < energy->layer_count; i++) {
        const qn_dock_layer *layer = &energy->layers[i];
        const float factor = factor_of(energy, set, i);
        if (layer->ligand_grid != ligand_grid || factor == 0) continue;
        for (size_t cell = 0; cell < count; cell++) values[cell] += factor * layer->values[first + cell];
    }
}

double qn_dock_energy_total(const qn_dock_energy *energy, size_t set, const double *layer_sums,
                            double terms[QN_DOCK_TERMS_MAX])
{
    const qn_dock_set *of = &energy->sets[set];
    double total = 0;
    for (int term = 0; term < QN_DOCK_TERMS_MAX; term++) terms[term] = 0;
    for (size_t i = 0; i < energy->layer_count; i++)
        if (of->scale[i] != 0) terms[energy->layers[i].term] += of->scale[i] * layer_sums[i];
    for (int term = 0; term < energy->term_count; term++) total += of->weight[term] * terms[term];
    return total;
}
