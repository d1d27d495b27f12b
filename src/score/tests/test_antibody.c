#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "score/antibody.h"

/* Published sequences of variable domains with their regions, H1 as in AbM. */
#define D13_LIGHT \
    "DIVLTQSPASLSASVGETVTITCRASGNIHNYLAWYQQKQGKSPQLLVYYTTTLADGVPSRFSGSGSGTQYSLKINSLQPEDFGSYYCQHFWSTPRTFGGGTKLEIKR"
#define D13_HEAVY                                                                                                      \
    "QVQLQESGPGLVAPSQSLSITCTVSGFSLTGYGVNWVRQPPGKGLEWLGMIWGDGNTDYNSALKSRLSISKDNSKSQVFLKMNSLHTDDTARYYCARERDYRLDYWGQGTTL" \
    "TVSS"
#define LINKER "GGGGSGGGGSGGGGS"

typedef struct published {
    const char *name;
    qn_antibody_kind kind;
    const char *sequence, *regions[3];
} published;

static const published antibodies[] = {
    {"D1.3 light", QN_ANTIBODY_LIGHT, D13_LIGHT, {"RASGNIHNYLA", "YTTTLAD", "QHFWSTPRT"}},
    {"D1.3 heavy", QN_ANTIBODY_HEAVY, D13_HEAVY, {"GFSLTGYGVN", "MIWGDGNTDYNSALKS", "ERDYRLDY"}},
    {"bevacizumab light",
     QN_ANTIBODY_LIGHT,
     "DIQMTQSPSSLSASVGDRVTITCSASQDISNYLNWYQQKPGKAPKVLIYFTSSLHSGVPSRFSGSGSGTDFTLTISSLQPEDFATYYCQQYSTVPWTFGQGTKVEIKRTV",
     {"SASQDISNYLN", "FTSSLHS", "QQYSTVPWT"}},
    {"bevacizumab heavy",
     QN_ANTIBODY_HEAVY,
     "EVQLVESGGGLVQPGGSLRLSCAASGYTFTNYGMNWVRQAPGKGLEWVGWINTYTGEPTYAADFKRRFTFSLDTSKSTAYLQMNSLRAEDTAVYYCAKYPHYYGSSHWYFD"
     "VWGQGTLVTVSS",
     {"GYTFTNYGMN", "WINTYTGEPTYAADFKR", "YPHYYGSSHWYFDV"}},
    {"trastuzumab heavy",
     QN_ANTIBODY_HEAVY,
     "EVQLVESGGGLVQPGGSLRLSCAASGFNIKDTYIHWVRQAPGKGLEWVARIYPTNGYTRYADSVKGRFTISADTSKNTAYLQMNSLRAEDTAVYYCSRWGGDGFYAMDYWG"
     "QGTLVTVSS",
     {"GFNIKDTYIH", "RIYPTNGYTRYADSVKG", "WGGDGFYAMDY"}},
    {"avelumab light (lambda)",
     QN_ANTIBODY_LIGHT,
     "QSALTQPASVSGSPGQSITISCTGTSSDVGGYNYVSWYQQHPGKAPKLMIYDVSNRPSGVSNRFSGSKSGNTASLTISGLQAEDEADYYCSSYTSSSTRVFGTGTKVTVL",
     {"TGTSSDVGGYNYVS", "DVSNRPS", "SSYTSSSTRV"}},
    {"cAb-Lys3, a VHH with cysteines in H1 and H3",
     QN_ANTIBODY_HEAVY,
     "DVQLQASGGGSVQAGGSLRLSCAASGYTIGPYCMGWFRQAPGKEREGVAAINMGGGITYYADSVKGRFTISQDNAKNTVYLLMNSLEPEDTAIYYCAADSTIYASYYECGH"
     "GLSTGGYGYDSWGQGTQVTVSS",
     {"GYTIGPYCMG", "AINMGGGITYYADSVKG", "DSTIYASYYECGHGLSTGGYGYDS"}},
};

static const char *const three_letters[] = {"AALA", "RARG", "NASN", "DASP", "CCYS", "QGLN", "EGLU",
                                            "GGLY", "HHIS", "IILE", "LLEU", "KLYS", "MMET", "FPHE",
                                            "PPRO", "SSER", "TTHR", "WTRP", "YTYR", "VVAL"};

static const char *three(char letter)
{
    for (size_t i = 0; i < sizeof three_letters / sizeof *three_letters; i++)
        if (three_letters[i][0] == letter) return three_letters[i] + 1;
    return "UNK";
}

static char one(const char *name)
{
    for (size_t i = 0; i < sizeof three_letters / sizeof *three_letters; i++)
        if (strcmp(three_letters[i] + 1, name) == 0) return three_letters[i][0];
    return '?';
}

/* Add a stretched chain of Cα atoms, numbered from 501; lower-case letters are unresolved residues. */
static void add_chain(qn_molecule *molecule, const char *chain, const char *sequence)
{
    for (size_t i = 0; sequence[i]; i++) {
        qn_residue residue = {.number = 501 + (int)i};
        qn_atom atom = {.position_angstrom = {3.8 * (double)i, 0, 0}, .name = "CA", .element = "C", .occupancy = 1};
        if (sequence[i] >= 'a') continue;
        strcpy(residue.chain, chain);
        strcpy(residue.name, three(sequence[i]));
        CHECK_OK(qn_molecule_append_residue(molecule, &residue));
        CHECK_OK(qn_molecule_append_atom(molecule, &atom));
    }
}

static qn_molecule *molecule_of(const char *sequence)
{
    qn_molecule *molecule;
    CHECK_OK(qn_molecule_create("test", &molecule));
    add_chain(molecule, "A", sequence);
    return molecule;
}

typedef struct found {
    qn_antibody_domain *domains;
    size_t count;
    bool *cdr;
} found;

static found find(const qn_molecule *molecule)
{
    found f;
    void *memory;
    CHECK_OK(qn_allocate(molecule->residue_count, sizeof(bool), &memory));
    f.cdr = memory;
    if (molecule->residue_count) memset(f.cdr, 1, molecule->residue_count);
    CHECK_OK(qn_antibody_find_cdrs(molecule, f.cdr, &f.domains, &f.count));
    return f;
}

static void found_clear(found *f)
{
    qn_release(&f->cdr);
    qn_release(&f->domains);
}

static void check_region(const qn_molecule *molecule, const qn_antibody_domain *domain, int region,
                         const char *expected)
{
    char text[100] = "";
    size_t length = 0;
    for (size_t r = domain->first[region]; r <= domain->last[region] && length + 1 < sizeof text; r++)
        text[length++] = one(molecule->residues[r].name);
    CHECK_TEXT(text, expected);
}

static void regions_of_published_sequences_are_found(void)
{
    for (size_t i = 0; i < sizeof antibodies / sizeof *antibodies; i++) {
        qn_molecule *molecule = molecule_of(antibodies[i].sequence);
        found f = find(molecule);
        size_t marked = 0, expected = 0;
        if (!CHECK(f.count == 1 && f.domains[0].kind == antibodies[i].kind)) printf("%s\n", antibodies[i].name);
        for (int region = 0; region < 3 && f.count == 1; region++) {
            check_region(molecule, f.domains, region, antibodies[i].regions[region]);
            expected += strlen(antibodies[i].regions[region]);
        }
        for (size_t r = 0; r < molecule->residue_count; r++) marked += f.cdr[r];
        CHECK(marked == expected);
        found_clear(&f);
        qn_molecule_destroy(&molecule);
    }
    CHECK_TEXT(qn_antibody_kind_name(QN_ANTIBODY_LIGHT), "light");
    CHECK_TEXT(qn_antibody_kind_name(QN_ANTIBODY_HEAVY), "heavy");
}

static void several_domains_in_one_chain_are_found_in_order(void)
{
    qn_molecule *molecule = molecule_of(D13_HEAVY LINKER D13_LIGHT LINKER D13_HEAVY);
    found f = find(molecule);
    if (CHECK(f.count == 3)) {
        CHECK(f.domains[0].kind == QN_ANTIBODY_HEAVY && f.domains[1].kind == QN_ANTIBODY_LIGHT);
        CHECK(f.domains[2].kind == QN_ANTIBODY_HEAVY);
        check_region(molecule, &f.domains[0], 2, "ERDYRLDY");
        check_region(molecule, &f.domains[1], 0, "RASGNIHNYLA");
        check_region(molecule, &f.domains[2], 1, "MIWGDGNTDYNSALKS");
    }
    found_clear(&f);
    qn_molecule_destroy(&molecule);
}

static void a_second_joining_motif_makes_no_second_domain(void)
{
    qn_molecule *molecule = molecule_of(D13_HEAVY "AAWGQGT");
    found f = find(molecule);
    if (CHECK(f.count == 1)) check_region(molecule, f.domains, 2, "ERDYRLDY");
    found_clear(&f);
    qn_molecule_destroy(&molecule);
}

static void domains_do_not_reach_across_chains(void)
{
    qn_molecule *molecule;
    CHECK_OK(qn_molecule_create("test", &molecule));
    add_chain(molecule, "L", D13_LIGHT);
    add_chain(molecule, "H", D13_HEAVY);
    found f = find(molecule);
    CHECK(f.count == 2);
    if (f.count == 2) CHECK_TEXT(molecule->residues[f.domains[1].first[0]].chain, "H");
    found_clear(&f);
    for (size_t r = 60; r < molecule->residue_count; r++) strcpy(molecule->residues[r].chain, r < 108 ? "M" : "H");
    f = find(molecule); /* the light domain cut in two */
    CHECK(f.count == 1 && f.domains[0].kind == QN_ANTIBODY_HEAVY);
    found_clear(&f);
    qn_molecule_destroy(&molecule);
}

static void regions_with_unresolved_residues_are_found(void)
{
    /* D1.3 without parts of H1, H2 and H3; then without all of H3. Lower-case residues are left out. */
    static const char partly[] =
        "QVQLQESGPGLVAPSQSLSITCTVSGFsltgYGVNWVRQPPGKGLEWLGMIWgdgntdYNSALKSRLSISKDNSKSQVFLKMNSLHTDDTARYYCARErdyrLDYWGQGT"
        "TLTVSS";
    static const char all_of_h3[] =
        "QVQLQESGPGLVAPSQSLSITCTVSGFSLTGYGVNWVRQPPGKGLEWLGMIWGDGNTDYNSALKSRLSISKDNSKSQVFLKMNSLHTDDTARYYCARerdyrldyWGQGT"
        "TLTVSS";
    static const char light[] =
        "DIVLTQSPASLSASVGETVTITCRAsgniHNYLAWYQQKQGKspQLLVYYTTTLADGVPSRFSGSGSGTQYSLKINSLQPEDFGSYYCQHfwSTPRTFGGGTKLEIKR";
    qn_molecule *molecule = molecule_of(partly);
    found f = find(molecule);
    if (CHECK(f.count == 1)) {
        check_region(molecule, f.domains, 0, "GFYGVN");
        check_region(molecule, f.domains, 1, "MIWYNSALKS");
        check_region(molecule, f.domains, 2, "ELDY");
    }
    found_clear(&f);
    qn_molecule_destroy(&molecule);
    molecule = molecule_of(all_of_h3);
    f = find(molecule);
    if (CHECK(f.count == 1)) {
        CHECK(f.domains[0].last[2] < f.domains[0].first[2]);
        check_region(molecule, f.domains, 1, "MIWGDGNTDYNSALKS");
    }
    found_clear(&f);
    qn_molecule_destroy(&molecule);
    molecule = molecule_of(light); /* residues before L2 are missing too, so L2 is located from its end */
    f = find(molecule);
    if (CHECK(f.count == 1)) {
        check_region(molecule, f.domains, 0, "RAHNYLA");
        check_region(molecule, f.domains, 1, "YTTTLAD");
        check_region(molecule, f.domains, 2, "QHSTPRT");
    }
    found_clear(&f);
    qn_molecule_destroy(&molecule);
}

static void residues_may_be_missing_only_at_a_gap(void)
{
    /* D1.3 without ten residues before Cys 92: first unresolved, then removed with the ends bonded. */
    static const char begin[] = "QVQLQESGPGLVAPSQSLSITCTVSGFSLTGYGVNWVRQPPGKGLEWLGMIWGDGNTDYNSALKSRLSIS";
    static const char end[] = "KMNSLHTDDTARYYCARERDYRLDYWGQGTTLTVSS";
    for (int gap = 0; gap < 2; gap++) {
        char text[200];
        snprintf(text, sizeof text, "%s%s%s", begin, gap ? "kdnsksqvfl" : "", end);
        qn_molecule *molecule = molecule_of(text);
        found f = find(molecule);
        CHECK(f.count == (size_t)gap);
        if (!gap) CHECK(f.domains == NULL);
        found_clear(&f);
        qn_molecule_destroy(&molecule);
    }
}

static void other_proteins_have_no_domains(void)
{
    static const char *const others[] = {
        /* hen egg-white lysozyme */
        "KVFGRCELAAAMKRHGLDNYRGYSLGNWVCAAKFESNFNTQATNRNTDGSTDYGILQINSRWWCNDGRTPGSRNLCNIPCSALLSSDITASVNCAKKIVSDGNGMNAWVA"
        "WRNRCKGTDVQAWIRGCRL",
        /* beta-2-microglobulin, an immunoglobulin's constant fold */
        "IQRTPKIQVYSRHPAENGKSNFLNCYVSGFHPSDIEVDLLKNGERIEKVEHSDLSFSKDWSFYLLYYTEFTPTEKDEYACRVNHVTLSQPKIVKWDRDM",
        /* sequences that end within the required letters */
        "FGGG", "FGG", "WG", "C", ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        qn_molecule *molecule = molecule_of(others[i]);
        found f = find(molecule);
        size_t marked = 0;
        for (size_t r = 0; r < molecule->residue_count; r++) marked += f.cdr[r];
        CHECK(f.count == 0 && f.domains == NULL && marked == 0);
        found_clear(&f);
        qn_molecule_destroy(&molecule);
    }
}

static qn_molecule *read_case(const char *name, char partner)
{
    char relative[80];
    qn_molecule *molecule = NULL;
    snprintf(relative, sizeof relative, "docking/bm5/%s/%s_%c_u.pdb", name, name, partner);
    const char *path = check_reference_data(relative);
    if (!path) return NULL;
    CHECK_OK(qn_molecule_read(
        NULL, path, &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_water = true}, &molecule));
    return molecule;
}

/* Count the residues numbered `from` to `to`, each once, and those inside regions. */
static void count_inside(const qn_molecule *receptor, const bool *cdr, int from, int to, bool seen[1000],
                         size_t counts[2])
{
    for (size_t r = 0; r < receptor->residue_count; r++) {
        int number = receptor->residues[r].number;
        if (number < from || number > to || number >= 1000 || seen[number]) continue;
        seen[number] = true;
        counts[0]++;
        counts[1] += cdr[r];
    }
}

/* Check receptor residues of the native interface: those with a contact (within 5 Å), and those within 10 Å of the
 * ligand. */
static void check_interface_is_in_regions(const char *name, const qn_molecule *receptor, const bool *cdr)
{
    static const char *const files[] = {"target.contacts5", "target.izone"};
    size_t counts[2][2] = {{0}};
    for (int file = 0; file < 2; file++) {
        char relative[80], *text;
        size_t size;
        bool seen[1000] = {false};
        snprintf(relative, sizeof relative, "docking/bm5/%s/%s", name, files[file]);
        const char *path = check_reference_data(relative);
        if (!path || !CHECK_OK(qn_file_read(path, &text, &size))) return;
        for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
            int from = 1, to = 0;
            if (file == 0 && sscanf(line, "%d A", &from) == 1) to = from; /* "1 A OD2 166 B NZ 4.52" */
            if (file == 1 && sscanf(line, "zone A.%d-A.%d", &from, &to) != 2) continue;
            count_inside(receptor, cdr, from, to, seen, counts[file]);
        }
        qn_release(&text);
    }
    printf("%s: residues with contacts: %zu, %zu of them in regions; within 10 Å: %zu, %zu of them in regions\n", name,
           counts[0][0], counts[0][1], counts[1][0], counts[1][1]);
    CHECK(counts[0][0] >= 10 && 4 * counts[0][1] >= 3 * counts[0][0]);
    CHECK(counts[1][0] >= 20 && 2 * counts[1][1] > counts[1][0]);
}

static void benchmark_antibodies_and_nothing_else_are_found(void)
{
    static const char *const cases[] = {"1AHW", "1VFB", "1BJ1", "1AVX", "1CGI", "1E96", "1GCQ", "1PPE", "1WQ1", "7CEI"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qn_molecule *receptor = read_case(cases[i], 'r'), *ligand = read_case(cases[i], 'l');
        if (!receptor || !ligand) return;
        found of_receptor = find(receptor), of_ligand = find(ligand);
        CHECK(of_ligand.count == 0);
        if (i < 3) {
            if (CHECK(of_receptor.count == 2))
                CHECK(of_receptor.domains[0].kind == QN_ANTIBODY_LIGHT &&
                      of_receptor.domains[1].kind == QN_ANTIBODY_HEAVY);
            check_interface_is_in_regions(cases[i], receptor, of_receptor.cdr);
        } else if (!CHECK(of_receptor.count == 0)) {
            printf("%s\n", cases[i]);
        }
        found_clear(&of_receptor);
        found_clear(&of_ligand);
        qn_molecule_destroy(&receptor);
        qn_molecule_destroy(&ligand);
    }
}

int main(void)
{
    RUN(regions_of_published_sequences_are_found);
    RUN(several_domains_in_one_chain_are_found_in_order);
    RUN(a_second_joining_motif_makes_no_second_domain);
    RUN(domains_do_not_reach_across_chains);
    RUN(regions_with_unresolved_residues_are_found);
    RUN(residues_may_be_missing_only_at_a_gap);
    RUN(other_proteins_have_no_domains);
    if (check_reference_data("docking/bm5/1AHW/1AHW_r_u.pdb")) RUN(benchmark_antibodies_and_nothing_else_are_found);
    return check_finish();
}
