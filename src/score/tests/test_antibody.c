#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "score/antibody.h"

/* Published sequences of variable domains, most from the Protein Data Bank, with their regions: H1 as in AbM, those of
 * sharks at the distances that 1SQ2 has, the others as Kabat numbers them. */
#define D13_LIGHT \
    "DIVLTQSPASLSASVGETVTITCRASGNIHNYLAWYQQKQGKSPQLLVYYTTTLADGVPSRFSGSGSGTQYSLKINSLQPEDFGSYYCQHFWSTPRTFGGGTKLEIKR"
#define D13_HEAVY                                                                                                      \
    "QVQLQESGPGLVAPSQSLSITCTVSGFSLTGYGVNWVRQPPGKGLEWLGMIWGDGNTDYNSALKSRLSISKDNSKSQVFLKMNSLHTDDTARYYCARERDYRLDYWGQGTTL" \
    "TVSS"
#define LINKER "GGGGSGGGGSGGGGS"

typedef struct published {
    const char *name;
    qn_antibody_kind kind;
    const char *sequence, *regions[4];
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
    {"AMD9 (1KXQ), a VHH with H2 of 16 residues",
     QN_ANTIBODY_HEAVY,
     "QVQLVASGGGSVQAGGSLRLSCAASGYTFSSYPMGWYRQAPGKECELSARIFSDGSANYADSVKGRFTISRDNAANTAYLQMDSLKPEDTAVYYCAAGPGSGKLVVAGRTC"
     "YGPNYWGQGTQVTVSS",
     {"GYTFSSYPMG", "RIFSDGSANYADSVKG", "GPGSGKLVVAGRTCYGPNY"}},
    {"a VHH against TNF (5M2J), with Arg 103",
     QN_ANTIBODY_HEAVY,
     "QVQLVESGGGLVQPGGSLRLSCAASGFTFSNYWMYWVRQAPGKGLEWVSEINTNGLITKYPDSVKGRFTISRDNAKNTLYLQMNSLKPEDTALYYCARSPSGFNRGQGTQV"
     "TVSS",
     {"GFTFSNYWMY", "EINTNGLITKYPDSVKG", "SPSGFN"}},
    {"Ty1 (6ZXN), with Arg 103",
     QN_ANTIBODY_HEAVY,
     "QVQLVETGGGLVQPGGSLRLSCAASGFTFSSVYMNWVRQAPGKGPEWVSRISPNSGNIGYTDSVKGRFTISRDNAKNTLYLQMNNLKPEDTALYYCAIGLNLSSSSVRGQG"
     "TQVTVSS",
     {"GFTFSSVYMN", "RISPNSGNIGYTDSVKG", "GLNLSSSSV"}},
    {"Nb35 (3SN6), with cysteines in H3 and a tag",
     QN_ANTIBODY_HEAVY,
     "QVQLQESGGGLVQPGGSLRLSCAASGFTFSNYKMNWVRQAPGKGLEWVSDISQSGASISYTGSVKGRFTISRDNAKNTLYLQMNSLKPEDTAVYYCARCPAPFTRDCFDVT"
     "STTYAYRGQGTQVTVSSHHHHHHEPEA",
     {"GFTFSNYKMN", "DISQSGASISYTGSVKG", "CPAPFTRDCFDVTSTTYAY"}},
    {"a VHH with H1 of 15 residues",
     QN_ANTIBODY_HEAVY,
     "QLQESGGGLVQPGGSLRLSCAASGRTFSDHSGYTYTIGWFRQAPGKEREFVARIYWSSGNTYYADSVKGRFAISRDIAKNTVDLTMNNLEPEDTAVYYCAARDGIPTSRSV"
     "ESYNYWGQGTQVTVSS",
     {"GRTFSDHSGYTYTIG", "RIYWSSGNTYYADSVKG", "RDGIPTSRSVESYNY"}},
    {"7RFB heavy, 11 residues between Cys 22 and Trp 36",
     QN_ANTIBODY_HEAVY,
     "QVQLVQSGAEVKKPGSSVKVSCRTSGGTVNTLHWVRQAPGQGLEWMGSIFPLLGVPTYAQKFQGRVTVTADRSTSTAYMELRSLRADDTAVYYCAKDGVGWSGHGPSQWSG"
     "VDVWGPGTTVTVSS",
     {"GGTVNTLH", "SIFPLLGVPTYAQKFQG", "DGVGWSGHGPSQWSGVDV"}},
    {"7PS2 heavy, without Trp 36",
     QN_ANTIBODY_HEAVY,
     "EVQLVESGGGVVQPGRSLRLSCAASGFTFSNYGMHRVRQAPGKGLEWVALISYEESNRYYGDSVRGRFTISRDNSKNTLYLQMNSLRPEDTAVYYCAKDQGPATVMVTAIR"
     "GAMDVWGQGTTVTVSS",
     {"GFTFSNYGMH", "LISYEESNRYYGDSVRG", "DQGPATVMVTAIRGAMDV"}},
    {"7RAH heavy, with Ser 104",
     QN_ANTIBODY_HEAVY,
     "EVNLVESGGDLVKPGGSLKLSCAASGFTFSSYGMSWVRQTPDKRLEWVATISSGGTYTYYPDSVKGRFTISRDNAKNTLYLQMSSLKSEDTAMYYCAREIMRGGGYYFDYW"
     "SQGTTLTVSS",
     {"GFTFSSYGMS", "TISSGGTYTYYPDSVKG", "EIMRGGGYYFDY"}},
    {"the V-NAR of 1SQ2, of the nurse shark",
     QN_ANTIBODY_SHARK,
     "ARVDQTPRSVTKETGESLTINCVLRDASYALGSTCWYRKKSGEGNEESISKGGRYVETVNSGSKSFSLRINDLTVEDGGTYRCGLGVAGGYCDYALCSSRYAECGDGTAVT"
     "VN",
     {"DASYALGSTC", "NEESISKG", "SGSKS", "GVAGGYCDYALCSSRYAE"}},
    {"E06 (4HGK), a V-NAR of the dogfish",
     QN_ANTIBODY_SHARK,
     "TRVDQTPRTATKETGESLTINCVLTDTSYGLYSTSWFRKNPGTTDWERMSIGGRYVESVNKGAKSFSLRIKDLTVADSATYYCKAQSGMAISTGSGHGYNWYDGAGTVLTV"
     "N",
     {"DTSYGLYSTS", "DWERMSIG", "KGAKS", "QSGMAISTGSGHGYNWY"}},
    {"12Y-2 (1VES), a V-NAR of the wobbegong",
     QN_ANTIBODY_SHARK,
     "AWVDQTPRTATKETGESLTINCVLRDTACALDSTNWYRTKLGSTKEQTISIGGRYSETVDEGSNSASLTIRDLRVEDSGTYKCKAYRRCAFNTGVGYKEGAGTVLTVK",
     {"DTACALDSTN", "KEQTISIG", "EGSNS", "YRRCAFNTGVGYK"}},
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

static void check_region(const qn_molecule *molecule, const qn_antibody_domain *domain, size_t region,
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
        if (f.count == 1) CHECK(f.domains->region_count == (antibodies[i].kind == QN_ANTIBODY_SHARK ? 4 : 3));
        for (size_t region = 0; f.count == 1 && region < f.domains->region_count; region++) {
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
    CHECK_TEXT(qn_antibody_kind_name(QN_ANTIBODY_SHARK), "V-NAR");
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

/* cAb-Lys3 with the numbers of IMGT: gaps where its loops are shorter, insertion codes in its H3, and a long chain
 * name. */
static void numbers_and_names_play_no_role(void)
{
    const published *vhh = &antibodies[6];
    qn_molecule *molecule = molecule_of(vhh->sequence);
    for (size_t r = 0; r < molecule->residue_count; r++) {
        qn_residue *residue = &molecule->residues[r];
        const int number = (int)r + 1;
        residue->number = number < 10 ? number : number < 32 ? number + 1 : number < 60 ? number + 3 : number + 6;
        if (number > 105 && number < 120) residue->number = 111, residue->insertion = (char)('A' + number - 106);
        strcpy(residue->chain, "nano");
    }
    found f = find(molecule);
    CHECK(f.count == 1);
    for (size_t region = 0; f.count == 1 && region < 3; region++)
        check_region(molecule, f.domains, region, vhh->regions[region]);
    found_clear(&f);
    qn_molecule_destroy(&molecule);
}

/* Domains with the immunoglobulin's fold that are not antibodies, and other proteins. Sequences of PDB entries. */
static const struct other {
    const char *name, *sequence;
    bool alignable; /* as a domain of a user who says that it is one */
} others[] = {
    {"hen egg-white lysozyme",
     "KVFGRCELAAAMKRHGLDNYRGYSLGNWVCAAKFESNFNTQATNRNTDGSTDYGILQINSRWWCNDGRTPGSRNLCNIPCSALLSSDITASVNCAKKIVSDGNGMNAWVAW"
     "RNRCKGTDVQAWIRGCRL",
     false},
    {"beta-2-microglobulin",
     "IQRTPKIQVYSRHPAENGKSNFLNCYVSGFHPSDIEVDLLKNGERIEKVEHSDLSFSKDWSFYLLYYTEFTPTEKDEYACRVNHVTLSQPKIVKWDRDM", false},
    {"MHC, HLA-A2",
     "GSHSMRYFFTSVSRPGRGEPRFIAVGYVDDTQFVRFDSDAASQRMEPRAPWIEQEGPEYWDGETRKVKAHSQTHRVDLGTLRGYYNQSEAGSHTVQRMYGCDVGSDWRFLR"
     "GYHQYAYDGKDYIALKEDLRSWTAADMAAQTTKHKWEAAHVAEQLRAYLEGTCVEWLRRYLENGKETLQRTDAPKTHMTHHAVSDHEATLRCWALSFYPAEITLTWQRDGE"
     "DQTQDTELVETRPAGDGTFQKWAAVVVPSGQEQRYTCHVQHEGLPKPLTLRW",
     false},
    {"titin, I27", "LIEVEKPLYGVEVFVGETAHFEIELSEPDVHGQWKLKGQPLAASPDCEIIEDGKKHILILHNCQLGMTGEVSFQAANTKSAANLKVKEL", false},
    {"fibronectin, tenth type III",
     "VSDVPRDLEVVAATPTSLLISWDAPAVTVRYYRITYGETGGNSPVQEFTVPGSKSTATISGLKPGVDYTITVYAVTGRGDSPASSKPISINYRT", false},
    {"PD-1",
     "PGWFLDSPDRPWNPPTFSPALLVVTEGDNATFTCSFSNTSESFVLNWYRMSPSNQTDKLAAFPEDRSQPGQDCRFRVTQLPNGRDFHMSVVRARRNDSGTYLCGAISLAPK"
     "AQIKESLRAELRVTERRAE",
     false},
    {"CD8 alpha",
     "SQFRVSPLDRTWNLGETVELKCQVLLSNPTSGCSWLFQPRGAAASPTFLLYLSQNKPKAAEGLDTQRFSGKRLGDTFVLTLSDFRRENEGYYFCSALSNSIMYFSHFVPVF"
     "LPAKPTTTPAPR",
     false},
    {"constant domains of IgG1",
     "ASTKGPSVFPLAPSSKSTSGGTAALGCLVKDYFPEPVTVSWNSGALTSGVHTFPAVLQSSGLYSLSSVVTVPSSSLGTQTYICNVNHKPSNTKVDKKVEPKSCDKTHTCPP"
     "CPAPELLGGPSVFLFPPKPKDTLMISRTPEVTCVVVDVSHEDPEVKFNWYVDGVEVHNAKTKPREEQYNSTYRVVSVLTVLHQDWLNGKEYKCKVSNKALPAPIEKTISKA"
     "KGQPREPQVYTLPPSRDELTKNQVSLTCLVKGFYPSDIAVEWESNGQPENNYKTTPPVLDSDGSFFLYSKLTVDKSRWQQGNVFSCSVMHEALHNHYTQKSLSLSPGK",
     false},
    {"CTLA-4",
     "KAMHVAQPAVVLASSRGIASFVCEYASPGKATEVRVTVLRQADSQVTEVCAATYMMGNELTFLDDSICTGTSSGNQVNLTIQGLRAMDTGLYICKVELMYPPPYYLGIGNG"
     "TQIYVIDPEPCPDSD",
     true},
    {"CD4",
     "KKVVLGKKGDTVELTCTASQKKSIQFHWKNSNQIKILGNQGSFLTKGPSKLNDRADSRRSLWDQGNFPLIIKNLKIEDSDTYICEVEDQKEEVQLLVFGLTANSDTHLLQG"
     "QSLTLTLESPPGSSPSVQCRSPRGKNIQGGKTLSVSQLELQDSGTWTCTVLQNQKKVEFKIDIVVLAFQKAS",
     true},
    {"T-cell receptor A6, alpha",
     "KEVEQNSGPLSVPEGAIASLNCTYSDRGSQSFFWYRQYSGKSPELIMFIYSNGDKEDGRFTAQLNKASQYVSLLIRDSQPSDSATYLCAVTTDSWGKLQFGAGTQVVVTP",
     true},
    {"T-cell receptor A6, beta",
     "NAGVTQTPKFQVLKTGQSMTLQCAQDMNHEYMSWYRQDPGMGLRLIHYSVGAGITDQGEVPNGYNVSRSTTEDFPLRLLSAAPSQTSVYFCASRPGLAGGRPEQYFGPGTR"
     "LTVTEDLKNVFPPEVAVFEPSEAEISHTQKATLVCLATGFYPDHVELSWWVNGKEVHSGVSTDPQPLKEQPALNDSRYALSSRLRVSATFWQNPRNHFRCQVQFYGLSEND"
     "EWTQDRAKPVTQIVSAEAWGRAD",
     true},
    {"T-cell receptor 2C, alpha",
     "QSVTQPDARVTVSEGASLQLRCKYSYSATPYLFWYVQYPRQGLQLLLKYYSGDPVVQGVNGFEAEFSKSNSSFHLRKASVHWSDSAVYFCAVSGFASALTFGSGTKVIVLP",
     true},
    /* sequences that end within the required letters */
    {"FGGG", "FGGG", false},
    {"FGG", "FGG", false},
    {"WG", "WG", false},
    {"C", "C", false},
    {"nothing", "", false}};

static void other_proteins_have_no_domains(void)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        qn_molecule *molecule = molecule_of(others[i].sequence);
        found f = find(molecule);
        size_t marked = 0;
        for (size_t r = 0; r < molecule->residue_count; r++) marked += f.cdr[r];
        if (!CHECK(f.count == 0 && f.domains == NULL && marked == 0)) printf("%s\n", others[i].name);
        CHECK_OK(qn_antibody_align_cdrs(molecule, NULL, f.cdr, &f.domains, &f.count));
        if (!CHECK((f.count != 0) == others[i].alignable)) printf("%s\n", others[i].name);
        found_clear(&f);
        qn_molecule_destroy(&molecule);
    }
}

/* The regions of a T-cell receptor's alpha chain, which a user names: those of a light domain. */
static void named_chains_are_aligned_and_no_others(void)
{
    qn_molecule *molecule;
    bool wanted[400] = {false};
    CHECK_OK(qn_molecule_create("test", &molecule));
    add_chain(molecule, "H", D13_HEAVY);
    const size_t first = molecule->residue_count;
    add_chain(molecule, "T", others[10].sequence);
    for (size_t r = first; r < molecule->residue_count; r++) wanted[r] = true;
    found f = find(molecule);
    CHECK(f.count == 1 && f.domains[0].kind == QN_ANTIBODY_HEAVY);
    qn_release(&f.domains);
    CHECK_OK(qn_antibody_align_cdrs(molecule, wanted, f.cdr, &f.domains, &f.count));
    if (CHECK(f.count == 1 && f.domains[0].kind == QN_ANTIBODY_LIGHT)) {
        check_region(molecule, f.domains, 0, "TYSDRGSQSFF");
        check_region(molecule, f.domains, 2, "AVTTDSWGKLQ");
    }
    for (size_t r = 0; r < first; r++) CHECK(!f.cdr[r]);
    found_clear(&f);
    qn_molecule_destroy(&molecule);
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

/* Number of heavy and light domains in a file of the reference data; more of one kind are counted as 9. */
static int kinds_in(const char *relative)
{
    int counts[3] = {0};
    qn_molecule *molecule;
    const char *path = check_reference_data(relative);
    if (!path) return -1;
    CHECK_OK(qn_molecule_read(
        NULL, path, &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_water = true}, &molecule));
    found f = find(molecule);
    for (size_t i = 0; i < f.count; i++) counts[f.domains[i].kind]++;
    found_clear(&f);
    qn_molecule_destroy(&molecule);
    if (counts[QN_ANTIBODY_SHARK] || counts[QN_ANTIBODY_HEAVY] > 1 || counts[QN_ANTIBODY_LIGHT] > 1) return 9;
    return 2 * counts[QN_ANTIBODY_HEAVY] + counts[QN_ANTIBODY_LIGHT];
}

/* All 129 complexes of the training benchmark: heavy and light domain in one partner of those of the categories AA (of
 * unbound antibodies) and AB (of bound ones), no domain in the others. */
static void training_antibodies_and_nothing_else_are_found(void)
{
    char *text, id[16], category[16];
    size_t size, complexes = 0, antibodies_seen = 0;
    const char *path = check_reference_data("docking/bm5_train/cases.csv");
    if (!path || !CHECK_OK(qn_file_read(path, &text, &size))) return;
    for (const char *line = strchr(text, '\n'); line && sscanf(line + 1, "%15[^,],%15[^,]", id, category) == 2;
         line = strchr(line + 1, '\n')) {
        char receptor[80], ligand[80];
        snprintf(receptor, sizeof receptor, "docking/bm5_train/%s/%s_r_u.pdb.gz", id, id);
        snprintf(ligand, sizeof ligand, "docking/bm5_train/%s/%s_l_u_rnd.pdb.gz", id, id);
        const bool antibody = strcmp(category, "AA") == 0 || strcmp(category, "AB") == 0;
        const int of_receptor = kinds_in(receptor), of_ligand = kinds_in(ligand);
        if (!CHECK(of_receptor + of_ligand == (antibody ? 3 : 0) && of_receptor * of_ligand == 0))
            printf("%s: %d and %d\n", id, of_receptor, of_ligand);
        complexes++;
        antibodies_seen += antibody;
    }
    CHECK(complexes == 129 && antibodies_seen == 11);
    qn_release(&text);
}

/* Models of 41 antibodies and their antigens. Chain names in the files are H, L and others. */
static void modelled_antibodies_are_found(void)
{
    static const char *const names[] = {
        "7bbg_H0-L0", "7bnv_H0-L0", "7daa_H0-L0", "7e3o_H0-L0", "7e72_A0-B0", "7k7h_H0-L0", "7kez_H0-L0",
        "7kf1_H0-L0", "7kn4_H0-L0", "7kyo_H0-L0", "7l7d_H0-L0", "7l7r_B0-A0", "7lf7_A0-B0", "7lfb_H0-L0",
        "7lr4_H0-L0", "7mrz_X0-Y0", "7mzf_H0-L0", "7mzh_H0-L0", "7mzj_H0-L0", "7mzm_H0-L0", "7n4i_H0-L0",
        "7np1_H0-L0", "7phu_B0-C0", "7pi7_B0-C0", "7ps0_H0-L0", "7ps2_A0-B0", "7ps4_H0-L0", "7ps6_H0-L0",
        "7q0g_H0-L0", "7qnw_A0-B0", "7qu1_A0-B0", "7r89_C0-D0", "7rah_B0-A0", "7rfb_A0-B0", "7rk2_C0-C1",
        "7s0b_A0-B0", "7s13_H0-L0", "7seg_H0-L0", "7shu_E0-F0", "7si0_I0-J0", "7vmu_A0-A1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char antibody[100], antigen[100];
        snprintf(antibody, sizeof antibody, "docking/antibody_models/%s/antibody_model.pdb.gz", names[i]);
        snprintf(antigen, sizeof antigen, "docking/antibody_models/%s/antigen_model_rnd.pdb.gz", names[i]);
        if (!CHECK(kinds_in(antibody) == 3 && kinds_in(antigen) == 0)) printf("%s\n", names[i]);
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
    RUN(numbers_and_names_play_no_role);
    RUN(other_proteins_have_no_domains);
    RUN(named_chains_are_aligned_and_no_others);
    if (check_reference_data("docking/bm5/1AHW/1AHW_r_u.pdb")) RUN(benchmark_antibodies_and_nothing_else_are_found);
    if (check_reference_data("docking/bm5_train/cases.csv")) RUN(training_antibodies_and_nothing_else_are_found);
    if (check_reference_data("docking/antibody_models/7bbg_H0-L0/antibody_model.pdb.gz"))
        RUN(modelled_antibodies_are_found);
    return check_finish();
}
