#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/ranking/interface.h"
#include "model/atom.h"
#include "model/residue_names.h"
#include "score/antibody.h"

static const double pi = 3.14159265358979323846;

/* Longest distance at which an atom of the receptor counts for an atom of the ligand. */
static const double near_angstrom = 8;

/* Radius of an atom with its aliphatic hydrogens. */
static double radius_of(const char *element)
{
    static const struct {
        const char *element;
        double radius_angstrom;
    } radii[] = {{"C", 1.85}, {"N", 1.65}, {"O", 1.5}, {"S", 1.9}, {"P", 1.9}, {"SE", 1.95}};
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++)
        if (strcmp(element, radii[i].element) == 0) return radii[i].radius_angstrom;
    return 1.6;
}

static bool is_one_of(const char *name, const char *names)
{
    const size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

static bool is_backbone(char letter, const char *name)
{
    return letter && is_one_of(name, "N CA C O OXT");
}

static qn_surface_kind kind_of(char letter, const qn_atom *atom, bool backbone)
{
    const char *name = atom->name;
    if (strcmp(name, "OXT") == 0 || (!letter && is_one_of(name, "OP1 OP2 O1P O2P"))) return QN_SURFACE_NEGATIVE;
    if (strcmp(atom->element, "C") == 0)
        return letter && !backbone && strchr("FYWH", letter) && strcmp(name, "CB") != 0 ? QN_SURFACE_AROMATIC
                                                                                        : QN_SURFACE_APOLAR;
    if (strcmp(atom->element, "S") == 0 || strcmp(atom->element, "SE") == 0) return QN_SURFACE_APOLAR;
    if (letter && strchr("KR", letter) && is_one_of(name, "NZ NE NH1 NH2")) return QN_SURFACE_POSITIVE;
    if (letter && strchr("DE", letter) && is_one_of(name, "OD1 OD2 OE1 OE2")) return QN_SURFACE_NEGATIVE;
    return QN_SURFACE_POLAR;
}

/* Roles in hydrogen bonds. Both nitrogens of HIS and all hydroxyls take either role. */
static void find_roles(char letter, const qn_atom *atom, qn_surface_atom *into)
{
    const bool nitrogen = strcmp(atom->element, "N") == 0, oxygen = strcmp(atom->element, "O") == 0;
    const bool hydroxyl = oxygen && is_one_of(atom->name, "OG OG1 OH O2'");
    const bool ring = nitrogen && (letter == 'H' ? !into->backbone : !letter);
    into->donor = (nitrogen && !(letter == 'P' && into->backbone)) || hydroxyl;
    into->acceptor = oxygen || ring;
}

static void list_atoms(const qn_dock_partner *partner, qn_surface *surface)
{
    const qn_molecule *molecule = partner->molecule;
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const char letter = qn_amino_acid_letter(molecule->residues[r].name);
        const char *place = letter ? strchr(QN_SURFACE_AMINO_ACIDS, letter) : NULL;
        surface->amino[r] = place ? (int)(place - QN_SURFACE_AMINO_ACIDS) : -1;
    }
    for (size_t i = 0; i < molecule->atom_count; i++) {
        const qn_dock_site *site = &partner->sites[i];
        const qn_atom *atom = &molecule->atoms[i];
        if (!site->heavy) continue;
        const char letter = qn_amino_acid_letter(molecule->residues[site->residue].name);
        qn_surface_atom *into = &surface->atoms[surface->atom_count++];
        *into = (qn_surface_atom){.radius_angstrom = radius_of(atom->element),
                                  .type = site->type,
                                  .backbone = is_backbone(letter, atom->name),
                                  .residue = site->residue};
        memcpy(into->position_angstrom, site->position_angstrom, sizeof into->position_angstrom);
        into->kind = kind_of(letter, atom, into->backbone);
        find_roles(letter, atom, into);
    }
}

double qn_surface_share_left(const qn_surface_atom *atom, const qn_surface_atom *other, double distance, double scale)
{
    const double reach = atom->radius_angstrom + QN_SURFACE_PROBE_ANGSTROM;
    const double both = reach + other->radius_angstrom + QN_SURFACE_PROBE_ANGSTROM;
    if (distance >= both) return 1;
    const double covered = (both - distance) * (1 + (other->radius_angstrom - atom->radius_angstrom) / distance);
    return fmax(0, 1 - scale * fmax(0, covered) / (4 * reach));
}

typedef struct area_job {
    const qn_surface *surface;
    size_t atom;
    double share;
} area_job;

static void cover(size_t index, void *user)
{
    area_job *job = user;
    const qn_surface_atom *atom = &job->surface->atoms[job->atom], *other = &job->surface->atoms[index];
    const double bonded_angstrom = 1.95, scale_bonded = 0.8875, scale_apart = 0.3516;
    double squared = 0;
    if (index == job->atom) return;
    for (int axis = 0; axis < 3; axis++) {
        const double apart = atom->position_angstrom[axis] - other->position_angstrom[axis];
        squared += apart * apart;
    }
    const double distance = fmax(sqrt(squared), 0.5);
    job->share *= qn_surface_share_left(atom, other, distance, distance < bonded_angstrom ? scale_bonded : scale_apart);
}

static void measure_areas(qn_surface *surface)
{
    for (size_t i = 0; i < surface->atom_count; i++) {
        qn_surface_atom *atom = &surface->atoms[i];
        const double reach = atom->radius_angstrom + QN_SURFACE_PROBE_ANGSTROM;
        area_job job = {surface, i, 1};
        qn_neighbour_grid_each(surface->near, atom->position_angstrom, cover, &job);
        atom->area_angstrom2 = 4 * pi * reach * reach * job.share;
    }
}

static qn_status find_loops(const qn_molecule *molecule, qn_surface *surface)
{
    qn_antibody_domain *domains;
    size_t count;
    void *memory;
    QN_TRY(qn_allocate(molecule->residue_count, sizeof(bool), &memory));
    surface->loop = memory;
    QN_TRY(qn_antibody_find_cdrs(molecule, surface->loop, &domains, &count));
    qn_release(&domains);
    if (count == 0) qn_release(&surface->loop);
    return QN_OK;
}

static qn_status fill(const qn_dock_partner *partner, qn_surface *surface)
{
    const qn_molecule *molecule = partner->molecule;
    void *memory;
    surface->residue_count = molecule->residue_count;
    QN_TRY(qn_allocate(molecule->atom_count, sizeof *surface->atoms, &memory));
    surface->atoms = memory;
    QN_TRY(qn_allocate(molecule->residue_count, sizeof *surface->amino, &memory));
    surface->amino = memory;
    list_atoms(partner, surface);
    QN_TRY(find_loops(molecule, surface));
    QN_TRY(qn_allocate(3 * surface->atom_count, sizeof(double), &memory));
    double *points = memory;
    for (size_t i = 0; i < surface->atom_count; i++)
        memcpy(points + 3 * i, surface->atoms[i].position_angstrom, 3 * sizeof(double));
    const qn_status status = qn_neighbour_grid_create(points, surface->atom_count, near_angstrom, &surface->near);
    qn_release(&memory);
    QN_TRY(status);
    measure_areas(surface);
    return QN_OK;
}

qn_status qn_surface_create(const qn_dock_partner *partner, qn_surface *surface)
{
    *surface = (qn_surface){0};
    const qn_status status = fill(partner, surface);
    if (status != QN_OK) qn_surface_clear(surface);
    return status;
}

void qn_surface_clear(qn_surface *surface)
{
    qn_release(&surface->atoms);
    qn_release(&surface->amino);
    qn_release(&surface->loop);
    qn_neighbour_grid_destroy(&surface->near);
}
