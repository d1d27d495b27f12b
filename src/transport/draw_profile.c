/* Drawings for the report: a passage's profile with both bounds, radii and residues over one axis, and its tunnel with
 * the way through it from three sides. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "discs/vector.h"
#include "model/atom.h"
#include "model/residue_text.h"
#include "report/axis.h"
#include "report/markup.h"
#include "report/three_views.h"
#include "transport/run.h"

/* Places in the drawing (pixels). LINING: residues that are shown at most. */
enum { LEFT = 84, WIDTH = 620, ENERGY_TOP = 26, ENERGY_HIGH = 210, RADIUS_HIGH = 80, ROW = 15, GAP = 32, LINING = 16 };
/* Of an atom from the disc that its residue lies beside. */
static const double beside_angstrom = 2.5;

typedef struct drawing {
    const qn_passage_summary *summary;
    qn_axis distance;
    qn_text *svg;
} drawing;

/* A panel with an axis of its own. */
typedef struct panel {
    int top, high;
    qn_axis axis;
} panel;

static double x_of(const drawing *self, double distance)
{
    return LEFT + WIDTH * qn_axis_fraction(&self->distance, distance);
}

static double y_of(const panel *in, double value)
{
    return in->top + in->high * (1 - qn_axis_fraction(&in->axis, value));
}

/* ---- panels ---- */

static panel fit_panel(int top, int high, const double *const *values, size_t kinds, size_t count, double low,
                       size_t ticks)
{
    double high_value = -INFINITY;
    panel made = {.top = top, .high = high};
    for (size_t k = 0; k < kinds; k++)
        for (size_t i = 0; i < count; i++) {
            if (!isfinite(values[k][i])) continue;
            low = fmin(low, values[k][i]);
            high_value = fmax(high_value, values[k][i]);
        }
    qn_axis_fit(low, high_value, ticks, &made.axis);
    return made;
}

static qn_status draw_grid(const drawing *self, const panel *in, const char *title)
{
    for (size_t t = 0; t < in->axis.ticks; t++) {
        char label[QN_AXIS_LABEL_BYTES];
        const double y = y_of(in, qn_axis_tick(&in->axis, t));
        (void)qn_axis_label(&in->axis, t, label);
        QN_TRY(
            qn_text_append(self->svg,
                           "<path d=\"M%d %.1fH%d\" stroke=\"#888\" stroke-opacity=\".3\"/><text x=\"%d\" y=\"%.1f\" "
                           "text-anchor=\"end\">%s</text>\n",
                           LEFT, y, LEFT + WIDTH, LEFT - 6, y + 4, label));
    }
    return qn_text_append(self->svg, "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT, in->top - 8, title);
}

static qn_status draw_line(const drawing *self, const panel *in, const double *values, const char *colour)
{
    QN_TRY(qn_text_append(self->svg, "<path fill=\"none\" stroke-width=\"2\" stroke=\"%s\" d=\"", colour));
    for (size_t i = 0; i < self->summary->disc_count; i++)
        QN_TRY(qn_text_append(self->svg, "%c%.1f %.1f", i ? 'L' : 'M', x_of(self, self->summary->distances[i]),
                              y_of(in, values[i])));
    return qn_text_append(self->svg, "\"/>\n");
}

/* Energies of the way on each disc, from the least to the highest. */
static qn_status draw_band(const drawing *self, const panel *in)
{
    const qn_passage_summary *summary = self->summary;
    QN_TRY(qn_text_append(self->svg, "<path fill=\"#cc6611\" fill-opacity=\".25\" d=\""));
    for (size_t i = 0; i < summary->disc_count; i++)
        QN_TRY(qn_text_append(self->svg, "%c%.1f %.1f", i ? 'L' : 'M', x_of(self, summary->distances[i]),
                              y_of(in, summary->upper_most[i])));
    for (size_t i = summary->disc_count; i-- > 0;)
        QN_TRY(qn_text_append(self->svg, "L%.1f %.1f", x_of(self, summary->distances[i]),
                              y_of(in, summary->upper_least[i])));
    return qn_text_append(self->svg, "Z\"/>\n");
}

static qn_status draw_energies(const drawing *self)
{
    const qn_passage_summary *summary = self->summary;
    const double *const values[] = {summary->lower, summary->upper_most, summary->upper_least};
    const bool has_lower = !isnan(summary->lower[0]), has_way = !isnan(summary->upper_most[0]);
    /* The legend is beside the title: on narrow screens the right end of the drawing is out of sight. */
    const char *title = !has_way     ? "energy, kcal/mol: <tspan fill=\"#2266bb\">lower bound</tspan>"
                        : !has_lower ? "energy, kcal/mol: <tspan fill=\"#cc6611\">upper bound</tspan>"
                                     : "energy, kcal/mol: <tspan fill=\"#cc6611\">upper bound</tspan>, "
                                       "<tspan fill=\"#2266bb\">lower bound</tspan>";
    const panel in = fit_panel(ENERGY_TOP, ENERGY_HIGH, values, 3, summary->disc_count, INFINITY, 7);
    QN_TRY(draw_grid(self, &in, title));
    if (has_way) QN_TRY(draw_band(self, &in));
    if (has_way) QN_TRY(draw_line(self, &in, summary->upper_most, "#cc6611"));
    return has_lower ? draw_line(self, &in, summary->lower, "#2266bb") : QN_OK;
}

static qn_status draw_radii(const drawing *self, int top)
{
    const qn_passage_summary *summary = self->summary;
    const double *const values[] = {summary->radii};
    const panel in = fit_panel(top, RADIUS_HIGH, values, 1, summary->disc_count, 0, 4);
    QN_TRY(draw_grid(self, &in, "radius of the disc, Å"));
    return draw_line(self, &in, summary->radii, "#22883a");
}

/* ---- residues beside the discs ---- */

typedef struct lining_row {
    int residue, discs; /* discs that it lies beside */
    double middle;      /* mean number of these */
} lining_row;

static int compare_by_discs(const void *left, const void *right)
{
    const lining_row *a = left, *b = right;
    return a->discs != b->discs ? b->discs - a->discs : a->residue - b->residue;
}

static int compare_by_place(const void *left, const void *right)
{
    const lining_row *a = left, *b = right;
    if (a->middle != b->middle) return a->middle < b->middle ? -1 : 1;
    return a->residue - b->residue;
}

static double distance_from_disc(const qn_tunnel_disc *disc, const double place[3])
{
    const double height = qn_height(place, disc->centre, disc->normal), far = qn_distance(place, disc->centre);
    const double across = fmax(0, sqrt(fmax(0, far * far - height * height)) - disc->radius);
    return sqrt(height * height + across * across);
}

/* Mark [residue][disc]. */
static void mark_lining(const qn_score_receptor *receptor, const qn_discs *discs, bool *marks)
{
    for (size_t i = 0; i < receptor->atom_count; i++)
        for (int d = 0; d < discs->count; d++)
            if (distance_from_disc(&discs->discs[d], receptor->positions_angstrom + 3 * i) < beside_angstrom)
                marks[(size_t)receptor->residues[i] * (size_t)discs->count + (size_t)d] = true;
}

/* Choose the residues beside the most discs, in the order of travel; returns their number. */
static int choose_rows(size_t residues, int discs, const bool *marks, lining_row *rows)
{
    int count = 0;
    for (size_t r = 0; r < residues; r++) {
        lining_row row = {.residue = (int)r};
        for (int d = 0; d < discs; d++)
            if (marks[r * (size_t)discs + (size_t)d]) row.discs++, row.middle += d;
        if (row.discs == 0) continue;
        row.middle /= row.discs;
        rows[count++] = row;
    }
    if (count > 0) qsort(rows, (size_t)count, sizeof *rows, compare_by_discs);
    if (count > LINING) count = LINING;
    if (count > 0) qsort(rows, (size_t)count, sizeof *rows, compare_by_place);
    return count;
}

/* A row of rectangles, each from halfway to the disc before to halfway to the next. */
static qn_status draw_row(const drawing *self, const char *label, const bool *marks, int y)
{
    const double *at = self->summary->distances;
    const size_t count = self->summary->disc_count;
    QN_TRY(qn_text_append(self->svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 6, y + 10));
    QN_TRY(qn_markup_text(self->svg, label));
    QN_TRY(qn_text_append(self->svg, "</text>\n"));
    for (size_t i = 0; i < count; i++) {
        if (!marks[i]) continue;
        const double from = x_of(self, i > 0 ? 0.5 * (at[i - 1] + at[i]) : at[i]);
        const double to = x_of(self, i + 1 < count ? 0.5 * (at[i] + at[i + 1]) : at[i]);
        QN_TRY(qn_text_append(self->svg,
                              "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#777\" "
                              "fill-opacity=\".7\"/>\n",
                              from, y + 1, fmax(1, to - from), ROW - 4));
    }
    return QN_OK;
}

static qn_status draw_lining(const drawing *self, const qn_score_receptor *receptor, const qn_discs *discs, int top,
                             int *rows)
{
    bool *marks = NULL;
    lining_row *list = NULL;
    *rows = 0;
    if (!receptor->residues) return QN_OK;
    const size_t residues = receptor->molecule->residue_count;
    qn_status status = qn_allocate(residues * (size_t)discs->count, sizeof *marks, (void **)&marks);
    if (status == QN_OK) status = qn_allocate(residues, sizeof *list, (void **)&list);
    if (status == QN_OK) {
        mark_lining(receptor, discs, marks);
        *rows = choose_rows(residues, discs->count, marks, list);
        status = qn_text_append(self->svg, "<text x=\"%d\" y=\"%d\">residues beside the discs</text>\n", LEFT, top - 6);
    }
    for (int i = 0; i < *rows && status == QN_OK; i++)
        status = draw_row(self, qn_residue_label(&receptor->molecule->residues[list[i].residue]).text,
                          marks + (size_t)list[i].residue * (size_t)discs->count, top + ROW * i);
    qn_release(&list);
    qn_release(&marks);
    return status;
}

/* ---- the profile ---- */

static qn_status draw_distances(const drawing *self, int y, const char *from)
{
    for (size_t t = 0; t < self->distance.ticks; t++) {
        char label[QN_AXIS_LABEL_BYTES];
        const double x = x_of(self, qn_axis_tick(&self->distance, t));
        (void)qn_axis_label(&self->distance, t, label);
        QN_TRY(
            qn_text_append(self->svg,
                           "<path d=\"M%.1f %dV%d\" stroke=\"#888\" stroke-opacity=\".3\"/><text x=\"%.1f\" y=\"%d\" "
                           "text-anchor=\"middle\">%s</text>\n",
                           x, ENERGY_TOP, y, x, y + 15, label));
    }
    return qn_text_append(self->svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">distance from %s, Å</text>\n",
                          LEFT + WIDTH / 2, y + 32, from);
}

static qn_status draw_panels(const qn_transport_state *run, const drawing *self, const qn_discs *discs, int *bottom)
{
    const int radii = ENERGY_TOP + ENERGY_HIGH + GAP + 8, lining = radii + RADIUS_HIGH + GAP + 8;
    int rows;
    QN_TRY(draw_energies(self));
    QN_TRY(draw_radii(self, radii));
    QN_TRY(draw_lining(self, &run->reader.receptor, discs, lining, &rows));
    const int end = rows > 0 ? lining + ROW * rows : radii + RADIUS_HIGH;
    *bottom = end + 40;
    return draw_distances(self, end, run->inwards ? "the mouth" : "inside");
}

qn_status qn_transport_draw_profile(const qn_transport_state *run, const qn_passage_summary *summary,
                                    const qn_discs *discs, char **svg)
{
    qn_text body = {0}, whole = {0};
    drawing self = {.summary = summary, .svg = &body};
    int bottom = 0;
    qn_axis_fit(0, summary->distances[summary->disc_count - 1], 9, &self.distance);
    qn_status status = draw_panels(run, &self, discs, &bottom);
    if (status == QN_OK)
        status = qn_text_append(&whole,
                                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-size=\"12\" "
                                "font-family=\"sans-serif\" fill=\"#777\">\n%s</svg>\n",
                                LEFT + WIDTH + 20, bottom, body.data);
    qn_text_clear(&body);
    *svg = whole.data;
    if (status != QN_OK) qn_release(svg);
    return status;
}

/* ---- three views ---- */

static void find_corners(const qn_score_receptor *receptor, const qn_discs *discs, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY, high[k] = -INFINITY;
        for (size_t i = 0; i < receptor->atom_count; i++) {
            low[k] = fmin(low[k], receptor->positions_angstrom[3 * i + (size_t)k]);
            high[k] = fmax(high[k], receptor->positions_angstrom[3 * i + (size_t)k]);
        }
        for (int d = 0; d < discs->count; d++) {
            low[k] = fmin(low[k], discs->discs[d].centre[k]);
            high[k] = fmax(high[k], discs->discs[d].centre[k]);
        }
    }
}

static qn_status draw_scene(const qn_score_receptor *receptor, const qn_discs *discs, const qn_disc_pose *poses,
                            int count, qn_three_views *views)
{
    for (size_t i = 0; receptor->molecule && i < receptor->molecule->atom_count; i++)
        if (qn_atom_is_c_alpha(&receptor->molecule->atoms[i]))
            QN_TRY(qn_three_views_dot(views, receptor->molecule->atoms[i].position_angstrom, 1.5, "fill=\"#999\""));
    for (int d = 0; d < discs->count; d++)
        QN_TRY(qn_three_views_sphere(views, discs->discs[d].centre, discs->discs[d].radius,
                                     "fill=\"#2266bb\" fill-opacity=\".15\""));
    for (int i = 0; i < count; i++) QN_TRY(qn_three_views_dot(views, poses[i].pose.place, 1.5, "fill=\"#cc6611\""));
    return QN_OK;
}

qn_status qn_transport_draw_views(const qn_transport_state *run, const qn_discs *discs, const qn_disc_pose *poses,
                                  int count, char **svg)
{
    double low[3], high[3];
    qn_three_views views;
    qn_text text = {0};
    find_corners(&run->reader.receptor, discs, low, high);
    qn_three_views_begin(low, high, &views);
    qn_status status = draw_scene(&run->reader.receptor, discs, poses, count, &views);
    if (status == QN_OK) status = qn_three_views_end(&views, &text);
    qn_three_views_clear(&views);
    *svg = text.data;
    if (status != QN_OK) qn_release(svg);
    return status;
}
