#include "chemistry/rings.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "chemistry/tests/smiles.h"

/* Describe rings as "5 5 6a": sizes in ascending order, with an a after aromatic ones. */
static void describe(const qn_rings *rings, char *text, size_t room)
{
    size_t length = 0;
    text[0] = '\0';
    for (int size = 3; size < 2000; size++)
        for (int aromatic = 0; aromatic < 2; aromatic++)
            for (size_t r = 0; r < rings->count; r++)
                if (rings->rings[r].size == size && rings->rings[r].aromatic == (aromatic == 1) && length < room)
                    length += (size_t)snprintf(text + length, room - length, "%s%d%s", length ? " " : "", size,
                                               aromatic ? "a" : "");
}

static qn_status rings_of(const qn_compound *compound, qn_rings *rings)
{
    qn_compound_neighbours neighbours;
    qn_status status = qn_compound_find_neighbours(compound, &neighbours);
    if (status != QN_OK) return status;
    status = qn_rings_find(compound, &neighbours, rings);
    qn_compound_neighbours_clear(&neighbours);
    return status;
}

/* Check that rings close, and that the flags of bonds and atoms follow from the rings. */
static void check_consistent(const qn_compound *compound, const qn_rings *rings)
{
    bool closed = true, flagged = true;
    for (size_t r = 0; r < rings->count; r++)
        for (int i = 0; i < rings->rings[r].size; i++) {
            const qn_ring *ring = &rings->rings[r];
            const qn_compound_bond *bond = &compound->bonds[ring->bonds[i]];
            int a = ring->atoms[i], b = ring->atoms[(i + 1) % ring->size];
            closed &= (bond->first == a && bond->second == b) || (bond->first == b && bond->second == a);
            flagged &= rings->bond_in_ring[ring->bonds[i]];
            flagged &= !ring->aromatic || (rings->atom_aromatic[a] && rings->bond_aromatic[ring->bonds[i]]);
        }
    CHECK(closed);
    CHECK(flagged);
}

static void check_rings(const char *smiles, const char *expected)
{
    qn_compound *compound = smiles_compound(smiles);
    qn_rings rings;
    char text[512];
    if (!CHECK(compound != NULL)) return;
    if (CHECK_OK(rings_of(compound, &rings))) {
        describe(&rings, text, sizeof text);
        if (!CHECK_TEXT(text, expected)) fprintf(stderr, "  in %s\n", smiles);
        check_consistent(compound, &rings);
        qn_rings_clear(&rings);
    }
    qn_compound_destroy(&compound);
}

static void rings_are_the_smallest(void)
{
    check_rings("CCCC", "");
    check_rings("C1CC1CC2CCC2", "3 4");
    check_rings("C1CCCCC1", "6");
    check_rings("C1CC2CCC1C2", "5 5");                     /* norbornane */
    check_rings("C1CC2CCC1CC2", "6 6");                    /* bicyclo[2.2.2]octane: two of its three */
    check_rings("C1C2CC3CC1CC(C2)C3", "6 6 6");            /* adamantane: three of its four */
    check_rings("C12C3C4C1C5C2C3C45", "4 4 4 4 4");        /* cubane: five of its six faces */
    check_rings("C1CC12CC2", "3 3");                       /* spiro */
    check_rings("C1CCC2(CC1)CCCC2.C1CC1", "3 5 6");        /* two molecules */
    check_rings("C12C3C1C23", "3 3 3");                    /* tetrahedrane */
    check_rings("C1CCC2C(C1)CCC3C2CCC4C3CCC4", "5 6 6 6"); /* steroid skeleton */
    check_rings("C1CCCCCCCCCCCCCC1", "15");
}

static void hueckel_rule_finds_aromatic_rings(void)
{
    check_rings("C1=CC=CC=C1", "6a");
    check_rings("c1ccccc1", "6a");
    check_rings("C1=CCC=CC1", "6");
    check_rings("o1cccc1", "5a");
    check_rings("C1=COC=C1", "5a");
    check_rings("[nH]1cccc1", "5a");
    check_rings("n1cccc1", "5a"); /* the hydrogen is missing */
    check_rings("s1cccc1", "5a");
    check_rings("c1cnc[nH]1", "5a");
    check_rings("C1=CN=CN1", "5a");
    check_rings("c1ccncc1", "6a");
    check_rings("c1ccnnc1", "6a"); /* both nitrogens have a double bond */
    check_rings("c1nnn[nH]1", "5a");
    check_rings("c1ccc2ccccc2c1", "6a 6a");
    check_rings("C1=CC2=CC=CC=C2C=C1", "6a 6a");
    check_rings("C1C=CC2=CC=CC=C12", "5 6a"); /* indene */
    check_rings("c1ccc2[nH]ccc2c1", "5a 6a");
    check_rings("C1=CC2=C(C=C1)NC=C2", "5a 6a");
    check_rings("c1ncc2nc[nH]c2n1", "5a 6a");
    check_rings("C1=CC=C2C=CC=C2C=C1", "5a 7a"); /* azulene: ten electrons in both together */
    check_rings("c1cccc2cccc2c1", "5a 7a");
    check_rings("C1=CC=C2C=CC=CN12", "5a 6a"); /* indolizine */
    check_rings("C1=CC=C[N+]2=CC=CC=C12", "6a 6a");
    check_rings("c1cc[n+]([O-])cc1", "6a");
    check_rings("C1=CC=CN(=O)=C1", "6a"); /* the same drawn with five bonds */
    check_rings("[O+]1=CC=CC=C1", "6a");
    check_rings("C1=CC=C[CH-]1", "5a");
    check_rings("c1cccc1", "5a"); /* the anion, drawn aromatic without a charge */
    check_rings("C1=CC=CC=C[CH+]1", "7a");
    check_rings("B1C=CC=CN1", "6a");
    check_rings("c1cc2ccc3cccc4ccc(c1)c2c34", "6a 6a 6a 6a"); /* pyrene */
}

static void rings_that_only_look_aromatic_are_not(void)
{
    check_rings("O=C1C=CC(=O)C=C1", "6");                       /* quinone */
    check_rings("O=C1C=CC=CN1", "6");                           /* pyridone, see rings.c */
    check_rings("O=c1cccc[nH]1", "6");                          /* the same drawn aromatic */
    check_rings("O=C1C=CNC(=O)N1", "6");                        /* uracil */
    check_rings("O=C1NC(N)=NC2=C1N=CN2", "5a 6");               /* guanine: only the imidazole is aromatic */
    check_rings("O=C1C2=CC=CC=C2C(=O)C3=CC=CC=C13", "6 6a 6a"); /* anthraquinone */
    check_rings("C1=CC=CC=CC=C1", "8");
    check_rings("C1=CC=C1", "4");
    check_rings("C1=CC2=CC=CC2=C1", "5 5"); /* pentalene: eight electrons */
    check_rings("C1=CC2=CC=CC=C2C1", "5 6a");
    check_rings("C1=CC2=CCC=C2C=C1", "5 6"); /* isoindene: double bonds lead out of the six-membered ring */
    check_rings("C=C1C=CC=C1", "5");
    check_rings("C1=CNC=CN1", "6"); /* eight electrons */
    check_rings("C1=COC=CO1", "6");
    check_rings("C1CC=CC=C1", "6");
    check_rings("S1SSSSSS1", "7");
    check_rings("O=C1C=CC=CC=C1", "7");
    check_rings("C1=CC=CNC=C1", "7"); /* azepine: eight electrons */
}

/* Make a graph of `count` atoms without bonds; the caller adds `bonds` bonds one by one. */
static qn_compound *bare_graph(size_t count, size_t bonds)
{
    qn_compound *compound = NULL;
    if (qn_compound_create("graph", count, bonds, 1, &compound) != QN_OK) return NULL;
    for (size_t i = 0; i < count; i++) strcpy(compound->atoms[i].element, "C");
    compound->bond_count = 0;
    return compound;
}

static void join(qn_compound *compound, size_t a, size_t b)
{
    compound->bonds[compound->bond_count++] = (qn_compound_bond){(int)a, (int)b, QN_BOND_SINGLE};
}

enum { SMALL = 9, CYCLES_MAX = 40000 };

typedef struct cycle_list {
    uint64_t edges[CYCLES_MAX];
    int count;
} cycle_list;

/* List every simple cycle through `start` and later atoms, as a set of bonds. */
static void walk_cycles(const qn_compound *graph, int start, int at, unsigned visited, uint64_t used, cycle_list *list)
{
    for (size_t i = 0; i < graph->bond_count; i++) {
        int a = graph->bonds[i].first, b = graph->bonds[i].second;
        if ((used >> i & 1) || (a != at && b != at)) continue;
        int next = a == at ? b : a;
        if (next == start && list->count < CYCLES_MAX) list->edges[list->count++] = used | (uint64_t)1 << i;
        if (next <= start || (visited >> next & 1)) continue;
        walk_cycles(graph, start, next, visited | 1U << next, used | (uint64_t)1 << i, list);
    }
}

/* Sum of the sizes of a minimum cycle basis: cycles are taken in ascending order if they are independent of those taken
 * before. */
static int smallest_sum(const qn_compound *graph, cycle_list *list)
{
    uint64_t basis[64] = {0};
    int sum = 0;
    list->count = 0;
    for (int start = 0; start < SMALL; start++) walk_cycles(graph, start, start, 1U << start, 0, list);
    for (int size = 3; size <= SMALL; size++)
        for (int i = 0; i < list->count; i++) {
            uint64_t cycle = list->edges[i];
            if (__builtin_popcountll(cycle) != size) continue;
            while (cycle && basis[__builtin_ctzll(cycle)]) cycle ^= basis[__builtin_ctzll(cycle)];
            if (!cycle) continue;
            basis[__builtin_ctzll(cycle)] = cycle;
            sum += size;
        }
    return sum;
}

static void rings_of_random_graphs_are_a_smallest_basis(void)
{
    cycle_list *list = calloc(1, sizeof *list);
    uint32_t state = 4711;
    for (int round = 0; round < 200 && CHECK(list != NULL); round++) {
        qn_compound *graph = bare_graph(SMALL, SMALL * SMALL);
        qn_rings rings;
        int sum = 0, density = 2 + round % 4;
        for (size_t i = 0; i < SMALL; i++)
            for (size_t k = 0; k < i; k++) {
                state = state * 1664525U + 1013904223U;
                if ((state >> 16) % 10 < (uint32_t)density) join(graph, i, k);
            }
        if (CHECK_OK(rings_of(graph, &rings))) {
            for (size_t r = 0; r < rings.count; r++) sum += rings.rings[r].size;
            CHECK(sum == smallest_sum(graph, list));
            check_consistent(graph, &rings);
            qn_rings_clear(&rings);
        }
        qn_compound_destroy(&graph);
    }
    free(list);
}

static void a_buckyball_has_31_rings(void)
{
    qn_compound *compound = bare_graph(60, 90);
    if (!CHECK(compound != NULL)) return;
    /* C60 drawn around one of its pentagons: circles of 5, 15, 20, 15 and 5 atoms, joined by bonds */
    static const int first[] = {0, 5, 20, 40, 55}, size[] = {5, 15, 20, 15, 5};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < size[k]; i++)
            join(compound, (size_t)(first[k] + i), (size_t)(first[k] + (i + 1) % size[k]));
    for (int i = 0; i < 5; i++) {
        join(compound, (size_t)i, (size_t)(5 + 3 * i));
        join(compound, (size_t)(5 + 3 * i + 1), (size_t)(20 + 4 * i));
        join(compound, (size_t)(5 + 3 * i + 2), (size_t)(20 + 4 * i + 3));
        join(compound, (size_t)(20 + 4 * i + 1), (size_t)(40 + 3 * i));
        join(compound, (size_t)(20 + 4 * i + 2), (size_t)(40 + 3 * i + 2));
        join(compound, (size_t)(40 + 3 * i + 1), (size_t)(55 + i));
    }
    qn_rings rings;
    CHECK(compound->bond_count == 90);
    if (CHECK_OK(rings_of(compound, &rings))) {
        size_t fives = 0, sixes = 0;
        for (size_t r = 0; r < rings.count; r++) {
            fives += rings.rings[r].size == 5;
            sixes += rings.rings[r].size == 6;
        }
        CHECK(rings.count == 31);
        CHECK(fives == 12);
        CHECK(sixes == 19);
        check_consistent(compound, &rings);
        qn_rings_clear(&rings);
    }
    qn_compound_destroy(&compound);
}

static void large_graphs_are_quick_or_refused(void)
{
    qn_compound *loop = bare_graph(100000, 100000);
    qn_rings rings;
    if (!CHECK(loop != NULL)) return;
    for (size_t i = 0; i < 100000; i++) join(loop, i, (i + 1) % 100000);
    if (CHECK_OK(rings_of(loop, &rings))) {
        CHECK(rings.count == 1 && rings.rings[0].size == 100000);
        qn_rings_clear(&rings);
    }
    qn_compound_destroy(&loop);

    qn_compound *ladder = bare_graph(1000, 1500); /* 499 rings of four */
    for (size_t i = 0; i < 500; i++) {
        join(ladder, 2 * i, 2 * i + 1);
        if (i == 499) break;
        join(ladder, 2 * i, 2 * i + 2);
        join(ladder, 2 * i + 1, 2 * i + 3);
    }
    if (CHECK_OK(rings_of(ladder, &rings))) {
        CHECK(rings.count == 499);
        CHECK(rings.rings[0].size == 4 && rings.rings[498].size == 4);
        qn_rings_clear(&rings);
    }
    qn_compound_destroy(&ladder);

    size_t side = 200; /* a sheet of 40,000 atoms */
    qn_compound *sheet = bare_graph(side * side, 2 * side * side);
    for (size_t i = 0; i < side; i++)
        for (size_t k = 0; k < side; k++) {
            if (k + 1 < side) join(sheet, i * side + k, i * side + k + 1);
            if (i + 1 < side) join(sheet, i * side + k, (i + 1) * side + k);
        }
    CHECK_FAILS(rings_of(sheet, &rings), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("39601 fused rings");
    CHECK(rings.rings == NULL);
    qn_compound_destroy(&sheet);
}

/* Two atoms joined through n others have n (n − 1) / 2 rings of four, all of one family. */
static void many_families_take_little_memory(void)
{
    const size_t between = 5000;
    qn_compound *melon = bare_graph(between + 2, 2 * between);
    qn_rings rings;
    if (!CHECK(melon != NULL)) return;
    for (size_t i = 0; i < between; i++) {
        join(melon, i, between);
        join(melon, i, between + 1);
    }
    const long before_kib = check_peak_kib();
    CHECK_FAILS(rings_of(melon, &rings), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("4999 fused rings");
    CHECK(check_peak_kib() - before_kib < 200 * 1024);
    qn_compound_destroy(&melon);
}

static void impossible_bonds_are_refused(void)
{
    qn_compound *compound = bare_graph(3, 3);
    qn_rings rings;
    join(compound, 0, 1);
    join(compound, 1, 1);
    CHECK_FAILS(rings_of(compound, &rings), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("atom 2 to itself");
    compound->bond_count = 1;
    join(compound, 1, 0);
    CHECK_FAILS(rings_of(compound, &rings), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("another bond joins");
    qn_compound_destroy(&compound);
}

int main(void)
{
    RUN(rings_are_the_smallest);
    RUN(hueckel_rule_finds_aromatic_rings);
    RUN(rings_that_only_look_aromatic_are_not);
    RUN(rings_of_random_graphs_are_a_smallest_basis);
    RUN(a_buckyball_has_31_rings);
    RUN(large_graphs_are_quick_or_refused);
    RUN(many_families_take_little_memory);
    RUN(impossible_bonds_are_refused);
    return check_finish();
}
