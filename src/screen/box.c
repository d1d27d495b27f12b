#include "screen/box.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/residue_selection.h"
#include "score/site.h"
#include "screen/sources.h"

enum { SITE_USUAL = 300 }; /* heavy atoms; a peptide of forty residues has as many */

static const double least_side = 1, most_side = 200;
/* A ligand whose centroid is farther than this (Å) from every atom of the receptor is taken as out of its reach. */
static const double most_distance = 15;

typedef struct box_extent {
    double low[3], high[3];
    size_t count;
} box_extent;

static void add_point(box_extent *extent, const double position[3])
{
    for (int d = 0; d < 3; d++) {
        if (extent->count == 0 || position[d] < extent->low[d]) extent->low[d] = position[d];
        if (extent->count == 0 || position[d] > extent->high[d]) extent->high[d] = position[d];
    }
    extent->count++;
}

qn_status qn_screen_site_read(const qn_screen_options *options, double **positions, size_t *count)
{
    const qn_screen_content *content = options->site_content;
    if (!content) return qn_site_read(options->site, NULL, 0, positions, count);
    QN_TRY(qn_screen_content_check("site_content", content));
    return qn_site_read(content->name, content->bytes, content->size, positions, count);
}

/* Lay the box around the centroid of the known ligand: centroids of other ligands are near it, whatever their sizes. */
static qn_status box_of_site(const qn_screen_options *options, double centre[3], double side[3])
{
    double *positions;
    size_t count;
    QN_TRY(qn_screen_site_read(options, &positions, &count));
    for (int d = 0; d < 3; d++) {
        centre[d] = 0;
        for (size_t i = 0; i < count; i++) centre[d] += positions[3 * i + (size_t)d] / (double)count;
        side[d] = 2 * options->margin_angstrom;
    }
    qn_release(&positions);
    if (count > SITE_USUAL) /* the middle of a protein is no site */
        qn_log(QN_LOG_WARNING, "%s: has %zu heavy atoms, many for a ligand; the box lies around their middle",
               options->site_content ? options->site_content->name : options->site, count);
    return QN_OK;
}

/* "A:30-40,A:77" or "A:30-40,77": mark the residues of each part. A part without a chain takes the chain of the part
 * before it. */
static qn_status mark_pocket(const char *pocket, const qn_molecule *molecule, bool *marks, bool *unused)
{
    char chain[16] = "";
    qn_text text = {0};
    qn_status status = QN_OK;
    for (const char *at = pocket; status == QN_OK;) {
        const size_t length = strcspn(at, ",");
        const char *colon = memchr(at, ':', length);
        if (colon && (size_t)(colon - at) < sizeof chain) snprintf(chain, sizeof chain, "%.*s", (int)(colon - at), at);
        text.length = 0;
        status = qn_text_append(&text, "receptor:%s%s%.*s", colon ? "" : chain, !colon && chain[0] ? ":" : "",
                                (int)length, at);
        if (status == QN_OK) status = qn_residue_selection_mark(text.data, molecule, molecule, marks, unused);
        at += length;
        if (*at++ == '\0') break;
    }
    qn_text_clear(&text);
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "pocket \"%s\"", pocket);
}

static qn_status read_pocket(const char *pocket, const qn_score_receptor *receptor, box_extent *extent)
{
    const qn_molecule *molecule = receptor->molecule;
    void *memory;
    if (!molecule)
        return QN_FAIL(QN_UNSUPPORTED,
                       "pocket \"%s\": the receptor's file names no residues; expected PDB or mmCIF, or a box", pocket);
    QN_TRY(qn_allocate(2 * molecule->residue_count, sizeof(bool), &memory));
    bool *marks = memory;
    qn_status status = mark_pocket(pocket, molecule, marks, marks + molecule->residue_count);
    for (size_t i = 0; status == QN_OK && i < molecule->atom_count; i++)
        if (marks[molecule->atoms[i].residue]) add_point(extent, molecule->atoms[i].position_angstrom);
    qn_release(&memory);
    return status;
}

static qn_status box_of_extent(const box_extent *extent, const char *what, double centre[3], double side[3])
{
    if (extent->count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: no heavy atoms; expected some to lay the box around", what);
    for (int d = 0; d < 3; d++) {
        centre[d] = (extent->low[d] + extent->high[d]) / 2;
        side[d] = extent->high[d] - extent->low[d];
        if (side[d] < least_side) side[d] = least_side;
    }
    return QN_OK;
}

/* No "-0.0". */
static double without_sign(double value)
{
    return fabs(value) < 0.05 ? 0 : value;
}

static qn_status check_box(const qn_score_receptor *receptor, const double centre[3], const double side[3])
{
    double nearest = INFINITY;
    for (int d = 0; d < 3; d++)
        if (!isfinite(centre[d]) || !(side[d] >= least_side && side[d] <= most_side))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "the box has its centre at %g and a side of %g Å along %c; expected %g to %g Å", centre[d],
                           side[d], "xyz"[d], least_side, most_side);
    for (size_t i = 0; i < receptor->atom_count; i++) {
        double square = 0;
        for (int d = 0; d < 3; d++) {
            double away = fabs(receptor->positions_angstrom[3 * i + (size_t)d] - centre[d]) - side[d] / 2;
            if (away > 0) square += away * away;
        }
        nearest = square < nearest ? square : nearest;
    }
    if (!(nearest <= most_distance * most_distance))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the box around %.1f, %.1f, %.1f is %.0f Å away from the receptor; expected at most %.0f Å",
                       without_sign(centre[0]), without_sign(centre[1]), without_sign(centre[2]), sqrt(nearest),
                       most_distance);
    return QN_OK;
}

qn_status qn_screen_box_find(const qn_screen_options *options, const qn_score_receptor *receptor, double centre[3],
                             double side[3])
{
    box_extent extent = {.count = 0};
    const double *asked = options->box_side_angstrom;
    const bool given = asked[0] != 0 || asked[1] != 0 || asked[2] != 0;
    const bool has_site = qn_screen_has_site(options);
    if (given + has_site + (options->pocket != NULL) != 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s of box, site and pocket are given; expected exactly one of them",
                       given || has_site || options->pocket ? "several" : "none");
    if (given) {
        memcpy(centre, options->box_centre_angstrom, 3 * sizeof *centre);
        memcpy(side, asked, 3 * sizeof *side);
    } else if (has_site) {
        QN_TRY(box_of_site(options, centre, side));
    } else {
        QN_TRY(read_pocket(options->pocket, receptor, &extent));
        QN_TRY(box_of_extent(&extent, options->pocket, centre, side));
    }
    return check_box(receptor, centre, side);
}
