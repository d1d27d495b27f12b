/* devices: host opencl:0 cuda:0 checking:host */
/* Decks: one that this test writes, with energies computed from the definition, and miniBUDE's bm1 where it is present.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "math/random.h"
#include "screen/deck.h"

enum { LIGAND = 7, RECEPTOR = 61, TYPES = 5, POSES = 150 };

static qn_context *context;
static qn_device *device;

typedef struct record {
    float x, y, z;
    int32_t type;
} record;

typedef struct type_record {
    int32_t letter;
    float radius, hydrophobic, charge;
} type_record;

static const type_record type_records[TYPES] = {{'-', 1.42f, -0.8f, 0},
                                                {'F', 1.64f, -0.7f, 1},
                                                {'E', 1.59f, 0.62f, 0.25f},
                                                {'D', 1.42f, 0.2f, -0.4f},
                                                {'F', 1.42f, 0, -2}};
static record ligand[LIGAND], receptor[RECEPTOR];
static float poses[6][POSES];

static double uniform(uint64_t stream, int index)
{
    return qn_random_uniform(19, stream, (uint64_t)index);
}

static void write_file(const char *folder, const char *name, const void *data, size_t bytes)
{
    char *path = NULL;
    CHECK_OK(qn_path_join(folder, name, &path));
    CHECK_OK(qn_file_write(path, data, bytes));
    qn_release(&path);
}

/* Rotate an atom about x by a, then about y by b, then about z by c, and translate it. */
static void move(const float *pose, const record *atom, double moved[3])
{
    const double sa = sin((double)pose[0]), ca = cos((double)pose[0]), sb = sin((double)pose[POSES]);
    const double cb = cos((double)pose[POSES]), sc = sin((double)pose[2 * POSES]), cc = cos((double)pose[2 * POSES]);
    double x = (double)atom->x, y = (double)atom->y, z = (double)atom->z, turned;
    turned = ca * y - sa * z;
    z = sa * y + ca * z;
    y = turned;
    turned = cb * x + sb * z;
    z = cb * z - sb * x;
    x = turned;
    turned = cc * x - sc * y;
    y = sc * x + cc * y;
    x = turned;
    moved[0] = x + (double)pose[3 * POSES];
    moved[1] = y + (double)pose[4 * POSES];
    moved[2] = z + (double)pose[5 * POSES];
}

static double energy_of_pair(const type_record *a, const type_record *b, double r)
{
    const double radius = (double)a->radius + (double)b->radius, x = r - radius;
    const double reach = a->letter == 'F' && b->letter == 'F' ? 4 : 2;
    double charge = 22.5 * (double)a->charge * (double)b->charge * fmin(1, fmax(0, 1 - x / reach));
    double energy = x < 0 ? 38 * (1 - r / radius) : 0;
    energy += a->letter == 'E' || b->letter == 'E' ? -fabs(charge) : charge;
    const double i = (double)a->hydrophobic, j = (double)b->hydrophobic;
    const double far = fmin(1, fmax(0, 1 - x / 5.5)), near = fmin(1, fmax(0, 1 - x));
    if (i < 0 && j < 0) return energy + 0.5 * (i + j) * far;
    if (i < 0 && j > 0) return energy + 0.5 * (j - i) * near;
    if (i > 0 && j < 0) return energy + 0.5 * (i - j) * near;
    return i == 0 && j < 0 ? energy + 0.5 * j * near : energy;
}

static double energy_of_pose(int pose)
{
    double energy = 0;
    for (int i = 0; i < LIGAND; i++) {
        double at[3];
        move(&poses[0][pose], &ligand[i], at);
        for (int j = 0; j < RECEPTOR; j++) {
            const double dx = at[0] - (double)receptor[j].x, dy = at[1] - (double)receptor[j].y,
                         dz = at[2] - (double)receptor[j].z;
            energy += energy_of_pair(&type_records[ligand[i].type], &type_records[receptor[j].type],
                                     sqrt(dx * dx + dy * dy + dz * dz));
        }
    }
    return energy;
}

static record draw_atom(uint64_t stream, int index, double side)
{
    return (record){
        (float)(side * (uniform(stream, 4 * index) - 0.5)), (float)(side * (uniform(stream, 4 * index + 1) - 0.5)),
        (float)(side * (uniform(stream, 4 * index + 2) - 0.5)), (int32_t)(TYPES * uniform(stream, 4 * index + 3))};
}

/* Write a deck with reference energies by the definition in this file; *best: the pose of the lowest energy. */
static void write_deck(const char *folder, int *best)
{
    static char text[POSES * 32];
    size_t length = 0;
    double lowest = INFINITY;
    for (int i = 0; i < LIGAND; i++) ligand[i] = draw_atom(1, i, 5);
    for (int j = 0; j < RECEPTOR; j++) receptor[j] = draw_atom(2, j, 18);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < POSES; i++) poses[k][i] = (float)((k < 3 ? 6.3 : 26) * (uniform(3 + (uint64_t)k, i) - 0.5));
    for (int i = 0; i < POSES; i++) {
        const double energy = energy_of_pose(i);
        if (energy < lowest) *best = i;
        lowest = fmin(lowest, energy);
        length += (size_t)snprintf(text + length, 32, "%.6f\n", energy);
    }
    write_file(folder, "forcefield.in", type_records, sizeof type_records);
    write_file(folder, "ligand.in", ligand, sizeof ligand);
    write_file(folder, "protein.in", receptor, sizeof receptor);
    write_file(folder, "poses.in", poses, sizeof poses);
    write_file(folder, "ref_energies.out", text, length);
}

static qn_status score(const char *folder, int count, bool exact, bool cull, const char *energies,
                       qn_screen_deck_result **result)
{
    qn_screen_deck_options options = qn_screen_deck_default_options();
    options.folder = folder;
    options.poses = count;
    options.exact = exact;
    options.cull = cull;
    options.energies = energies;
    return qn_screen_deck(device, &options, result);
}

static void energies_of_a_small_deck_agree_with_the_definition(void)
{
    char folder[512], path[600];
    int best = -1;
    qn_screen_deck_result *result;
    snprintf(folder, sizeof folder, "%s", check_scratch_folder());
    write_deck(folder, &best);
    snprintf(path, sizeof path, "%s/energies.txt", folder);
    for (int mode = 0; mode < 4; mode++) {
        if (!CHECK_OK(score(folder, 0, mode & 1, mode & 2, path, &result))) return;
        CHECK(result->receptor_atoms == RECEPTOR && result->ligand_atoms == LIGAND && result->pose_count == POSES);
        CHECK(result->checked == POSES && result->failed == 0);
        CHECK(result->worst_difference < 5e-5 && result->best_pose == best);
        CHECK_NEAR(result->best_energy, energy_of_pose(best), 1e-3);
        if (mode < 3) qn_screen_deck_result_destroy(&result);
    }
    char *text = NULL;
    size_t size;
    if (!CHECK_OK(qn_file_read(path, &text, &size))) return;
    char *line = text;
    for (int i = 0; i < POSES; i++) {
        const double energy = energy_of_pose(i);
        char in_memory[32];
        const size_t length = strcspn(line += *line == '\n', "\n");
        snprintf(in_memory, sizeof in_memory, "%.6f", (double)result->energies[i]);
        CHECK(length == strlen(in_memory) && strncmp(line, in_memory, length) == 0);
        CHECK_NEAR(strtod(line, &line), energy, 5e-5 * fmax(1, fabs(energy)));
    }
    qn_screen_deck_result_destroy(&result);
    CHECK(result == NULL);
    CHECK_TEXT(line, "\n");
    qn_release(&text);
    if (!CHECK_OK(score(folder, 67, false, false, NULL, &result))) return;
    CHECK(result->pose_count == 67 && result->checked == 67 && result->failed == 0);
    qn_screen_deck_result_destroy(&result);
}

static void broken_decks_are_refused(void)
{
    char folder[512];
    int best;
    qn_screen_deck_result *result;
    snprintf(folder, sizeof folder, "%s", check_scratch_folder());
    CHECK_FAILS(score("/nonexistent", 0, false, false, NULL, &result), QN_NOT_FOUND);
    write_deck(folder, &best);
    CHECK_FAILS(score(folder, POSES + 1, false, false, NULL, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("151 poses");
    CHECK(result == NULL);
    CHECK_FAILS(score(folder, -1, false, false, NULL, &result), QN_INVALID_ARGUMENT);
    receptor[3].type = TYPES;
    write_file(folder, "protein.in", receptor, sizeof receptor);
    CHECK_FAILS(score(folder, 0, false, false, NULL, &result), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("protein.in: atom 4 has type 5");
    write_deck(folder, &best);
    write_file(folder, "ligand.in", ligand, sizeof ligand - 1);
    CHECK_FAILS(score(folder, 0, false, false, NULL, &result), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("111 bytes");
    ligand[2].y = NAN;
    write_file(folder, "ligand.in", ligand, sizeof ligand);
    CHECK_FAILS(score(folder, 0, false, false, NULL, &result), QN_BAD_FORMAT);
    write_deck(folder, &best);
    poses[5][POSES - 1] = INFINITY;
    write_file(folder, "poses.in", poses, sizeof poses);
    CHECK_FAILS(score(folder, 0, false, false, NULL, &result), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("number 900");
    write_deck(folder, &best);
    write_file(folder, "ref_energies.out", "1.5\nx\n", 6);
    CHECK_FAILS(score(folder, 0, false, false, NULL, &result), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("ref_energies.out:2");
    write_file(folder, "forcefield.in", "Qabcdefghijklmno", 16);
    CHECK_FAILS(score(folder, 0, false, false, NULL, &result), QN_BAD_FORMAT);
}

/* A deck with another number of reference energies than poses is refused, however many poses are scored. */
static void reference_energies_of_other_poses_are_refused(void)
{
    static const char *const messages[] = {"ref_energies.out: 0 energies; expected 150, one for each pose of poses.in",
                                           "ref_energies.out: 1 energy; expected 150",
                                           "ref_energies.out: 149 energies; expected 150",
                                           "ref_energies.out: 151 energies; expected 150"};
    static const int counts[] = {0, 1, POSES - 1, POSES + 1};
    const char *folder = check_scratch_folder();
    char text[(POSES + 1) * 32];
    int best;
    qn_screen_deck_result *result;
    write_deck(folder, &best);
    for (int i = 0; i < 4; i++) {
        size_t length = 0;
        for (int pose = 0; pose < counts[i]; pose++)
            length += (size_t)snprintf(text + length, 32, "%.6f\n", energy_of_pose(pose % POSES));
        write_file(folder, "ref_energies.out", text, length);
        CHECK_FAILS(score(folder, i == 2 ? 10 : 0, false, false, NULL, &result), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(messages[i]);
    }
}

/* bm1 gives the published energies, which are precise enough to distinguish a hardness of 38 from 38.2. */
static void published_energies_are_reproduced(void)
{
    enum { FIRST = 2048, BEST = 39734 };
    static float energies[FIRST];
    const char *folder = check_reference_data("docking/bude_bm1");
    qn_screen_deck_result *result, changed = {0};
    qn_deck deck;
    double seconds;
    if (!CHECK_OK(qn_deck_read(folder, &deck))) return;
    const bool is_gpu = qn_device_get_info(device)->kind != QN_DEVICE_CPU;
    const int count = is_gpu ? deck.pose_count : FIRST;
    CHECK(deck.pose_count == 65536 && deck.reference_count == 65536);
    for (int exact = 0; exact < 2; exact++) {
        if (!CHECK_OK(score(folder, count, exact, false, NULL, &result))) break;
        CHECK(result->checked == count && result->failed == 0);
        if (is_gpu) CHECK(result->best_pose == BEST);
        qn_screen_deck_result_destroy(&result);
    }
    /* The best pose alone */
    for (int k = 0; k < 6; k++)
        deck.poses[(size_t)k * (size_t)deck.pose_count] = deck.poses[(size_t)k * (size_t)deck.pose_count + BEST];
    CHECK_OK(qn_deck_score(device, &deck, 1, false, false, energies, &seconds));
    CHECK_NEAR((double)energies[0], -125.06, 0.005);
    deck.reference[0] = deck.reference[BEST];
    for (int i = 0; i < deck.type_count; i++) deck.types[i].hardness = 38.2f;
    CHECK_OK(qn_deck_score(device, &deck, FIRST, false, false, energies, &seconds));
    qn_screen_deck_check(&deck, FIRST, energies, &changed);
    CHECK(changed.checked == FIRST && changed.failed > FIRST / 2);
    qn_deck_clear(&deck);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context) != QN_OK)
        return 1;
    if (qn_device_open(context, identifier, &device) != QN_OK) check_skip(identifier, qn_error_message());
    RUN(energies_of_a_small_deck_agree_with_the_definition);
    RUN(broken_decks_are_refused);
    RUN(reference_energies_of_other_poses_are_refused);
    if (check_reference_data("docking/bude_bm1")) RUN(published_energies_are_reproduced);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
