#include "format/structure/local_quality.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/structure/formats.h"
#include "format/structure/gemmi_bridge.h"
#include "format/structure/structure.h"

enum { CHAIN, NUMBER, METRIC, VALUE, LOCAL_COLUMNS };
static const char local_category[] = "_ma_qa_metric_local";
static const char *const local_columns[] = {"label_asym_id", "label_seq_id", "metric_id", "metric_value"};

enum { ID, NAME, TYPE, METRIC_COLUMNS };
static const char *const metric_columns[] = {"id", "name", "type"};

/* The first two are those of the local metrics. */
enum { AUTHOR_CHAIN = 2, AUTHOR_NUMBER, INSERTION, SITE_COLUMNS };
static const char *const site_columns[] = {"label_asym_id", "label_seq_id", "auth_asym_id", "auth_seq_id",
                                           "pdbx_PDB_ins_code"};

static bool contains(const char *data, size_t size, const char *words)
{
    const size_t length = strlen(words);
    const char *end = data + size;
    for (const char *at = data; (size_t)(end - at) >= length; at++) {
        at = memchr(at, words[0], (size_t)(end - at) - length + 1);
        if (!at) return false;
        if (memcmp(at, words, length) == 0) return true;
    }
    return false;
}

static qn_cif_value value_of(const qn_cif_table *table, size_t row, size_t column)
{
    qn_cif_value value = {"", 0};
    qn_cif_table_get(table, row, column, &value);
    return value;
}

static bool same(qn_cif_value a, qn_cif_value b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* Whether a value contains `words`, which are in lower case. */
static bool mentions(qn_cif_value value, const char *words)
{
    char text[80];
    if (value.length >= sizeof text) return false;
    for (size_t i = 0; i < value.length; i++) text[i] = (char)tolower((unsigned char)value.text[i]);
    text[value.length] = '\0';
    return strstr(text, words) != NULL;
}

/* Find the identifier of the metric; an empty value if the file describes none of that name. */
static qn_cif_value find_metric(const qn_cif_table *metrics, const char *metric)
{
    for (size_t row = 0; row < qn_cif_table_rows(metrics); row++)
        if (mentions(value_of(metrics, row, NAME), metric) || mentions(value_of(metrics, row, TYPE), metric))
            return value_of(metrics, row, ID);
    return (qn_cif_value){"", 0};
}

/* Tables of a file, and the places where the last residue was found: files and molecules have the same order. */
typedef struct search {
    const qn_cif_table *local, *sites;
    qn_cif_value metric;
    const qn_molecule *molecule;
    size_t local_row, residue;
} search;

/* Find the row of the local metrics that belongs to a row of the atoms. */
static bool find_row(search *of, size_t site)
{
    const size_t rows = qn_cif_table_rows(of->local);
    const qn_cif_value chain = value_of(of->sites, site, CHAIN), number = value_of(of->sites, site, NUMBER);
    for (size_t tried = 0; tried < rows && number.length; tried++) {
        const size_t row = (of->local_row + tried) % rows;
        if (!same(value_of(of->local, row, CHAIN), chain) || !same(value_of(of->local, row, NUMBER), number) ||
            !same(value_of(of->local, row, METRIC), of->metric))
            continue;
        of->local_row = row;
        return true;
    }
    return false;
}

/* Find the residue of the molecule that belongs to a row of the atoms. */
static bool find_residue(search *of, size_t site)
{
    qn_cif_value chain = value_of(of->sites, site, AUTHOR_CHAIN), number = value_of(of->sites, site, AUTHOR_NUMBER);
    const qn_cif_value insertion = value_of(of->sites, site, INSERTION);
    if (!chain.length) chain = value_of(of->sites, site, CHAIN);
    if (!number.length) number = value_of(of->sites, site, NUMBER);
    for (size_t tried = 0; tried < of->molecule->residue_count; tried++) {
        const size_t r = (of->residue + tried) % of->molecule->residue_count;
        const qn_residue *residue = &of->molecule->residues[r];
        char text[16];
        snprintf(text, sizeof text, "%d", residue->number);
        if (!same((qn_cif_value){residue->chain, strlen(residue->chain)}, chain) ||
            !same((qn_cif_value){text, strlen(text)}, number) ||
            residue->insertion != (insertion.length ? insertion.text[0] : '\0'))
            continue;
        of->residue = r;
        return true;
    }
    return false;
}

static qn_status take_values(const char *file, search *of, double *values)
{
    for (size_t site = 0; site < qn_cif_table_rows(of->sites); site++) {
        const bool goes_on = site > 0 && same(value_of(of->sites, site, CHAIN), value_of(of->sites, site - 1, CHAIN)) &&
                             same(value_of(of->sites, site, NUMBER), value_of(of->sites, site - 1, NUMBER));
        if (goes_on || !find_row(of, site) || !find_residue(of, site)) continue;
        const qn_cif_value value = value_of(of->local, of->local_row, VALUE);
        if (!qn_cif_number(value, &values[of->residue]))
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s: row %zu of %s (loop at line %d): metric_value is \"%.*s\"; expected a number", file,
                           of->local_row + 1, local_category, qn_cif_table_line(of->local),
                           (int)(value.length < 40 ? value.length : 40), value.text);
    }
    return QN_OK;
}

static qn_status read_tables(const char *file, const char *data, size_t size, const char *metric,
                             const qn_molecule *molecule, double *values, bool *found)
{
    qn_cif_table *local = NULL, *metrics = NULL, *sites = NULL;
    qn_status status = qn_cif_table_read(file, data, size, "_ma_qa_metric", metric_columns, METRIC_COLUMNS, &metrics);
    if (status == QN_OK)
        status = qn_cif_table_read(file, data, size, local_category, local_columns, LOCAL_COLUMNS, &local);
    if (status == QN_OK) status = qn_cif_table_read(file, data, size, "_atom_site", site_columns, SITE_COLUMNS, &sites);
    if (status == QN_OK) {
        search of = {.local = local, .sites = sites, .metric = find_metric(metrics, metric), .molecule = molecule};
        *found = of.metric.length > 0;
        for (size_t r = 0; r < molecule->residue_count && *found; r++) values[r] = -1;
        if (*found) status = take_values(file, &of, values);
    }
    if (metrics) qn_cif_table_destroy(&metrics);
    if (local) qn_cif_table_destroy(&local);
    if (sites) qn_cif_table_destroy(&sites);
    return status;
}

qn_status qn_local_quality_read(const char *path, const char *metric, const qn_molecule *molecule, double *values,
                                bool *found)
{
    char *file, *chains, *data;
    size_t size;
    *found = false;
    QN_TRY(qn_structure_load(path, &file, &chains, &data, &size));
    qn_status status = QN_OK;
    if (qn_mmcif_recognise(data, size) && contains(data, size, local_category) &&
        contains(data, size, "_ma_qa_metric."))
        status = read_tables(file, data, size, metric, molecule, values, found);
    qn_release(&file);
    qn_release(&chains);
    qn_release(&data);
    return status;
}
