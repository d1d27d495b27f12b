#include "potential/maps/model.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const double coulomb = 332.0; /* kcal/mol Å/e², as AutoDock rounds it */

/* Bounds of numbers from files, so that sums over all atoms stay far below the largest number of single precision. */
#define LARGEST_ENERGY 1e9 /* kcal/mol, of a pair */
#define LARGEST_CHARGE_SOLVATION 1e3

qn_potential_settings qn_potential_settings_default(void)
{
    return (qn_potential_settings){.grid.spacing_angstrom = 0.375,
                                   .smooth_angstrom = 0.5,
                                   .dielectric = -0.1465,
                                   .charge_solvation = 0.01097,
                                   .covalent_half_width_angstrom = 1,
                                   .covalent_barrier = 1000};
}

/* ---- atoms ---- */

static int kind_of(qn_potential_model *model, int type)
{
    for (int i = 0; i < model->kind_count; i++)
        if (model->kind_types[i] == type) return i;
    model->kind_types[model->kind_count] = type;
    return model->kind_count++;
}

static qn_status take_atoms(const qn_potential_receptor *receptor, qn_potential_model *model)
{
    const size_t count = receptor->atom_count;
    model->atom_count = count;
    QN_TRY(qn_allocate(3 * count, sizeof(double), (void **)&model->positions_angstrom));
    QN_TRY(qn_allocate(count, sizeof(double), (void **)&model->charges_e));
    QN_TRY(qn_allocate(count, sizeof(int), (void **)&model->types));
    QN_TRY(qn_allocate(count, sizeof(int), (void **)&model->kinds));
    QN_TRY(qn_allocate(model->parameters->type_count, sizeof(int), (void **)&model->kind_types));
    QN_TRY(qn_allocate(count, sizeof *model->directions, (void **)&model->directions));
    for (size_t i = 0; i < count; i++) {
        const qn_potential_atom *atom = &receptor->atoms[i];
        const int type = qn_potential_type_find(model->parameters, atom->type, strlen(atom->type));
        if (type < 0)
            return QN_FAIL(QN_BAD_FORMAT,
                           "line %zu of the receptor: atom type \"%s\" has no parameters; expected one of AutoDock's, "
                           "or a parameter_file with a line \"atom_par %s ...\"",
                           atom->line, atom->type, atom->type);
        model->types[i] = type;
        model->kinds[i] = kind_of(model, type);
        model->charges_e[i] = atom->charge_e;
        for (int k = 0; k < 3; k++)
            model->positions_angstrom[3 * i + (size_t)k] =
                atom->position_angstrom[k] - model->settings.grid.centre_angstrom[k];
    }
    qn_potential_directions_find(receptor, model->types, model->parameters, model->directions);
    return QN_OK;
}

/* ---- probes and tables ---- */

static qn_status take_probes(qn_potential_model *model)
{
    const qn_potential_settings *settings = &model->settings;
    QN_TRY(qn_allocate((size_t)settings->probe_count, sizeof(int), (void **)&model->probe_types));
    model->covalent_probe = -1;
    for (int i = 0; i < settings->probe_count; i++) {
        const char *name = settings->probes[i];
        model->probe_types[i] = qn_potential_type_find(model->parameters, name, strlen(name));
        if (strcmp(name, QN_POTENTIAL_COVALENT_NAME) == 0) model->covalent_probe = i;
        if (model->probe_types[i] < 0)
            return QN_FAIL(QN_BAD_FORMAT,
                           "ligand atom type \"%s\" has no parameters; expected one of AutoDock's, or a parameter_file "
                           "with a line \"atom_par %s ...\"",
                           name, name);
    }
    return QN_OK;
}

static bool overrides(const qn_potential_model *model, const qn_potential_override *override, int kind, int probe)
{
    const char *one = model->parameters->types[model->kind_types[kind]].name;
    const char *other = model->settings.probes[probe];
    return (strcmp(override->types[0], one) == 0 && strcmp(override->types[1], other) == 0) ||
           (strcmp(override->types[0], other) == 0 && strcmp(override->types[1], one) == 0);
}

bool qn_potential_model_takes(const qn_potential_model *model, const qn_potential_override *override)
{
    for (int kind = 0; kind < model->kind_count; kind++)
        for (int probe = 0; probe < model->settings.probe_count; probe++)
            if (overrides(model, override, kind, probe)) return true;
    return false;
}

static void override_pair(const qn_potential_model *model, int kind, int probe, qn_potential_pair *pair)
{
    for (size_t i = 0; i < model->settings.override_count; i++) {
        const qn_potential_override *override = &model->settings.overrides[i];
        const bool is_bond = pair->is_bond;
        if (overrides(model, override, kind, probe)) *pair = override->pair;
        pair->is_bond = is_bond;
    }
}

/* A parameter file, nbp_coeffs and nbp_r_eps may have numbers of any size. Refuse those whose energies could make sums
 * overflow. */
static qn_status check_table(const qn_potential_model *model, int kind, int probe)
{
    const double *energies = qn_potential_model_energies(model, kind, probe);
    for (int i = 0; i < QN_POTENTIAL_ENTRIES; i++)
        if (!(fabs(energies[i]) <= LARGEST_ENERGY))
            return QN_FAIL(QN_BAD_FORMAT,
                           "an atom of type %s and a probe %s have %g kcal/mol at %g Å; expected at most %g",
                           model->parameters->types[model->kind_types[kind]].name, model->settings.probes[probe],
                           energies[i], (double)i / QN_POTENTIAL_ENTRIES_PER_ANGSTROM, LARGEST_ENERGY);
    return QN_OK;
}

static qn_status make_tables(qn_potential_model *model)
{
    const int probes = model->settings.probe_count, count = model->kind_count * probes;
    QN_TRY(qn_allocate((size_t)count, sizeof *model->pairs, (void **)&model->pairs));
    QN_TRY(qn_allocate((size_t)count * QN_POTENTIAL_ENTRIES, sizeof(double), (void **)&model->energies));
    for (int i = 0; i < count; i++) {
        const int kind = i / probes, probe = i % probes;
        model->pairs[i] = qn_potential_pair_of(model->parameters, model->kind_types[kind], model->probe_types[probe]);
        override_pair(model, kind, probe, &model->pairs[i]);
        qn_potential_pair_table(&model->pairs[i], model->settings.smooth_angstrom,
                                model->energies + (size_t)i * QN_POTENTIAL_ENTRIES);
        QN_TRY(check_table(model, kind, probe));
    }
    if (!(fabs(model->settings.charge_solvation) <= LARGEST_CHARGE_SOLVATION))
        return QN_FAIL(QN_BAD_FORMAT, "qasp is %g; expected a number from %g to %g", model->settings.charge_solvation,
                       -LARGEST_CHARGE_SOLVATION, LARGEST_CHARGE_SOLVATION);
    qn_potential_desolvation_table(model->parameters->desolvation_weight, model->desolvation);
    qn_potential_dielectric_table(model->screening);
    for (int i = 0; i < QN_POTENTIAL_DIELECTRIC_ENTRIES; i++) {
        const double dielectric = model->settings.dielectric < 0 ? model->screening[i] : model->settings.dielectric;
        model->screening[i] = model->parameters->electrostatic_weight * (coulomb / dielectric);
    }
    return QN_OK;
}

static qn_status build(const qn_potential_receptor *receptor, qn_potential_model *model)
{
    QN_TRY(take_atoms(receptor, model));
    QN_TRY(take_probes(model));
    return make_tables(model);
}

qn_status qn_potential_model_create(const qn_potential_settings *settings, const qn_potential_parameters *parameters,
                                    const qn_potential_receptor *receptor, qn_potential_model **out)
{
    *out = NULL;
    qn_potential_model *model;
    QN_TRY(qn_allocate(1, sizeof *model, (void **)&model));
    model->settings = *settings;
    model->parameters = parameters;
    const qn_status status = build(receptor, model);
    if (status == QN_OK)
        *out = model;
    else
        qn_potential_model_destroy(&model);
    return status;
}

void qn_potential_model_destroy(qn_potential_model **pointer)
{
    qn_potential_model *model = *pointer;
    if (!model) return;
    qn_release(&model->positions_angstrom);
    qn_release(&model->charges_e);
    qn_release(&model->types);
    qn_release(&model->kinds);
    qn_release(&model->kind_types);
    qn_release(&model->directions);
    qn_release(&model->probe_types);
    qn_release(&model->pairs);
    qn_release(&model->energies);
    qn_release(pointer);
}
