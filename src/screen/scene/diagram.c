#include "screen/scene/diagram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/markup.h"
#include "screen/scene/layout.h"

enum { WIDTH = 560, HEIGHT = 420, RESIDUES = 16, SPREADS = 200 };

/* Share of the ring of residues that the molecule fills; the largest length of a bond in pixels, and that in drawings
 * of the molecule alone, which are shown smaller, so that letters must be larger. */
static const double filled = 0.68, longest_bond = 34, bond_alone = 25, pi = 3.14159265358979323846;

static const char *const colours[QN_CONTACT_KINDS] = {
    [QN_CONTACT_METAL] = "#7b2fbe", [QN_CONTACT_HYDROGEN_BOND] = "#0072b2",
    [QN_CONTACT_POLAR] = "#0072b2", [QN_CONTACT_HYDROPHOBIC] = "#7a6a00",
    [QN_CONTACT_NEAR] = "#777",
};

/* A residue on the ring, at an angle. */
typedef struct shown_residue {
    int residue;
    qn_contact_kind kind; /* of its first contact */
    double wanted, angle;
} shown_residue;

typedef struct diagram {
    const qn_score_receptor *receptor;
    const qn_compound *compound;
    qn_layout layout;
    double scale; /* pixels of a bond */
    double middle[2];
    shown_residue shown[RESIDUES];
    size_t count;
    size_t *place_of; /* index in the layout of each atom of the compound */
} diagram;

static double place(const diagram *drawing, size_t index, int axis)
{
    const double size[2] = {WIDTH, HEIGHT}, sign = axis == 0 ? 1 : -1;
    return 0.5 * size[axis] + sign * drawing->scale * (drawing->layout.places[index][axis] - drawing->middle[axis]);
}

static void ring_place(double angle, double at[2])
{
    at[0] = 0.5 * WIDTH + (0.5 * WIDTH - 60) * cos(angle);
    at[1] = 0.5 * HEIGHT - (0.5 * HEIGHT - 22) * sin(angle);
}

static void fit(diagram *drawing)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < drawing->layout.count; i++)
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], drawing->layout.places[i][k]);
            high[k] = fmax(high[k], drawing->layout.places[i][k]);
        }
    const double across = filled * (WIDTH - 120) / fmax(high[0] - low[0], 1);
    const double down = filled * (HEIGHT - 44) / fmax(high[1] - low[1], 1);
    drawing->scale = fmin(fmin(across, down), longest_bond);
    for (int k = 0; k < 2; k++) drawing->middle[k] = 0.5 * (low[k] + high[k]);
}

/* Choose the first residues, in the direction in which they touch the molecule. */
static void choose(diagram *drawing, const qn_contact *contacts, size_t count)
{
    for (size_t i = 0; i < count && drawing->count < RESIDUES; i++) {
        const qn_contact *contact = &contacts[i];
        const size_t at = drawing->place_of[contact->atom];
        double direction[2];
        bool known = false;
        for (size_t k = 0; k < drawing->count; k++) known = known || drawing->shown[k].residue == contact->residue;
        if (known) continue;
        for (int axis = 0; axis < 2; axis++) {
            direction[axis] = drawing->layout.places[at][axis] - drawing->middle[axis];
            for (int k = 0; k < 3; k++)
                direction[axis] += drawing->layout.axes[axis][k] *
                                   (drawing->receptor->positions_angstrom[3 * contact->partner + (size_t)k] -
                                    drawing->compound->positions_angstrom[3 * contact->atom + (size_t)k]);
        }
        const double angle = atan2(direction[1], direction[0]);
        drawing->shown[drawing->count++] = (shown_residue){contact->residue, contact->kind, angle, angle};
    }
}

/* Order the residues by angle and move neighbours apart until their labels have room. */
static void spread(diagram *drawing)
{
    const size_t n = drawing->count;
    const double gap = fmin(2 * pi / (double)(n > 0 ? n : 1), 0.42);
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && drawing->shown[k].wanted < drawing->shown[k - 1].wanted; k--) {
            const shown_residue swapped = drawing->shown[k];
            drawing->shown[k] = drawing->shown[k - 1];
            drawing->shown[k - 1] = swapped;
        }
    for (int step = 0; step < SPREADS && n > 1; step++)
        for (size_t i = 0; i < n; i++) {
            shown_residue *a = &drawing->shown[i], *b = &drawing->shown[(i + 1) % n];
            const double between = b->angle - a->angle + (i + 1 == n ? 2 * pi : 0);
            if (between >= gap) continue;
            a->angle -= 0.5 * (gap - between);
            b->angle += 0.5 * (gap - between);
        }
}

static qn_status draw_bond(const diagram *drawing, const qn_compound_bond *bond, qn_text *svg)
{
    const size_t a = drawing->place_of[bond->first], b = drawing->place_of[bond->second];
    const double x1 = place(drawing, a, 0), y1 = place(drawing, a, 1), x2 = place(drawing, b, 0);
    const double y2 = place(drawing, b, 1), length = fmax(hypot(x2 - x1, y2 - y1), 1e-6);
    const int lines = bond->order == QN_BOND_DOUBLE || bond->order == QN_BOND_AROMATIC ? 2
                      : bond->order == QN_BOND_TRIPLE                                  ? 3
                                                                                       : 1;
    for (int i = 0; i < lines; i++) {
        const double aside = 4.4 * (i - 0.5 * (lines - 1)), dx = -aside * (y2 - y1) / length,
                     dy = aside * (x2 - x1) / length;
        const bool dashed = bond->order == QN_BOND_AROMATIC && i == 1;
        QN_TRY(qn_text_append(svg, "<path d=\"M%.1f %.1fL%.1f %.1f\"%s/>", x1 + dx, y1 + dy, x2 + dx, y2 + dy,
                              dashed ? " stroke-dasharray=\"3 3\"" : ""));
    }
    return QN_OK;
}

static qn_status draw_bonds(const diagram *drawing, qn_text *svg)
{
    const qn_compound *compound = drawing->compound;
    QN_TRY(qn_text_append(svg, "<g stroke=\"#222\" stroke-width=\"1.6\" stroke-linecap=\"round\">"));
    for (size_t i = 0; i < compound->bond_count; i++)
        if (!qn_compound_atom_is_hydrogen(&compound->atoms[compound->bonds[i].first]) &&
            !qn_compound_atom_is_hydrogen(&compound->atoms[compound->bonds[i].second]))
            QN_TRY(draw_bond(drawing, &compound->bonds[i], svg));
    return qn_text_append(svg, "</g>\n");
}

/* Letters of the atoms other than carbon, on white, so that they interrupt bonds. */
static qn_status draw_letters(const diagram *drawing, qn_text *svg)
{
    for (size_t i = 0; i < drawing->layout.count; i++) {
        const char *element = drawing->compound->atoms[drawing->layout.atoms[i]].element;
        const char *colour = strcmp(element, "N") == 0 ? "#2244cc" : strcmp(element, "O") == 0 ? "#cc2211" : "#117733";
        const double x = place(drawing, i, 0), y = place(drawing, i, 1);
        char name[4];
        if (strcmp(element, "C") == 0) continue;
        snprintf(name, sizeof name, "%.1s%s", element, strlen(element) < 2 ? "" : element[1] == 'L' ? "l" : "r");
        QN_TRY(qn_text_append(svg,
                              "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"9\" fill=\"#fff\"/><text x=\"%.1f\" y=\"%.1f\" "
                              "fill=\"%s\" font-weight=\"bold\">%s</text>\n",
                              x, y, x, y + 5.4, colour, name));
    }
    return QN_OK;
}

static const shown_residue *find_shown(const diagram *drawing, int residue)
{
    for (size_t i = 0; i < drawing->count; i++)
        if (drawing->shown[i].residue == residue) return &drawing->shown[i];
    return NULL;
}

/* A line from the atom towards the residue's label, which stays free, with the distance of polar contacts. */
static qn_status draw_line(const diagram *drawing, const qn_contact *contact, qn_text *svg)
{
    const shown_residue *shown = find_shown(drawing, contact->residue);
    const size_t at = drawing->place_of[contact->atom];
    double end[2];
    if (!shown || contact->kind == QN_CONTACT_NEAR) return QN_OK;
    ring_place(shown->angle, end);
    const double x = place(drawing, at, 0), y = place(drawing, at, 1), dx = end[0] - x, dy = end[1] - y;
    const double length = fmax(hypot(dx, dy), 1e-6),
                 free = fmin(48 / fmax(fabs(dx / length), 1e-6), 13 / fmax(fabs(dy / length), 1e-6));
    const double share = fmax(0, 1 - free / length), tx = x + share * dx, ty = y + share * dy;
    const bool polar = contact->kind <= QN_CONTACT_POLAR;
    QN_TRY(qn_text_append(svg,
                          "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%s\" "
                          "stroke-dasharray=\"%s\"/>\n",
                          x, y, tx, ty, colours[contact->kind], polar ? "1.8" : "1.2", polar ? "6 4" : "1.5 4"));
    if (!polar) return QN_OK;
    return qn_text_append(svg,
                          "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" font-size=\"14\" stroke=\"#fff\" "
                          "stroke-width=\"4\" paint-order=\"stroke\">%.1f</text>\n",
                          0.4 * x + 0.6 * tx, 0.4 * y + 0.6 * ty + 4, colours[contact->kind],
                          contact->distance_angstrom);
}

static qn_status draw_residues(const diagram *drawing, qn_text *svg)
{
    for (size_t i = 0; i < drawing->count; i++) {
        const qn_residue *residue = &drawing->receptor->molecule->residues[drawing->shown[i].residue];
        double at[2];
        char label[40];
        ring_place(drawing->shown[i].angle, at);
        snprintf(label, sizeof label, "%s%s%s %d%.1s", residue->chain, residue->chain[0] ? " " : "", residue->name,
                 residue->number, &residue->insertion);
        QN_TRY(qn_text_append(svg, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">", at[0], at[1] + 5.2,
                              colours[drawing->shown[i].kind]));
        QN_TRY(qn_markup_text(svg, label));
        QN_TRY(qn_text_append(svg, "</text>\n"));
    }
    return QN_OK;
}

static qn_status begin(const double extent[2], qn_text *svg)
{
    return qn_text_append(svg,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.1f %.1f %.1f %.1f\" "
                          "font-family=\"sans-serif\" font-size=\"15\" text-anchor=\"middle\" fill=\"none\">\n",
                          0.5 * (WIDTH - extent[0]), 0.5 * (HEIGHT - extent[1]), extent[0], extent[1]);
}

static qn_status draw(diagram *drawing, const qn_contact *contacts, size_t count, qn_text *svg)
{
    fit(drawing);
    choose(drawing, contacts, count);
    spread(drawing);
    QN_TRY(begin((const double[2]){WIDTH, HEIGHT}, svg));
    for (size_t i = 0; i < count; i++) QN_TRY(draw_line(drawing, &contacts[i], svg));
    QN_TRY(draw_bonds(drawing, svg));
    QN_TRY(draw_letters(drawing, svg));
    QN_TRY(draw_residues(drawing, svg));
    return qn_text_append(svg, "</svg>\n");
}

/* The molecule at its largest scale, in a drawing that is just large enough. */
static qn_status draw_molecule(diagram *drawing, qn_text *svg)
{
    double extent[2] = {0};
    fit(drawing);
    drawing->scale = bond_alone;
    for (size_t i = 0; i < drawing->layout.count; i++)
        for (int k = 0; k < 2; k++)
            extent[k] = fmax(extent[k], 2 * bond_alone * fabs(drawing->layout.places[i][k] - drawing->middle[k]));
    for (int k = 0; k < 2; k++) extent[k] += 1.2 * bond_alone;
    QN_TRY(begin(extent, svg));
    QN_TRY(draw_bonds(drawing, svg));
    QN_TRY(draw_letters(drawing, svg));
    return qn_text_append(svg, "</svg>\n");
}

static qn_status create(const qn_score_receptor *receptor, const qn_compound *compound, diagram *drawing)
{
    void *memory;
    *drawing = (diagram){.receptor = receptor, .compound = compound};
    QN_TRY(qn_layout_create(compound, &drawing->layout));
    const qn_status status = qn_allocate(compound->atom_count, sizeof *drawing->place_of, &memory);
    if (status != QN_OK) {
        qn_layout_clear(&drawing->layout);
        return status;
    }
    drawing->place_of = memory;
    for (size_t i = 0; i < drawing->layout.count; i++) drawing->place_of[drawing->layout.atoms[i]] = i;
    return QN_OK;
}

static void clear(diagram *drawing)
{
    qn_release(&drawing->place_of);
    qn_layout_clear(&drawing->layout);
}

qn_status qn_diagram_svg(const qn_score_receptor *receptor, const qn_compound *compound, const qn_contact *contacts,
                         size_t count, qn_text *svg)
{
    diagram drawing;
    QN_TRY(create(receptor, compound, &drawing));
    const qn_status status = draw(&drawing, contacts, count, svg);
    clear(&drawing);
    return status;
}

qn_status qn_diagram_molecule_svg(const qn_compound *compound, qn_text *svg)
{
    diagram drawing;
    QN_TRY(create(NULL, compound, &drawing));
    const qn_status status = draw_molecule(&drawing, svg);
    clear(&drawing);
    return status;
}
