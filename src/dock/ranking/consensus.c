#include "dock/ranking/consensus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const double frequency_least = 1e-4;

qn_status qn_residue_contacts_set(qn_residue_contacts *contacts, double weight, const qn_residue_pair *pairs,
                                  size_t count)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof *pairs, &memory));
    if (count) memcpy(memory, pairs, count * sizeof *pairs);
    *contacts = (qn_residue_contacts){weight, memory, count};
    return QN_OK;
}

/* A key (a pair of residues, or one residue) of a pose. */
typedef struct pose_key {
    uint64_t key;
    uint32_t pose;
} pose_key;

static int by_key(const void *left, const void *right)
{
    const pose_key *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->pose > b->pose) - (a->pose < b->pose);
}

typedef enum key_kind { PAIR, RECEPTOR, LIGAND } key_kind;

static uint64_t key_of(key_kind kind, const qn_residue_pair *pair)
{
    return kind == PAIR ? (uint64_t)pair->receptor << 32 | pair->ligand
                        : (kind == RECEPTOR ? pair->receptor : pair->ligand);
}

/* Add up frequencies of a pose's keys: sums[3 i] of the frequencies, of their logarithms, number of keys. */
static void add_up(const pose_key *keys, size_t count, const qn_residue_contacts *contacts, double all, double *sums)
{
    for (size_t first = 0, last; first < count; first = last) {
        double weight = 0;
        for (last = first; last < count && keys[last].key == keys[first].key; last++)
            if (last == first || keys[last].pose != keys[last - 1].pose) weight += contacts[keys[last].pose].weight;
        for (size_t i = first; i < last; i++) {
            if (i > first && keys[i].pose == keys[i - 1].pose) continue;
            double *of = sums + 3 * keys[i].pose;
            of[0] += weight / all;
            of[1] += log(weight / all + frequency_least);
            of[2]++;
        }
    }
}

static void measure_kind(key_kind kind, const qn_residue_contacts *contacts, size_t count, pose_key *keys, double *sums)
{
    double all = 0;
    size_t key_count = 0;
    for (size_t i = 0; i < count; i++) {
        all += contacts[i].weight;
        for (size_t p = 0; p < contacts[i].count; p++)
            keys[key_count++] = (pose_key){key_of(kind, &contacts[i].pairs[p]), (uint32_t)i};
    }
    if (key_count) qsort(keys, key_count, sizeof *keys, by_key);
    memset(sums, 0, 3 * count * sizeof *sums);
    add_up(keys, key_count, contacts, all, sums);
}

qn_status qn_consensus_measure(const qn_residue_contacts *contacts, size_t count, size_t stride, double *scores)
{
    size_t pairs = 0;
    void *keys = NULL, *memory = NULL;
    for (size_t i = 0; i < count; i++) pairs += contacts[i].count;
    qn_status status = qn_allocate(pairs, sizeof(pose_key), &keys);
    if (status == QN_OK) status = qn_allocate(3 * count, sizeof(double), &memory);
    double *sums = memory;
    for (int kind = PAIR; kind <= LIGAND && status == QN_OK; kind++) {
        measure_kind((key_kind)kind, contacts, count, keys, sums);
        for (size_t i = 0; i < count; i++) {
            const double found = fmax(sums[3 * i + 2], 1);
            scores[stride * i + (kind == PAIR ? 0 : (size_t)kind + 1)] = sums[3 * i] / found;
            if (kind == PAIR) scores[stride * i + 1] = sums[3 * i + 1] / found;
        }
    }
    qn_release(&keys);
    qn_release(&memory);
    return status;
}
