#include "screen/scene/pose_contacts.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "screen/scene/diagram.h"

/* The table has at most LINES contacts, and none that are only near. */
enum { SHOWN = 6, COLUMNS = 5, CELL = 48, LINES = 160 };

typedef struct pose_contacts {
    qn_contact *contacts[SHOWN];
    size_t counts[SHOWN];
    qn_text svg[SHOWN], texts[SHOWN];
    size_t count; /* poses */
} pose_contacts;

static void clear(pose_contacts *all)
{
    for (size_t i = 0; i < all->count; i++) {
        qn_release(&all->contacts[i]);
        qn_text_clear(&all->svg[i]);
        qn_text_clear(&all->texts[i]);
    }
}

static void say_residue(const qn_score_receptor *receptor, int index, char text[CELL])
{
    const qn_residue *residue = &receptor->molecule->residues[index];
    snprintf(text, CELL, "%s%s%s %d%.1s", residue->chain, residue->chain[0] ? " " : "", residue->name, residue->number,
             &residue->insertion);
}

/* The name of a heavy atom of the receptor: "OG1". */
static const char *receptor_atom(const qn_score_receptor *receptor, size_t atom)
{
    const qn_residue *residue = &receptor->molecule->residues[receptor->residues[atom]];
    for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count; i++)
        if (memcmp(receptor->molecule->atoms[i].position_angstrom, receptor->positions_angstrom + 3 * atom,
                   3 * sizeof(double)) == 0)
            return receptor->molecule->atoms[i].name;
    return "?";
}

/* "−12.3 kcal/mol; hydrogen bonds with A MET 318, A THR 315" */
static qn_status describe(const qn_score_receptor *receptor, const qn_screen_shown_pose *pose, pose_contacts *all,
                          size_t index)
{
    size_t bonds = 0;
    QN_TRY(qn_text_append(&all->texts[index], "%s", pose->energy));
    for (size_t i = 0; i < all->counts[index]; i++) {
        const qn_contact *contact = &all->contacts[index][i];
        char residue[CELL];
        bool said = false;
        if (contact->kind > QN_CONTACT_POLAR) break;
        for (size_t k = 0; k < i; k++) said = said || all->contacts[index][k].residue == contact->residue;
        if (said) continue;
        say_residue(receptor, contact->residue, residue);
        QN_TRY(qn_text_append(&all->texts[index], "%s%s", bonds++ ? ", " : "; polar contacts: ", residue));
    }
    return QN_OK;
}

static qn_status fill(const qn_score_receptor *receptor, const qn_screen_shown_pose *poses, size_t count,
                      pose_contacts *all)
{
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        all->count = i + 1;
        QN_TRY(qn_contacts_find(receptor, poses[i].compound, &all->contacts[i], &all->counts[i]));
        QN_TRY(qn_diagram_svg(receptor, poses[i].compound, all->contacts[i], all->counts[i], &all->svg[i]));
        QN_TRY(describe(receptor, &poses[i], all, i));
    }
    return QN_OK;
}

static qn_status add_drawings(const qn_screen_shown_pose *poses, const pose_contacts *all, qn_report *report)
{
    qn_report_card cards[SHOWN];
    for (size_t i = 0; i < all->count; i++)
        cards[i] = (qn_report_card){poses[i].title, all->texts[i].data, all->svg[i].data, false};
    return qn_report_wide_cards(
        report, "Contacts",
        "Flat drawings of the best poses. Dashed lines are hydrogen bonds or contacts of polar "
        "atoms, with their length in Å; dotted lines are hydrophobic contacts; residues in grey "
        "are near. Distances in the drawing mean nothing.",
        cards, all->count);
}

static void fill_row(const qn_score_receptor *receptor, const qn_screen_shown_pose *pose, const qn_contact *contact,
                     char cells[COLUMNS][CELL])
{
    snprintf(cells[0], CELL, "%zu", pose->rank);
    say_residue(receptor, contact->residue, cells[1]);
    snprintf(cells[2], CELL, "%s", qn_contact_name(contact->kind));
    snprintf(cells[3], CELL, "%.1f", contact->distance_angstrom);
    snprintf(cells[4], CELL, "%.3s%zu – %.8s", pose->compound->atoms[contact->atom].element, contact->atom + 1,
             receptor_atom(receptor, contact->partner));
}

static qn_status add_table(const qn_score_receptor *receptor, const qn_screen_shown_pose *poses,
                           const pose_contacts *all, qn_report *report)
{
    static const char *const headers[COLUMNS] = {"Rank", "Residue", "Contact", "r (Å)", "Atoms"};
    size_t rows = 0;
    void *memory;
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->counts[i]; k++) rows += all->contacts[i][k].kind != QN_CONTACT_NEAR;
    if (rows == 0) return QN_OK;
    if (rows > LINES) rows = LINES;
    QN_TRY(qn_allocate(rows * COLUMNS, CELL + sizeof(char *), &memory));
    const char **cells = memory;
    char *texts = (char *)(cells + rows * COLUMNS);
    size_t row = 0;
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->counts[i] && row < rows && all->contacts[i][k].kind != QN_CONTACT_NEAR; k++)
            fill_row(receptor, &poses[i], &all->contacts[i][k], (char(*)[CELL])(texts + CELL * COLUMNS * row++));
    for (size_t i = 0; i < rows * COLUMNS; i++) cells[i] = texts + CELL * i;
    const qn_status status = qn_report_table(report, headers, COLUMNS, cells, rows);
    qn_release(&memory);
    return status;
}

qn_status qn_screen_report_contacts(const qn_score_receptor *receptor, const qn_screen_shown_pose *poses, size_t count,
                                    qn_report *report)
{
    pose_contacts all = {.count = 0};
    if (count == 0 || receptor->atom_count == 0 || !receptor->molecule || !receptor->residues) return QN_OK;
    qn_status status = fill(receptor, poses, count, &all);
    if (status == QN_OK) status = add_drawings(poses, &all, report);
    if (status == QN_OK) status = add_table(receptor, poses, &all, report);
    clear(&all);
    return status;
}
