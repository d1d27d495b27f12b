/* The tree of a hierarchical method: a drawing of its upper part, and the whole in Newick format. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cluster/run.h"
#include "report/axis.h"
#include "report/markup.h"
#include "report/number.h"

/* ---- Newick ---- */

/* Append a label: as it is if it has none of the format's special characters, else in quotes, with inner ones doubled.
 */
static qn_status append_name(const char *name, qn_text *text)
{
    if (name[0] != '\0' && !strpbrk(name, " \t\n\r()[]{},;:='\"_")) return qn_text_append(text, "%s", name);
    QN_TRY(qn_text_append(text, "'"));
    for (const char *at = name; *at; at++)
        QN_TRY(*at == '\'' ? qn_text_append(text, "''") : qn_text_append_bytes(text, at, 1));
    return qn_text_append(text, "'");
}

/* A cluster whose text is begun. They are on a stack of our own, because a tree may have thousands of levels. */
typedef struct open_cluster {
    uint32_t cluster;
    int parts; /* written or begun */
} open_cluster;

static double height_of(const qn_clustering *run, uint32_t cluster)
{
    return cluster < run->count ? 0 : (double)run->merges[cluster - run->count].height;
}

/* End a cluster's text with the length of its branch, up to the cluster that it is a part of. */
static qn_status end_branch(const qn_clustering *run, const open_cluster *stack, size_t depth, qn_text *text)
{
    char length[QN_NUMBER_LENGTH];
    if (depth == 1) return QN_OK;
    const double below = height_of(run, stack[depth - 1].cluster), above = height_of(run, stack[depth - 2].cluster);
    qn_number_format(above - below, QN_NUMBER_GENERAL, 7, length);
    return qn_text_append(text, ":%s", length);
}

static qn_status append_tree(const qn_clustering *run, open_cluster *stack, qn_text *text)
{
    size_t depth = 1;
    stack[0] = (open_cluster){.cluster = (uint32_t)(run->count > 1 ? 2 * run->count - 2 : 0)};
    while (depth > 0) {
        open_cluster *top = &stack[depth - 1];
        if (top->cluster < run->count) {
            QN_TRY(append_name(run->result->names[top->cluster], text));
        } else if (top->parts < 2) {
            const qn_merge *merge = &run->merges[top->cluster - run->count];
            QN_TRY(qn_text_append(text, top->parts == 0 ? "(" : ","));
            stack[depth++] = (open_cluster){.cluster = top->parts++ == 0 ? merge->first : merge->second};
            continue;
        } else {
            QN_TRY(qn_text_append(text, ")"));
        }
        QN_TRY(end_branch(run, stack, depth, text));
        depth--;
    }
    return qn_text_append(text, ";\n");
}

/* ---- drawing ---- */

/* In units of about a CSS pixel. */
static const double width = 840, top = 52, row_height = 16, label_width = 230, margin = 16;
enum { LEAVES_MAX = 60, LABEL_LENGTH = 24, MIXED = -1, COLOURS = 7 };

/* The last merges of the tree, and the clusters at their lower ends. */
typedef struct pruned_tree {
    const qn_clustering *run;
    size_t leaves;    /* shown */
    uint32_t first;   /* merges of this number and later are shown */
    size_t *place;    /* of each cluster: its first structure in the order of the tree */
    int *label;       /* of each cluster: the cluster that all its structures belong to, or MIXED */
    uint32_t *lowest; /* [leaves]: shown leaves from top to bottom */
    double *y;        /* of each cluster that is shown */
    qn_axis axis;
} pruned_tree;

static double x_of(const pruned_tree *tree, double height)
{
    const double right = width - label_width, left = margin;
    return right - (right - left) * qn_axis_fraction(&tree->axis, height);
}

static size_t size_of(const qn_clustering *run, uint32_t cluster)
{
    return cluster < run->count ? 1 : run->merges[cluster - run->count].size;
}

static void place_clusters(pruned_tree *tree)
{
    const qn_clustering *run = tree->run;
    const size_t count = run->count;
    for (size_t i = 0; i < count; i++) tree->label[i] = (int)run->result->labels[i];
    for (size_t k = 0; k + 1 < count; k++) {
        const int one = tree->label[run->merges[k].first], other = tree->label[run->merges[k].second];
        tree->label[count + k] = one == other ? one : MIXED;
    }
    tree->place[2 * count - 2] = 0;
    for (size_t k = count - 1; k-- > 0;) {
        const qn_merge *merge = &run->merges[k];
        tree->place[merge->first] = tree->place[count + k];
        tree->place[merge->second] = tree->place[count + k] + size_of(run, merge->first);
    }
}

typedef struct placed_leaf {
    size_t place;
    uint32_t cluster;
} placed_leaf;

static int higher_first(const void *a, const void *b)
{
    const placed_leaf *one = a, *other = b;
    return (one->place > other->place) - (one->place < other->place);
}

/* Find the leaves that are shown, and the heights on the page of all clusters that are shown. */
static qn_status lay_out(pruned_tree *tree)
{
    const qn_clustering *run = tree->run;
    const size_t count = run->count;
    void *memory;
    size_t found = 0;
    QN_TRY(qn_allocate(tree->leaves, sizeof(placed_leaf), &memory));
    placed_leaf *leaves = memory;
    for (size_t k = tree->first; k + 1 < count; k++)
        for (int part = 0; part < 2; part++) {
            const uint32_t cluster = part == 0 ? run->merges[k].first : run->merges[k].second;
            if (cluster < count + tree->first) leaves[found++] = (placed_leaf){tree->place[cluster], cluster};
        }
    qsort(leaves, found, sizeof *leaves, higher_first);
    for (size_t i = 0; i < found; i++) {
        tree->lowest[i] = leaves[i].cluster;
        tree->y[leaves[i].cluster] = top + ((double)i + 0.5) * row_height;
    }
    for (size_t k = tree->first; k + 1 < count; k++)
        tree->y[count + k] = (tree->y[run->merges[k].first] + tree->y[run->merges[k].second]) / 2;
    qn_release(&memory);
    const double highest = (double)run->merges[count - 2].height;
    qn_axis_fit(0, highest > 0 ? highest : 1, 8, &tree->axis);
    return QN_OK;
}

static qn_status append_point(qn_text *svg, const char *before, double x, double y)
{
    QN_TRY(qn_text_append(svg, "%s", before));
    QN_TRY(qn_markup_coordinate(svg, x, 1));
    QN_TRY(qn_text_append(svg, " "));
    return qn_markup_coordinate(svg, y, 1);
}

static qn_status append_class(const pruned_tree *tree, uint32_t cluster, qn_text *svg)
{
    const int label = tree->label[cluster];
    return label == MIXED ? qn_text_append(svg, " class=\"mixed\"")
                          : qn_text_append(svg, " class=\"c%d\"", label % COLOURS);
}

/* A bracket: from the first part up to the merge's height and down to the second part. */
static qn_status draw_merge(const pruned_tree *tree, size_t merge, qn_text *svg)
{
    const qn_clustering *run = tree->run;
    const uint32_t parts[2] = {run->merges[merge].first, run->merges[merge].second};
    const double x = x_of(tree, (double)run->merges[merge].height);
    QN_TRY(qn_text_append(svg, "<path"));
    QN_TRY(append_class(tree, (uint32_t)(run->count + merge), svg));
    QN_TRY(append_point(svg, " d=\"M", x_of(tree, height_of(run, parts[0])), tree->y[parts[0]]));
    QN_TRY(append_point(svg, "L", x, tree->y[parts[0]]));
    QN_TRY(append_point(svg, "L", x, tree->y[parts[1]]));
    QN_TRY(append_point(svg, "L", x_of(tree, height_of(run, parts[1])), tree->y[parts[1]]));
    return qn_text_append(svg, "\"/>\n");
}

static qn_status append_text(qn_text *svg, const char *attributes, double x, double y)
{
    QN_TRY(qn_text_append(svg, "<text%s", attributes));
    QN_TRY(qn_markup_position(svg, "x", x));
    QN_TRY(qn_markup_position(svg, "y", y));
    return qn_text_append(svg, ">");
}

/* The end of a long name, since names of files differ there. */
static qn_status append_short_name(const char *name, qn_text *svg)
{
    const char *shown = qn_path_name(name);
    const size_t length = qn_markup_length(shown);
    for (size_t skip = length > LABEL_LENGTH ? length - LABEL_LENGTH + 1 : 0; skip > 0; skip--)
        shown += qn_markup_character_bytes((const unsigned char *)shown) > 0
                     ? qn_markup_character_bytes((const unsigned char *)shown)
                     : 1;
    if (length > LABEL_LENGTH) QN_TRY(qn_text_append(svg, "…"));
    return qn_markup_text(svg, shown);
}

static qn_status draw_leaf(const pruned_tree *tree, uint32_t cluster, qn_text *svg)
{
    const qn_clustering *run = tree->run;
    const double right = width - label_width, y = tree->y[cluster], at = x_of(tree, height_of(run, cluster));
    if (at < right - 1) { /* a branch that is not followed further */
        QN_TRY(qn_text_append(svg, "<path stroke-dasharray=\"1 3\""));
        QN_TRY(append_class(tree, cluster, svg));
        QN_TRY(append_point(svg, " d=\"M", at, y));
        QN_TRY(append_point(svg, "L", right, y));
        QN_TRY(qn_text_append(svg, "\"/>\n"));
    }
    QN_TRY(append_text(svg, "", right + 8, y + 4.5));
    if (cluster < run->count)
        QN_TRY(append_short_name(run->result->names[cluster], svg));
    else
        QN_TRY(qn_text_append(svg, "%s", qn_count_of(size_of(run, cluster), "structure").text));
    QN_TRY(qn_text_append(svg, "</text>\n"));
    if (tree->label[cluster] == MIXED) return QN_OK;
    QN_TRY(append_text(svg, " class=\"number\"", width - 2, y + 4.5));
    return qn_text_append(svg, "%d</text>\n", tree->label[cluster] + 1);
}

static qn_status draw_axis(const pruned_tree *tree, double bottom, qn_text *svg)
{
    const qn_measure *measure = tree->run->measure;
    for (size_t tick = 0; tick < tree->axis.ticks; tick++) {
        char label[QN_AXIS_LABEL_BYTES];
        const double x = x_of(tree, qn_axis_tick(&tree->axis, tick));
        qn_axis_label(&tree->axis, tick, label);
        QN_TRY(append_point(svg, "<path class=\"grid\" d=\"M", x, top));
        QN_TRY(append_point(svg, "L", x, bottom));
        QN_TRY(qn_text_append(svg, "\"/>"));
        QN_TRY(append_text(svg, " class=\"middle\"", x, top - 8));
        QN_TRY(qn_text_append(svg, "%s</text>\n", label));
    }
    QN_TRY(append_text(svg, "", margin, 18));
    QN_TRY(qn_text_append(svg, "height of the merge: distance of the two clusters%s%s</text>\n",
                          measure->unit[0] ? ", " : "", measure->unit));
    QN_TRY(append_text(svg, " class=\"number\"", width - 2, 18));
    return qn_text_append(svg, "cluster</text>\n");
}

static qn_status draw_cutoff(const pruned_tree *tree, double bottom, qn_text *svg)
{
    const qn_cluster_result *result = tree->run->result;
    const double x = x_of(tree, result->cutoff);
    if (!(result->cutoff > 0) || x < margin) return QN_OK;
    QN_TRY(append_point(svg, "<path class=\"cut\" d=\"M", x, top - 4));
    QN_TRY(append_point(svg, "L", x, bottom));
    return qn_text_append(svg, "\"/>\n");
}

/* Colours as in reports (Okabe and Ito 2008). */
static const char style[] =
    "<style>:root{color-scheme:light dark;--bg:#fff;--ink:#1b1f24;--soft:#59636e;--grid:#e8ebef}"
    ".c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#009e73}.c3{stroke:#e69f00}.c4{stroke:#cc79a7}"
    ".c5{stroke:#56b4e9}.c6{stroke:#4a4f55}"
    "@media (prefers-color-scheme:dark){:root{--bg:#14171b;--ink:#e6e9ec;--soft:#a2abb5;--grid:#262c33}"
    ".c0{stroke:#56b4e9}.c1{stroke:#e8702a}.c2{stroke:#14b88a}.c4{stroke:#d68fb6}.c5{stroke:#f0e442}"
    ".c6{stroke:#b9c0c8}}"
    "path{fill:none;stroke-width:1.6}.mixed{stroke:var(--soft)}.grid{stroke:var(--grid);stroke-width:1}"
    ".cut{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:5 4}"
    "text{font:12.5px system-ui,\"Segoe UI\",Roboto,\"Noto Sans\",\"Liberation Sans\",Arial,sans-serif;"
    "fill:var(--ink)}.middle{text-anchor:middle;fill:var(--soft)}.number{text-anchor:end;fill:var(--soft)}</style>\n";

static qn_status draw(pruned_tree *tree, qn_text *svg)
{
    const double bottom = top + (double)tree->leaves * row_height, height = bottom + 10;
    QN_TRY(qn_text_append(svg,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                          "viewBox=\"0 0 %.0f %.0f\">\n%s<rect width=\"100%%\" height=\"100%%\" fill=\"var(--bg)\"/>\n",
                          width, height, width, height, style));
    QN_TRY(draw_axis(tree, bottom, svg));
    for (size_t k = tree->first; k + 1 < tree->run->count; k++) QN_TRY(draw_merge(tree, k, svg));
    for (size_t i = 0; i < tree->leaves; i++) QN_TRY(draw_leaf(tree, tree->lowest[i], svg));
    QN_TRY(draw_cutoff(tree, bottom, svg));
    return qn_text_append(svg, "</svg>\n");
}

qn_status qn_clustering_draw_tree(const qn_clustering *run, qn_text *svg)
{
    const size_t count = run->count, clusters = 2 * count - 1;
    void *place = NULL, *label = NULL, *lowest = NULL, *y = NULL;
    pruned_tree tree = {.run = run, .leaves = count < LEAVES_MAX ? count : LEAVES_MAX};
    if (count < 2) return QN_OK;
    tree.first = (uint32_t)(count - tree.leaves);
    qn_status status = qn_allocate(clusters, sizeof *tree.place, &place);
    if (status == QN_OK) status = qn_allocate(clusters, sizeof *tree.label, &label);
    if (status == QN_OK) status = qn_allocate(tree.leaves, sizeof *tree.lowest, &lowest);
    if (status == QN_OK) status = qn_allocate(clusters, sizeof *tree.y, &y);
    if (status == QN_OK) {
        tree.place = place, tree.label = label, tree.lowest = lowest, tree.y = y;
        place_clusters(&tree);
        status = lay_out(&tree);
    }
    if (status == QN_OK) status = draw(&tree, svg);
    qn_release(&place);
    qn_release(&label);
    qn_release(&lowest);
    qn_release(&y);
    return status;
}

/* ---- files ---- */

static qn_status write_text(const qn_clustering *run, const char *name, const qn_text *text)
{
    char *path;
    QN_TRY(qn_job_path(run->job, name, &path));
    const qn_status status = qn_file_write(path, text->data, text->length);
    qn_release(&path);
    return status;
}

qn_status qn_clustering_write_tree(const qn_clustering *run)
{
    qn_text newick = {0}, svg = {0};
    void *stack = NULL;
    qn_status status = qn_allocate(run->count, sizeof(open_cluster), &stack);
    if (status == QN_OK) status = append_tree(run, stack, &newick);
    if (status == QN_OK) status = write_text(run, "dendrogram.nwk", &newick);
    if (status == QN_OK) status = qn_clustering_draw_tree(run, &svg);
    if (status == QN_OK && svg.length > 0) status = write_text(run, "dendrogram.svg", &svg);
    qn_release(&stack);
    qn_text_clear(&newick);
    qn_text_clear(&svg);
    return status;
}
