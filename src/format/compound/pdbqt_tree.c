#include "format/compound/pdbqt_tree.h"

#include <limits.h>

#include "base/error.h"
#include "base/memory.h"

static qn_status read_serial(const qn_record_lines *lines, qn_word word, int *serial)
{
    double value;
    if (!qn_number_parse(word.text, word.length, &value) || value < INT_MIN || value > INT_MAX || value != (int)value)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" is not the serial number of an atom", lines->path, lines->number,
                       qn_quote(word.text, word.length).text);
    *serial = (int)value;
    return QN_OK;
}

/* Read the two serial numbers of BRANCH or ENDBRANCH. */
static qn_status read_serials(const qn_record_lines *lines, int serial[2])
{
    size_t at = 0;
    qn_record_word(lines, &at);
    for (int i = 0; i < 2; i++) QN_TRY(read_serial(lines, qn_record_word(lines, &at), &serial[i]));
    return QN_OK;
}

enum { BRANCHES_MAX = 4096 }; /* no real molecule has more, and finding their atoms takes time that grows as a square */

static qn_status begin_branch(qn_pdbqt_tree *tree, const qn_record_lines *lines)
{
    qn_pdbqt_branch branch = {.around = tree->open, .line = lines->number};
    void *memory = tree->branches;
    QN_TRY(read_serials(lines, branch.serial));
    if (tree->branch_count == BRANCHES_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: more than %d BRANCH records in one molecule", lines->path, lines->number,
                       BRANCHES_MAX);
    qn_status status = qn_grow(&memory, &tree->branch_capacity, tree->branch_count + 1, sizeof branch);
    tree->branches = memory;
    QN_TRY(status);
    tree->branches[tree->branch_count++] = branch;
    tree->open = (int)tree->branch_count;
    tree->stated = true;
    return QN_OK;
}

static qn_status end_branch(qn_pdbqt_tree *tree, const qn_record_lines *lines)
{
    int serial[2];
    QN_TRY(read_serials(lines, serial));
    if (tree->open == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: ENDBRANCH %d %d, but no BRANCH is open", lines->path, lines->number,
                       serial[0], serial[1]);
    const qn_pdbqt_branch *branch = &tree->branches[tree->open - 1];
    if (serial[0] != branch->serial[0] || serial[1] != branch->serial[1])
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: ENDBRANCH %d %d; expected the end of BRANCH %d %d of line %zu",
                       lines->path, lines->number, serial[0], serial[1], branch->serial[0], branch->serial[1],
                       branch->line);
    tree->open = branch->around;
    return QN_OK;
}

static qn_status begin_root(qn_pdbqt_tree *tree, const qn_record_lines *lines)
{
    if (tree->root_line > 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: a second ROOT, after that of line %zu; expected one for each molecule",
                       lines->path, lines->number, tree->root_line);
    if (tree->branch_count > 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: ROOT after BRANCH of line %zu; expected it before all branches",
                       lines->path, lines->number, tree->branches[0].line);
    tree->stated = tree->in_root = true;
    tree->root_line = lines->number;
    return QN_OK;
}

static qn_status end_root(qn_pdbqt_tree *tree, const qn_record_lines *lines)
{
    if (!tree->in_root)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: ENDROOT, but no ROOT is open", lines->path, lines->number);
    tree->in_root = false;
    return QN_OK;
}

static qn_status refuse_open_root(const qn_pdbqt_tree *tree, const qn_record_lines *lines)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: ROOT is not closed; expected ENDROOT before branches and the end",
                   lines->path, tree->root_line);
}

/* Torsions are counted in the tree, but a count that is none tells of a damaged file. */
static qn_status check_torsions(const qn_record_lines *lines)
{
    size_t at = 0;
    int count;
    qn_record_word(lines, &at);
    const qn_word word = qn_record_word(lines, &at);
    if (qn_number_parse_whole(word.text, word.length, &count) && count >= 0) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: TORSDOF \"%s\"; expected a whole number of 0 or more", lines->path,
                   lines->number, qn_quote(word.text, word.length).text);
}

qn_status qn_pdbqt_tree_line(qn_pdbqt_tree *tree, const qn_record_lines *lines)
{
    if (qn_line_begins(lines, "ROOT")) return begin_root(tree, lines);
    if (qn_line_begins(lines, "ENDROOT")) return end_root(tree, lines);
    if (qn_line_begins(lines, "BRANCH"))
        return tree->in_root ? refuse_open_root(tree, lines) : begin_branch(tree, lines);
    if (qn_line_begins(lines, "ENDBRANCH")) return end_branch(tree, lines);
    if (qn_line_begins(lines, "TORSDOF")) return check_torsions(lines);
    return QN_OK;
}

qn_status qn_pdbqt_tree_atom(qn_pdbqt_tree *tree, const qn_record_lines *lines, int index)
{
    qn_word type = qn_record_columns(lines, 78, 80);
    int serial = INT_MIN; /* of an atom that no branch can name */
    void *memory = tree->atoms;
    if (tree->stated) QN_TRY(read_serial(lines, qn_record_columns(lines, 7, 11), &serial));
    if (index < 0 && type.length > 0) {
        size_t first = 0;
        while (first < type.length && type.text[first] == ' ') first++;
        tree->glued |= first < type.length && type.text[first] == 'G';
    }
    qn_status status = qn_grow(&memory, &tree->atom_capacity, tree->atom_count + 1, 3 * sizeof *tree->atoms);
    tree->atoms = memory;
    QN_TRY(status);
    int *atom = tree->atoms + 3 * tree->atom_count++;
    atom[0] = index, atom[1] = serial, atom[2] = tree->open;
    return QN_OK;
}

/* The atom of a piece with a serial number; −1: it has none. */
static int find_atom(const qn_pdbqt_tree *tree, int serial, int piece)
{
    for (size_t i = 0; i < tree->atom_count; i++) {
        const int *atom = tree->atoms + 3 * i;
        if (atom[1] == serial && atom[2] == piece) return atom[0];
    }
    return -1;
}

static qn_status fill(const qn_pdbqt_tree *tree, const qn_record_lines *lines, qn_compound_tree *to)
{
    for (size_t i = 0; i < tree->atom_count; i++)
        if (tree->atoms[3 * i] >= 0) to->piece[tree->atoms[3 * i]] = tree->atoms[3 * i + 2];
    for (size_t i = 0; i < tree->branch_count; i++) {
        const qn_pdbqt_branch *branch = &tree->branches[i];
        to->branches[i].first = find_atom(tree, branch->serial[0], branch->around);
        to->branches[i].second = find_atom(tree, branch->serial[1], (int)i + 1);
        const bool lacks_first = to->branches[i].first < 0;
        if (lacks_first || to->branches[i].second < 0)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: BRANCH %d %d: the piece %s has no atom %d", lines->path,
                           branch->line, branch->serial[0], branch->serial[1],
                           lacks_first ? "around it" : "that it begins", branch->serial[lacks_first ? 0 : 1]);
    }
    return QN_OK;
}

qn_status qn_pdbqt_tree_end(const qn_pdbqt_tree *tree, const qn_record_lines *lines, qn_compound *compound)
{
    qn_compound_tree *to = &compound->tree;
    if (!tree->stated) return QN_OK;
    if (tree->in_root) return refuse_open_root(tree, lines);
    if (tree->open > 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: BRANCH %d %d is not closed; expected its ENDBRANCH", lines->path,
                       tree->branches[tree->open - 1].line, tree->branches[tree->open - 1].serial[0],
                       tree->branches[tree->open - 1].serial[1]);
    QN_TRY(qn_allocate(compound->atom_count, sizeof *to->piece, (void **)&to->piece));
    QN_TRY(qn_allocate(tree->branch_count, sizeof *to->branches, (void **)&to->branches));
    to->piece_count = tree->branch_count + 1;
    to->glued = tree->glued;
    return fill(tree, lines, to);
}

void qn_pdbqt_tree_release(qn_pdbqt_tree *tree)
{
    qn_release(&tree->branches);
    qn_release(&tree->atoms);
    *tree = (qn_pdbqt_tree){0};
}
