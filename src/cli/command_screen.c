/* quern screen: a library of small molecules into a receptor's site; also packs libraries and scores benchmark decks.
 */
#include <quern/screen.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"

typedef struct settings {
    qn_screen_options screen;
    cli_list libraries;
    const char *box, *deck, *energies;
    bool pack, all_pairs;
    int threads;
    bool quiet;
} settings;

#define FIELD(name) offsetof(settings, screen.name)

static const cli_positional positionals[] = {
    {.name = "RECEPTOR",
     .offset = FIELD(receptor),
     .optional = true,
     .help = "kept in place: PDB, mmCIF, PDBQT or MOL2, gzipped or not; FILE:AB picks chains A and B of the first two"},
    {.name = "LIBRARY",
     .offset = offsetof(settings, libraries),
     .many = true,
     .optional = true,
     .help =
         "molecules to dock, one file or several: SDF, MOL2, PDBQT, a packed library (.qlib), or SMILES (.smi) where "
         "Open Babel is installed; gzipped or not; with --pack also -, standard input"},
    {0}};

static const cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = CLI_TEXT,
     .argument = "PATH",
     .offset = FIELD(output),
     .help =
         "folder for the results, made when absent, and must be empty without --resume; with --pack the file to write"},
    {.name = "box",
     .letter = 'b',
     .type = CLI_TEXT,
     .argument = "X,Y,Z,SIDE",
     .offset = offsetof(settings, box),
     .help = "cube in Å that the molecule's centroid stays in: its centre and side, or three sides"},
    {.name = "site",
     .letter = 's',
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = FIELD(site),
     .help =
         "lay the box around a ligand that sits in the site: SDF, MOL2, PDBQT, PDB or mmCIF; the same ligand is left "
         "out of the receptor"},
    {.name = "pocket",
     .letter = 'p',
     .type = CLI_TEXT,
     .argument = "RESIDUES",
     .offset = FIELD(pocket),
     .help = "take the box from the receptor's residues that line the site, such as A:30-40,A:77"},
    {.name = "margin",
     .type = CLI_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(margin_angstrom),
     .least = 0.5,
     .most = 50,
     .help = "how far from the centroid of --site a molecule's centroid may be, in Å along each axis"},
    {.name = "score",
     .type = CLI_CHOICE,
     .argument = "NAME",
     .offset = FIELD(score),
     .choices = "bude vina",
     .help = "scoring function: BUDE's empirical free energy (kJ/mol) or AutoDock Vina's (kcal/mol)"},
    {.name = "conformers",
     .letter = 'c',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(conformers),
     .least = 0,
     .most = 1000,
     .default_text = "those in the file",
     .help = "conformers of each molecule; made by turning rotatable bonds where the file has fewer"},
    {.name = "generations",
     .letter = 'g',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(generations),
     .least = 1,
     .most = 1000,
     .help = "generations of poses"},
    {.name = "poses",
     .letter = 'n',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(poses),
     .least = 0,
     .most = 1048576,
     .default_text = "512, on a GPU 2048, for each 7500 Å³ of the box",
     .help = "poses of a generation, a multiple of 64; with --deck the first poses to score (all)"},
    {.name = "keep",
     .letter = 'k',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(keep),
     .least = 1,
     .most = 32,
     .help = "poses of a molecule that are written"},
    {.name = "diversity",
     .type = CLI_NUMBER,
     .argument = "ANGSTROM",
     .offset = FIELD(diversity_angstrom),
     .least = 0,
     .most = 50,
     .help = "RMSD in Å by which these differ at least; equivalent atoms may change places"},
    {.name = "top",
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(top),
     .least = 1,
     .most = 1000000,
     .help = "best molecules whose poses go into hits.sdf"},
    {.name = "actives",
     .type = CLI_TEXT,
     .argument = "WHICH",
     .offset = FIELD(actives),
     .default_text = "",
     .help =
         "names of molecules known to bind, one a line, or the library's data item that tells them, NAME=VALUE: the "
         "report then says how well they were found (ROC, enrichment)"},
    {.name = "seed",
     .type = CLI_SEED,
     .argument = "NUMBER",
     .offset = FIELD(run.seed),
     .help = "seed of the random numbers"},
    {.name = "exact",
     .type = CLI_FLAG,
     .offset = FIELD(exact),
     .help = "only correctly rounded operations: the same bytes on every device, more slowly"},
    {.name = "no-cull",
     .type = CLI_FLAG,
     .offset = offsetof(settings, all_pairs),
     .help = "compute the pairs with receptor atoms out of reach, too: the same energies, several times more slowly"},
    {.name = "strict",
     .type = CLI_FLAG,
     .offset = FIELD(run.strict),
     .help = "exit with 1 when molecules were rejected"},
    {.name = "resume",
     .type = CLI_FLAG,
     .offset = FIELD(run.resume),
     .help = "go on with an interrupted run in the output folder"},
    {.name = "pack",
     .type = CLI_FLAG,
     .offset = offsetof(settings, pack),
     .help = "write the files given as one packed library, which takes a quarter of the room and no time to read"},
    {.name = "deck",
     .type = CLI_TEXT,
     .argument = "FOLDER",
     .offset = offsetof(settings, deck),
     .help = "score the poses of a miniBUDE deck and check them against its reference energies; takes no files"},
    {.name = "energies",
     .type = CLI_TEXT,
     .argument = "FILE",
     .offset = offsetof(settings, energies),
     .help = "write the deck's energies to FILE, one a line"},
    {.name = "batch",
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(run.batch),
     .least = 0,
     .most = 1024,
     .default_text = "chosen from the device's memory",
     .help = "conformers computed together; changes speed and memory, not results"},
    {.name = "device",
     .letter = 'd',
     .type = CLI_TEXT,
     .argument = "DEVICE",
     .offset = FIELD(run.device),
     .help = "auto, host, opencl:N or cuda:N (see quern devices); checking:DEVICE verifies every kernel and is slow"},
    {.name = "threads",
     .letter = 't',
     .type = CLI_INTEGER,
     .argument = "COUNT",
     .offset = offsetof(settings, threads),
     .least = 0,
     .most = 4096,
     .default_text = "every processor this process may use, shared among ranks",
     .help = "CPU threads"},
    {.name = "tune",
     .type = CLI_CHOICE,
     .argument = "HOW",
     .offset = FIELD(run.tune),
     .choices = "auto online offline known off",
     .help =
         "how kernels find their fastest configurations: online tries some while it searches, offline before, known "
         "uses what earlier runs found, off uses defaults; auto: online when the search is estimated to take over a "
         "minute, else known (also QUERN_TUNE)"},
    {.name = "tune-budget",
     .type = CLI_TEXT,
     .argument = "SHARE",
     .offset = FIELD(run.tune_budget),
     .help = "share of the search's throughput that trying configurations may cost, such as 5%"},
    {.name = "explain",
     .type = CLI_FLAG,
     .offset = FIELD(run.explain),
     .help = "say which kernel configurations are used, and where they came from"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = offsetof(settings, quiet),
     .help = "print warnings and errors only"},
    {0}};

static void set_defaults(void *memory)
{
    settings *chosen = memory;
    *chosen = (settings){.screen = qn_screen_default_options()};
}

/* "x,y,z,side" or "x,y,z,a,b,c" */
static bool read_box(const char *text, qn_screen_options *screen)
{
    double number[6];
    int count = 0;
    for (const char *at = text; count < 6; at++) {
        char *end;
        number[count] = strtod(at, &end);
        /* also refuses what is not finite */
        if (end == at || !(number[count] > -1e6 && number[count] < 1e6)) return false;
        count++;
        at = end;
        if (*at == '\0') break;
        if (*at != ',') return false;
        if (count == 6) return false;
    }
    if (count != 4 && count != 6) return false;
    for (int i = 0; i < 3; i++) {
        screen->box_centre_angstrom[i] = number[i];
        screen->box_side_angstrom[i] = number[count == 4 ? 3 : 3 + i];
        if (!(screen->box_side_angstrom[i] > 0)) return false;
    }
    return true;
}

static int usage(const char *sentence)
{
    return cli_error(CLI_USAGE, "screen: %s (see quern screen -h)", sentence);
}

/* "1 molecule", "3 molecules" */
static const char *plural(unsigned long long count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

static void print_deck(const settings *chosen, const qn_screen_deck_summary *deck)
{
    if (chosen->quiet) return;
    printf("%d %s of %d ligand %s on %d receptor %s: %.3f s, %.3g interactions/s\n", deck->poses,
           plural((unsigned long long)deck->poses, "pose", "poses"), deck->ligand_atoms,
           plural((unsigned long long)deck->ligand_atoms, "atom", "atoms"), deck->receptor_atoms,
           plural((unsigned long long)deck->receptor_atoms, "atom", "atoms"), deck->seconds, deck->interactions_per_s);
    if (chosen->screen.cull)
        puts("these count pairs that are out of reach, which were left out; --no-cull computes all");
    printf("best pose %d, energy %.2f kJ/mol\n", deck->best_pose, deck->best_energy);
    if (deck->checked)
        printf("%d %s checked, worst difference %.2g of max(1, |reference|), %d over 2.5e-4\n", deck->checked,
               plural((unsigned long long)deck->checked, "energy", "energies"), deck->worst_difference, deck->failed);
    else
        puts("the deck has no reference energies to check against");
}

static int score_deck(qn_context *context, const settings *chosen)
{
    qn_device *device = NULL;
    qn_screen_deck_summary summary = {0};
    const qn_screen_options *screen = &chosen->screen;
    qn_status status = qn_device_open(context, screen->run.device, &device);
    if (status == QN_OK)
        status = qn_screen_deck(device, chosen->deck, screen->poses, screen->exact, screen->cull, chosen->energies,
                                &summary);
    qn_device_release(&device);
    int exit_code = cli_report(status);
    if (exit_code != CLI_DONE) return exit_code;
    print_deck(chosen, &summary);
    if (summary.failed == 0) return CLI_DONE;
    return cli_error(CLI_FAILED, "%s: %d of %d energies differ from the reference", chosen->deck, summary.failed,
                     summary.checked);
}

static int pack(qn_context *context, const settings *chosen)
{
    uint64_t molecules = 0, rejected = 0;
    size_t count = chosen->libraries.count + 1;
    const char **files = malloc(count * sizeof *files);
    if (!files) return cli_error(CLI_FAILED, "out of memory");
    files[0] = chosen->screen.receptor; /* there is no receptor: it is the first of the files */
    if (count > 1) memcpy(files + 1, chosen->libraries.items, (count - 1) * sizeof *files);
    int exit_code = cli_report(qn_screen_pack(context, files, count, chosen->screen.output, &molecules, &rejected));
    free(files);
    if (exit_code == CLI_DONE && !chosen->quiet)
        printf("%llu %s in %s, %llu rejected\n", (unsigned long long)molecules,
               plural(molecules, "molecule", "molecules"), chosen->screen.output, (unsigned long long)rejected);
    if (exit_code == CLI_DONE && rejected && chosen->screen.run.strict)
        return cli_error(CLI_FAILED, "%llu %s rejected, see %s.rejected.csv", (unsigned long long)rejected,
                         plural(rejected, "molecule was", "molecules were"), chosen->screen.output);
    return exit_code;
}

static void print_summary(const settings *chosen, const qn_screen_summary *summary)
{
    char duration[48];
    const unsigned long long scored = summary->molecules - summary->rejected;
    cli_format_duration(summary->seconds, duration, sizeof duration);
    printf("%llu %s scored in %llu %s, %llu rejected, best energy %.2f %s\n", scored,
           plural(scored, "molecule", "molecules"), (unsigned long long)summary->conformers,
           plural(summary->conformers, "conformer", "conformers"), (unsigned long long)summary->rejected,
           summary->best_energy, strcmp(chosen->screen.score, "vina") == 0 ? "kcal/mol" : "kJ/mol");
    if (summary->interactions_per_s > 0)
        printf("%.3g interactions/s, %.0f %% of the search spent scoring, %s in all\n", summary->interactions_per_s,
               100 * summary->scoring_share, duration);
    else
        printf("every molecule had been searched before, %s in all\n", duration);
    if (summary->rejected) printf("why molecules were rejected: %s/rejected.csv\n", chosen->screen.output);
    printf("results in %s, report in %s\n", chosen->screen.output, summary->report);
}

typedef struct screening {
    qn_screen_options *options;
    qn_screen_summary summary;
} screening;

static qn_status run_screening(qn_context *context, cli_progress *progress, void *user)
{
    screening *job = user;
    job->options->run.progress = cli_progress_on_progress;
    job->options->run.progress_user = progress;
    qn_status status = qn_screen_run(context, job->options, &job->summary);
    progress->mute = status == QN_CANCELLED && !job->summary.report[0];
    return status;
}

static int screen(settings *chosen)
{
    screening job = {.options = &chosen->screen};
    const qn_context_options of_context = {.threads = chosen->threads, .explain = chosen->screen.run.explain};
    chosen->screen.libraries = chosen->libraries.items;
    chosen->screen.library_count = chosen->libraries.count;
    int exit_code = cli_progress_run(&of_context, chosen->quiet, run_screening, &job);
    if (exit_code == CLI_DONE && !chosen->quiet && job.summary.report[0]) print_summary(chosen, &job.summary);
    return exit_code;
}

/* What the tables cannot say: which files and options belong together. CLI_DONE when all is well. */
static int check_usage(settings *chosen)
{
    const qn_screen_options *screen = &chosen->screen;
    if (chosen->deck && (screen->receptor || chosen->pack)) return usage("--deck takes no files and no --pack");
    if (chosen->deck && screen->output) return usage("--deck makes no folder; --energies FILE keeps its energies");
    if (chosen->deck && strcmp(screen->score, "bude") != 0) return usage("a deck is scored with --score bude");
    if (chosen->energies && !chosen->deck) return usage("--energies belongs to --deck");
    if (chosen->all_pairs && strcmp(screen->score, "bude") != 0) return usage("--no-cull belongs to --score bude");
    if (chosen->deck) return CLI_DONE;
    if (!screen->receptor) return usage(chosen->pack ? "LIBRARY is missing" : "RECEPTOR is missing");
    if (!chosen->pack && chosen->libraries.count == 0) return usage("LIBRARY is missing");
    if (!screen->output) return usage("--output PATH is missing");
    if (chosen->pack && (chosen->box || screen->site || screen->pocket))
        return usage("--pack docks nothing: expected files, --output and --strict alone");
    if (chosen->pack) return CLI_DONE;
    if ((chosen->box != NULL) + (screen->site != NULL) + (screen->pocket != NULL) != 1)
        return usage("where to dock is said by one of --box, --site and --pocket");
    if (!screen->site && screen->margin_angstrom != qn_screen_default_options().margin_angstrom)
        return usage("--margin belongs to --site");
    if (chosen->box && !read_box(chosen->box, &chosen->screen))
        return cli_error(CLI_USAGE,
                         "screen: --box is \"%s\"; expected centre and side in Å, X,Y,Z,SIDE or X,Y,Z,A,B,C "
                         "(see quern screen -h)",
                         chosen->box);
    return CLI_DONE;
}

static int run(void *memory)
{
    settings *chosen = memory;
    qn_context *context = NULL;
    int exit_code = check_usage(chosen);
    if (exit_code != CLI_DONE) return exit_code;
    chosen->screen.cull = !chosen->all_pairs;
    if (!chosen->pack && !chosen->deck) return screen(chosen);
    const qn_context_options of_context = {.threads = chosen->threads, .log = cli_log_warning};
    exit_code = cli_report(qn_context_create(&of_context, &context));
    if (exit_code == CLI_DONE) exit_code = chosen->deck ? score_deck(context, chosen) : pack(context, chosen);
    qn_context_destroy(&context);
    return exit_code;
}

const cli_command cli_screen = {
    .name = "screen",
    .summary = "dock a library of small molecules into a receptor's site and rank them",
    .description =
        "Virtual screening by rigid docking: each molecule, in each of its conformers, is placed in the site by an "
        "evolutionary search and scored. Writes scores.csv, hits.sdf, rejected.csv, run.json and report.html into the "
        "output folder. Under mpirun the molecules are dealt to all processes. With --pack it writes a packed library, "
        "with --deck it scores a benchmark deck.",
    .positionals = positionals,
    .options = options,
    .settings_bytes = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run,
};
