/* Scripts that show the models of an answer in PyMOL and ChimeraX, with the interface of the first one towards the
 * viewer and the residues in the colours of the report's table: those that are in the interface of many poses. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "dock/run.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "math/view.h"

/* ---- the view ---- */

/* Residues whose places are nearer belong to the interface. A place is a Cα, else the first atom. */
static const double near_angstrom = 10;

static void place_of(const qn_molecule *molecule, size_t residue, double place[3])
{
    const qn_residue *of = &molecule->residues[residue];
    const qn_atom *atom = &molecule->atoms[of->first_atom];
    for (size_t i = 0; i < of->atom_count; i++)
        if (strcmp(molecule->atoms[of->first_atom + i].name, "CA") == 0) atom = &molecule->atoms[of->first_atom + i];
    memcpy(place, atom->position_angstrom, 3 * sizeof *place);
}

static void find_mean(const double *places, size_t count, double mean[3])
{
    memset(mean, 0, 3 * sizeof *mean);
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) mean[axis] += places[3 * i + (size_t)axis] / (double)count;
}

/* The middle of the interface: the mean of the places that are near the other partner. False: there are none. */
static bool find_interface(const double *receptor, size_t receptor_count, const double *ligand, size_t ligand_count,
                           double middle[3])
{
    double sum[3] = {0}, count = 0;
    for (size_t i = 0; i < receptor_count; i++)
        for (size_t j = 0; j < ligand_count; j++) {
            if (qn_vector_square_between(receptor + 3 * i, ligand + 3 * j) > near_angstrom * near_angstrom) continue;
            for (size_t axis = 0; axis < 3; axis++) sum[axis] += receptor[3 * i + axis] + ligand[3 * j + axis];
            count += 2;
        }
    for (int axis = 0; axis < 3; axis++) middle[axis] = sum[axis] / count;
    return count > 0;
}

/* The direction from the middle of the receptor to that of the interface; to the ligand's, if the ligand would be
 * behind the receptor otherwise. */
static void find_direction(const double *places, size_t receptor_count, size_t ligand_count, double towards[3])
{
    double receptor[3], ligand[3], interface[3], out[3], ahead = 0;
    const double *of_ligand = places + 3 * receptor_count;
    find_mean(places, receptor_count, receptor);
    find_mean(of_ligand, ligand_count, ligand);
    const bool touches = find_interface(places, receptor_count, of_ligand, ligand_count, interface);
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = ligand[axis] - receptor[axis];
        towards[axis] = touches ? interface[axis] - receptor[axis] : out[axis];
        ahead += out[axis] * towards[axis];
    }
    if (ahead <= 0) memcpy(towards, out, sizeof out);
}

static qn_status find_view(const qn_dock_state *run, const qn_dock_answer *answer, qn_view *view)
{
    const qn_molecule *receptor = run->receptor.molecule, *ligand = run->ligand.molecule;
    const qn_dock_pose *pose = qn_dock_model_pose(answer, 0);
    const size_t count = receptor->residue_count + ligand->residue_count;
    double towards[3];
    void *memory;
    QN_TRY(qn_allocate(3 * count, sizeof(double), &memory));
    double *places = memory;
    for (size_t i = 0; i < receptor->residue_count; i++) place_of(receptor, i, places + 3 * i);
    for (size_t i = 0; i < ligand->residue_count; i++) {
        double before[3], *place = places + 3 * (receptor->residue_count + i);
        place_of(ligand, i, before);
        qn_rotation_apply(pose->matrix, before, place);
        for (int axis = 0; axis < 3; axis++) place[axis] += pose->translation_angstrom[axis];
    }
    find_direction(places, receptor->residue_count, ligand->residue_count, towards);
    qn_view_from(places, count, towards, view);
    qn_release(&memory);
    return QN_OK;
}

/* ---- colours ---- */

/* Shares of the poses, as parts of the largest share, from which a residue has a colour. */
static const struct {
    double part;
    const char *pymol, *chimerax;
} steps[] = {{0.25, "yelloworange", "gold"}, {0.5, "orange", "orange"}, {0.75, "red", "red"}};
enum { STEPS = sizeof steps / sizeof *steps };

static double largest_share(const qn_dock_state *run, const qn_dock_answer *answer)
{
    double largest = 0;
    for (size_t i = 0; i < run->receptor.molecule->residue_count; i++)
        largest = fmax(largest, answer->receptor_contact[i]);
    for (size_t i = 0; i < run->ligand.molecule->residue_count; i++) largest = fmax(largest, answer->ligand_contact[i]);
    return largest;
}

/* The step of a residue: 0, 1 …; −1: it keeps its partner's colour. A number below 0 or a chain without a name cannot
 * be written so that both programs read them. */
static int step_of(const qn_residue *residue, double share, double largest)
{
    int step = -1;
    if (residue->number < 0 || !residue->chain[0] || residue->chain[0] == ' ') return step;
    while (step + 1 < STEPS && share > 0 && share >= steps[step + 1].part * largest) step++;
    return step;
}

/* Append a line for the residues of each chain that have one step: "color red, chain A and resi 40+41" for PyMOL,
 * "color /A:40,41 red" for ChimeraX. */
static qn_status append_step(const qn_molecule *molecule, const double *shares, double largest, int step, bool pymol,
                             qn_text *text)
{
    const char *chain = NULL;
    for (size_t i = 0; i < molecule->residue_count; i++) {
        const qn_residue *residue = &molecule->residues[i];
        const char insertion[2] = {residue->insertion, '\0'};
        if (step_of(residue, shares[i], largest) != step) continue;
        const bool goes_on = chain && strcmp(chain, residue->chain) == 0;
        if (chain && !goes_on) QN_TRY(qn_text_append(text, pymol ? "\n" : " %s\n", steps[step].chimerax));
        if (goes_on)
            QN_TRY(qn_text_append(text, pymol ? "+" : ","));
        else if (pymol)
            QN_TRY(qn_text_append(text, "color %s, chain %s and resi ", steps[step].pymol, residue->chain));
        else
            QN_TRY(qn_text_append(text, "color /%s:", residue->chain));
        QN_TRY(qn_text_append(text, "%d%s", residue->number, insertion));
        chain = residue->chain;
    }
    return chain ? qn_text_append(text, pymol ? "\n" : " %s\n", steps[step].chimerax) : QN_OK;
}

static qn_status append_colours(const qn_dock_state *run, const qn_dock_answer *answer, const qn_molecule *renamed,
                                bool pymol, qn_text *text)
{
    const double largest = largest_share(run, answer);
    QN_TRY(qn_text_append(text,
                          "# Yellow, orange and red: residues in the interface of at least %.1f, %.1f and %.1f %% of "
                          "the %zu poses.\n",
                          100 * steps[0].part * largest, 100 * steps[1].part * largest, 100 * steps[2].part * largest,
                          answer->pose_count));
    for (int step = 0; step < STEPS; step++) {
        QN_TRY(append_step(run->receptor.molecule, answer->receptor_contact, largest, step, pymol, text));
        QN_TRY(append_step(renamed, answer->ligand_contact, largest, step, pymol, text));
    }
    return QN_OK;
}

/* ---- scripts ---- */

/* Append the names of chains, each after `before`: "chain A+B" needs "+", "/A,B" a comma. */
static qn_status append_chains(const char *chains, char between, qn_text *text)
{
    const size_t first = text->length;
    QN_TRY(qn_text_append(text, "%s", chains));
    for (char *c = text->data + first; *c; c++)
        if (*c == ',') *c = between;
    return QN_OK;
}

static qn_status describe_pymol(const qn_dock_state *run, const qn_dock_answer *answer, const qn_molecule *renamed,
                                const char *ligand_chains, qn_text *text)
{
    qn_view view;
    char name[32];
    qn_dock_model_name(run, 0, name);
    *strrchr(name, '.') = '\0';
    QN_TRY(qn_text_append(text, "hide everything\nselect ligand_chains, chain "));
    QN_TRY(append_chains(ligand_chains, '+', text));
    QN_TRY(qn_text_append(text, "\nshow cartoon\ncolor grey80, not ligand_chains\ncolor marine, ligand_chains\n"));
    QN_TRY(append_colours(run, answer, renamed, true, text));
    QN_TRY(qn_text_append(text,
                          "disable all\nenable %s\nshow surface, %s and not ligand_chains\n"
                          "set transparency, 0.3\ndeselect\n",
                          name, name));
    QN_TRY(qn_text_append(text, "# The interface of the first model faces the viewer.\n"));
    QN_TRY(find_view(run, answer, &view));
    QN_TRY(qn_view_append_pymol(&view, text));
    return qn_text_append(text, "zoom %s\n", name);
}

static qn_status describe_chimerax(const qn_dock_state *run, const qn_dock_answer *answer, const qn_molecule *renamed,
                                   const char *ligand_chains, qn_text *text)
{
    qn_view view;
    QN_TRY(qn_text_append(text, "hide atoms\nshow cartoons\nhide models\nshow #1 models\nsurface #1 & ~/"));
    QN_TRY(append_chains(ligand_chains, ',', text));
    QN_TRY(qn_text_append(text, "\ncolor #bbbbbb\ncolor /"));
    QN_TRY(append_chains(ligand_chains, ',', text));
    QN_TRY(qn_text_append(text, " cornflower blue\n"));
    QN_TRY(append_colours(run, answer, renamed, false, text));
    QN_TRY(qn_text_append(text, "transparency #1 40\n# The interface of the first model faces the viewer.\n"));
    QN_TRY(find_view(run, answer, &view));
    QN_TRY(qn_view_append_chimerax(&view, text));
    return qn_text_append(text, "view #1\n");
}

static qn_status write_view(const qn_dock_state *run, const qn_dock_answer *answer, const qn_molecule *renamed,
                            const char *ligand_chains, bool pymol)
{
    qn_text text = {0};
    char *path = NULL, name[32];
    qn_status status = qn_text_append(&text, "# Made by quern dock: open this file in %s from its folder.\n",
                                      pymol ? "PyMOL" : "ChimeraX");
    for (size_t i = 0; i < answer->cluster_count && status == QN_OK; i++) {
        qn_dock_model_name(run, i, name);
        status = qn_text_append(&text, pymol ? "load %s\n" : "open %s\n", name);
    }
    if (status == QN_OK)
        status = (pymol ? describe_pymol : describe_chimerax)(run, answer, renamed, ligand_chains, &text);
    if (status == QN_OK) status = qn_dock_answer_path(run, answer, pymol ? "view.pml" : "view.cxc", &path);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_release(&path);
    qn_text_clear(&text);
    return status;
}

qn_status qn_dock_write_views(const qn_dock_state *run, const qn_dock_answer *answer, const qn_molecule *renamed,
                              const char *ligand_chains)
{
    QN_TRY(write_view(run, answer, renamed, ligand_chains, true));
    return write_view(run, answer, renamed, ligand_chains, false);
}
