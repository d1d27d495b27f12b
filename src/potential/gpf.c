#include "potential/gpf.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/record_lines.h"

/* A line that is being read. */
typedef struct gpf_line {
    const qn_record_lines *lines;
    const char *keyword;
    size_t at; /* end of the word read last */
} gpf_line;

static qn_word next_word(gpf_line *line)
{
    const size_t before = line->at;
    qn_word word = qn_record_word(line->lines, &line->at);
    if (word.length == 0 || word.text[0] != '#') return word;
    line->at = before; /* a comment ends the line */
    return (qn_word){"", 0};
}

static qn_status refuse(const gpf_line *line, qn_word word, const char *expected)
{
    if (word.length == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s lacks a value; expected %s", line->lines->path, line->lines->number,
                       line->keyword, expected);
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s has \"%s\"; expected %s", line->lines->path, line->lines->number,
                   line->keyword, qn_quote(word.text, word.length).text, expected);
}

static qn_status read_number(gpf_line *line, const char *expected, double *value)
{
    const qn_word word = next_word(line);
    return qn_number_parse(word.text, word.length, value) ? QN_OK : refuse(line, word, expected);
}

static qn_status read_positive(gpf_line *line, const char *expected, double *value)
{
    const size_t before = line->at;
    QN_TRY(read_number(line, expected, value));
    if (*value > 0) return QN_OK;
    line->at = before;
    return refuse(line, next_word(line), expected);
}

static qn_status read_text(gpf_line *line, const char *expected, char **text)
{
    const qn_word word = next_word(line);
    qn_text copy = {0};
    if (word.length == 0) return refuse(line, word, expected);
    QN_TRY(qn_text_append_bytes(&copy, word.text, word.length));
    qn_release(text);
    *text = copy.data;
    return QN_OK;
}

/* ---- keywords ---- */

static qn_status read_npts(gpf_line *line, qn_gpf *gpf)
{
    for (int axis = 0; axis < 3; axis++) {
        const qn_word word = next_word(line);
        int npts;
        if (!qn_number_parse_whole(word.text, word.length, &npts) || npts < 1 || npts / 2 * 2 > QN_POTENTIAL_NPTS_MAX) {
            qn_text expected = {0};
            QN_TRY(qn_text_append(&expected, "three even numbers of spacings from 2 to %d", QN_POTENTIAL_NPTS_MAX));
            const qn_status status = refuse(line, word, expected.data);
            qn_text_clear(&expected);
            return status;
        }
        gpf->npts[axis] = npts / 2 * 2; /* as AutoGrid does with odd numbers */
        if (npts % 2)
            QN_TRY(qn_text_append(&gpf->unknown, "%s:%zu: npts %d is odd; %d is used, as AutoGrid does\n",
                                  line->lines->path, line->lines->number, npts, npts - 1));
        if (gpf->npts[axis] == 0) return refuse(line, word, "three even numbers of spacings, at least 2");
    }
    return QN_OK;
}

static qn_status read_centre(gpf_line *line, qn_gpf *gpf)
{
    gpf_line copy = *line;
    const qn_word word = next_word(&copy);
    gpf->centre_is_given = true;
    gpf->centre_is_auto = qn_word_is(word, "auto");
    for (int k = 0; k < 3 && !gpf->centre_is_auto; k++)
        QN_TRY(read_number(line, "auto, or x, y and z in Å", &gpf->settings.grid.centre_angstrom[k]));
    return QN_OK;
}

static qn_status read_names(gpf_line *line, const char *expected, size_t longest, qn_gpf_names *names)
{
    if (names->line) return refuse(line, next_word(line), "the keyword once only");
    names->line = line->lines->number;
    for (;;) {
        const qn_word word = next_word(line);
        qn_text copy = {0};
        if (word.length == 0) break;
        if (word.length > longest || names->count == QN_POTENTIAL_PROBES_MAX) return refuse(line, word, expected);
        QN_TRY(qn_text_append_bytes(&copy, word.text, word.length));
        names->names[names->count++] = copy.data;
    }
    return names->count ? QN_OK : refuse(line, (qn_word){"", 0}, expected);
}

static qn_status read_types(gpf_line *line, qn_gpf_names *names)
{
    return read_names(line, "up to 64 atom types of at most 7 characters", QN_POTENTIAL_NAME_MAX - 1, names);
}

static qn_status read_receptor_types(gpf_line *line, qn_gpf *gpf)
{
    return read_types(line, &gpf->receptor_types);
}

static qn_status read_ligand_types(gpf_line *line, qn_gpf *gpf)
{
    return read_types(line, &gpf->ligand_types);
}

static qn_status read_map(gpf_line *line, qn_gpf *gpf)
{
    if (gpf->maps.count == QN_POTENTIAL_PROBES_MAX) return refuse(line, next_word(line), "at most 64 maps");
    QN_TRY(read_text(line, "the name of a map", &gpf->maps.names[gpf->maps.count]));
    gpf->maps.count++;
    gpf->maps.line = line->lines->number;
    return QN_OK;
}

static qn_status add_override(qn_gpf *gpf, gpf_line *line, qn_potential_pair pair)
{
    qn_potential_override override = {.pair = pair, .line = line->lines->number};
    for (int i = 0; i < 2; i++) {
        const qn_word word = next_word(line);
        if (word.length == 0 || word.length >= sizeof override.types[i])
            return refuse(line, word, "four numbers and two atom types");
        memcpy(override.types[i], word.text, word.length);
    }
    QN_TRY(qn_grow((void **)&gpf->overrides, &gpf->override_capacity, gpf->settings.override_count + 1,
                   sizeof *gpf->overrides));
    gpf->overrides[gpf->settings.override_count++] = override;
    return QN_OK;
}

static qn_status read_powers(gpf_line *line, int powers[2])
{
    for (int i = 0; i < 2; i++) {
        const qn_word word = next_word(line);
        if (!qn_number_parse_whole(word.text, word.length, &powers[i]) || powers[i] < 1 || powers[i] > 99)
            return refuse(line, word, "powers of r, whole numbers from 1 to 99");
    }
    return QN_OK;
}

static qn_status read_coefficients(gpf_line *line, qn_gpf *gpf)
{
    qn_potential_pair pair = {0};
    int powers[2];
    QN_TRY(read_number(line, "the coefficient of repulsion", &pair.repulsion));
    QN_TRY(read_number(line, "the coefficient of attraction", &pair.attraction));
    QN_TRY(read_powers(line, powers));
    pair.repulsion_power = powers[0], pair.attraction_power = powers[1];
    return add_override(gpf, line, pair);
}

static qn_status read_well(gpf_line *line, qn_gpf *gpf)
{
    double distance, depth;
    int powers[2];
    QN_TRY(read_positive(line, "the distance of least energy in Å", &distance));
    QN_TRY(read_number(line, "the depth of the well in kcal/mol", &depth));
    const size_t before = line->at;
    QN_TRY(read_powers(line, powers));
    if (powers[0] <= powers[1]) {
        line->at = before;
        return refuse(line, next_word(line), "a power of repulsion above the power of attraction");
    }
    return add_override(gpf, line, qn_potential_pair_with_well(distance, depth, powers[0], powers[1]));
}

static qn_status read_covalent(gpf_line *line, qn_gpf *gpf)
{
    qn_potential_settings *settings = &gpf->settings;
    QN_TRY(read_positive(line, "the half width of the well in Å", &settings->covalent_half_width_angstrom));
    QN_TRY(read_number(line, "the energy of the barrier in kcal/mol", &settings->covalent_barrier));
    for (int k = 0; k < 3; k++)
        QN_TRY(read_number(line, "x, y and z of the attachment in Å", &settings->covalent_centre_angstrom[k]));
    gpf->well_is_given = true;
    return QN_OK;
}

static qn_status read_spacing(gpf_line *line, qn_gpf *gpf)
{
    return read_positive(line, "the distance of points in Å, above 0", &gpf->settings.grid.spacing_angstrom);
}

static qn_status read_smooth(gpf_line *line, qn_gpf *gpf)
{
    const size_t before = line->at;
    static const char expected[] = "the width of the window of the least energy in Å, from 0 to 20";
    QN_TRY(read_number(line, expected, &gpf->settings.smooth_angstrom));
    if (gpf->settings.smooth_angstrom >= 0 && gpf->settings.smooth_angstrom <= 20) return QN_OK;
    line->at = before;
    return refuse(line, next_word(line), expected);
}

static qn_status read_dielectric(gpf_line *line, qn_gpf *gpf)
{
    const size_t before = line->at;
    static const char expected[] = "a constant from 0.001 on, or a number below 0 for one that depends on distance";
    QN_TRY(read_number(line, expected, &gpf->settings.dielectric));
    if (gpf->settings.dielectric < 0 || gpf->settings.dielectric >= QN_POTENTIAL_DIELECTRIC_LEAST) return QN_OK;
    line->at = before;
    return refuse(line, next_word(line), expected);
}

static qn_status read_charge_solvation(gpf_line *line, qn_gpf *gpf)
{
    return read_number(line, "the desolvation of a charge, a number", &gpf->settings.charge_solvation);
}

static qn_status read_constant(gpf_line *line, qn_gpf *gpf)
{
    double unused; /* AutoGrid 4.2.6 reads it and makes no use of it */
    (void)gpf;
    return read_number(line, "a number", &unused);
}

static qn_status read_parameter_file(gpf_line *line, qn_gpf *gpf)
{
    return read_text(line, "the name of a file with atom types", &gpf->parameter_file);
}

static qn_status read_field(gpf_line *line, qn_gpf *gpf)
{
    return read_text(line, "the name of the .fld file", &gpf->field);
}

static qn_status read_receptor(gpf_line *line, qn_gpf *gpf)
{
    return read_text(line, "the name of the receptor's PDBQT file", &gpf->receptor);
}

static qn_status read_electrostatic_map(gpf_line *line, qn_gpf *gpf)
{
    return read_text(line, "the name of a map", &gpf->electrostatic_map);
}

static qn_status read_desolvation_map(gpf_line *line, qn_gpf *gpf)
{
    return read_text(line, "the name of a map", &gpf->desolvation_map);
}

static qn_status read_distance_map(gpf_line *line, qn_gpf *gpf)
{
    return read_text(line, "the name of a map", &gpf->distance_map);
}

static const struct {
    const char *word;
    qn_status (*read)(gpf_line *line, qn_gpf *gpf);
} keywords[] = {{"parameter_file", read_parameter_file},
                {"npts", read_npts},
                {"gridfld", read_field},
                {"spacing", read_spacing},
                {"receptor_types", read_receptor_types},
                {"ligand_types", read_ligand_types},
                {"receptor", read_receptor},
                {"gridcenter", read_centre},
                {"smooth", read_smooth},
                {"map", read_map},
                {"elecmap", read_electrostatic_map},
                {"dsolvmap", read_desolvation_map},
                {"dielectric", read_dielectric},
                {"nbp_coeffs", read_coefficients},
                {"nbp_r_eps", read_well},
                {"qasp", read_charge_solvation},
                {"constant", read_constant},
                {"covalentmap", read_covalent},
                {"fmap", read_distance_map}};

static qn_status read_line(const qn_record_lines *lines, qn_gpf *gpf)
{
    gpf_line line = {.lines = lines};
    const qn_word word = next_word(&line);
    if (word.length == 0) return QN_OK;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i].word) == word.length && strncasecmp(keywords[i].word, word.text, word.length) == 0) {
            line.keyword = keywords[i].word;
            return keywords[i].read(&line, gpf);
        }
    return qn_text_append(&gpf->unknown, "%s:%zu: \"%s\" is no keyword of grid parameter files; the line is left out\n",
                          lines->path, lines->number, qn_quote(word.text, word.length).text);
}

/* ---- the file as a whole ---- */

static qn_status miss(const char *path, const char *line)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s: lacks a line \"%s\"", path, line);
}

static qn_status check(const char *path, const qn_gpf *gpf)
{
    if (gpf->npts[0] == 0) return miss(path, "npts NX NY NZ");
    if (!gpf->ligand_types.line) return miss(path, "ligand_types TYPE ...");
    if (!gpf->field) return miss(path, "gridfld NAME.maps.fld");
    if (!gpf->electrostatic_map) return miss(path, "elecmap NAME.e.map");
    if (!gpf->desolvation_map) return miss(path, "dsolvmap NAME.d.map");
    if (gpf->maps.count != gpf->ligand_types.count)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: has %s \"map NAME\" and %s; expected such a line for each type, in their order", path,
                       qn_count_of((unsigned)gpf->maps.count, "line").text,
                       qn_count_of((unsigned)gpf->ligand_types.count, "ligand type").text);
    return QN_OK;
}

qn_status qn_gpf_parse(const char *path, const char *text, size_t size, qn_gpf *gpf)
{
    qn_record_lines lines = {.path = path, .step = 1, .next = text, .end = text + size};
    gpf->settings = qn_potential_settings_default();
    while (qn_record_lines_next(&lines)) QN_TRY(read_line(&lines, gpf));
    QN_TRY(check(path, gpf));
    const int count = gpf->ligand_types.count;
    QN_TRY(qn_allocate((size_t)count, sizeof *gpf->probes, (void **)&gpf->probes));
    for (int i = 0; i < count; i++)
        memcpy(gpf->probes[i], gpf->ligand_types.names[i], strlen(gpf->ligand_types.names[i]));
    gpf->settings.probes = gpf->probes;
    gpf->settings.probe_count = count;
    gpf->settings.overrides = gpf->overrides;
    return QN_OK;
}

qn_status qn_gpf_read(const char *path, qn_gpf *gpf)
{
    char *data;
    size_t size;
    QN_TRY(qn_file_read(path, &data, &size));
    const qn_status status = qn_gpf_parse(path, data, size, gpf);
    qn_release(&data);
    return status;
}

static void clear_names(qn_gpf_names *names)
{
    for (int i = 0; i < names->count; i++) qn_release(&names->names[i]);
}

void qn_gpf_clear(qn_gpf *gpf)
{
    clear_names(&gpf->receptor_types);
    clear_names(&gpf->ligand_types);
    clear_names(&gpf->maps);
    qn_release(&gpf->parameter_file);
    qn_release(&gpf->field);
    qn_release(&gpf->receptor);
    qn_release(&gpf->electrostatic_map);
    qn_release(&gpf->desolvation_map);
    qn_release(&gpf->distance_map);
    qn_release(&gpf->overrides);
    qn_release(&gpf->probes);
    qn_text_clear(&gpf->unknown);
}

bool qn_gpf_names_have(const qn_gpf_names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->names[i], name) == 0) return true;
    return false;
}
