/* BUDE's types for the atoms of proteins are known from two public sources: its table by residue (2016, published with
 * the tables of bude_types) and the receptor of its benchmark (NDM-1, 938 atoms in 127 residues that are recognised by
 * their bonds), which was typed from a MOL2 file:
 *
 *   atoms                    by residue           NDM-1's deck
 *   backbone N CA C O        N.am C.3 C.2 O.2     the same
 *   Arg NE CZ NH1 NH2        N.pl3, C.cat         the same
 *   Asp, Glu                 O.co2                the same; O.2 and O.3 where protonated
 *   Asn, Gln                 O.2 N.am             the same
 *   Lys NZ                   N.4                  N.3
 *   start of a chain         N.4                  N.3 (also at every gap)
 *   Ser, Thr, Tyr            O.3                  the same
 *   Cys, Met                 S.3                  the same
 *   Trp                      C.ar, NE1 N.pl3      C.ar, NE1 N.ar
 *   His carbons              C.ar                 the same
 *   His, one protonation     ND1 N.pl3, NE2 N.ar  both N.ar
 *   Hie                      ND1 N.2, NE2 N.pl3
 *   Hip                      both N.pl3
 *
 * Lys and the starts of chains are charged here, as in the table and at physiological pH. In a His without hydrogens
 * either nitrogen may be the donor, so both are N.ar, which BUDE treats as donor or acceptor. If the hydrogen is
 * known, the nitrogen with it is N.pl3 and the other one N.ar. Only in Trp and His are aromatic five-membered rings
 * C.ar; those of small molecules are C.2 and N.2 (docs/design/atom_typing.md). */
#include "chemistry/residue_templates.h"

#include <string.h>

#include "model/residue_names.h"

static const char backbone[] = "N:N.am CA:C.3 C:C.2 O:O.2 OXT:O.co2 OT1:O.co2 OT2:O.co2 OC1:O.co2 OC2:O.co2";

static const char sugar_phosphate[] =
    "P:P.3 OP1:O.co2 OP2:O.co2 OP3:O.co2 O1P:O.co2 O2P:O.co2 O3P:O.co2 O5':O.3 C5':C.3 C4':C.3 O4':O.3 C3':C.3 O3':O.3 "
    "C2':C.3 O2':O.3 C1':C.3 O5T:O.3 O3T:O.3";

#define PHOSPHATE "P:P.3 O1P:O.co2 O2P:O.co2 O3P:O.co2"

static const qn_residue_template templates[] = {
    {"ALA GLY DAL", QN_RESIDUE_AMINO_ACID, "CB:C.3"},
    {"ARG DAR", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.3 NE:N.pl3 CZ:C.cat NH1:N.pl3 NH2:N.pl3"},
    {"ARN", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.3 NE:N.pl3 CZ:C.2 NH1:N.2 NH2:N.pl3"},
    {"ASN DSG", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.2 OD1:O.2 ND2:N.am"},
    {"ASP DAS", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.2 OD1:O.co2 OD2:O.co2"},
    {"ASH ASPP", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.2 OD1:O.2 OD2:O.3"},
    {"CYS CYX CYM CYS2 DCY", QN_RESIDUE_AMINO_ACID, "CB:C.3 SG:S.3"},
    {"GLN DGN", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.2 OE1:O.2 NE2:N.am"},
    {"GLU DGL", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.2 OE1:O.co2 OE2:O.co2"},
    {"GLH GLUP", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.2 OE1:O.2 OE2:O.3"},
    {"HIS DHI", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.ar ND1:N.ar CD2:C.ar CE1:C.ar NE2:N.ar"},
    {"HID HSD HISD HISA", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.ar ND1:N.pl3 CD2:C.ar CE1:C.ar NE2:N.ar"},
    {"HIE HSE HISE HISB", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.ar ND1:N.ar CD2:C.ar CE1:C.ar NE2:N.pl3"},
    {"HIP HSP HISP HISH", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.ar ND1:N.pl3 CD2:C.ar CE1:C.ar NE2:N.pl3"},
    {"ILE DIL", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG1:C.3 CG2:C.3 CD1:C.3 CD:C.3"},
    {"LEU DLE", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD1:C.3 CD2:C.3"},
    {"LYS DLY", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.3 CE:C.3 NZ:N.4"},
    {"LYN LSN", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.3 CE:C.3 NZ:N.3"},
    {"MET FME MED", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 SD:S.3 CE:C.3 CN:C.2 O1:O.2"},
    {"PHE DPN", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.ar CD1:C.ar CD2:C.ar CE1:C.ar CE2:C.ar CZ:C.ar"},
    {"PRO DPR", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.3"},
    {"SER DSN", QN_RESIDUE_AMINO_ACID, "CB:C.3 OG:O.3"},
    {"THR DTH", QN_RESIDUE_AMINO_ACID, "CB:C.3 OG1:O.3 CG2:C.3"},
    {"TRP DTR", QN_RESIDUE_AMINO_ACID,
     "CB:C.3 CG:C.ar CD1:C.ar CD2:C.ar NE1:N.pl3 CE2:C.ar CE3:C.ar CZ2:C.ar CZ3:C.ar CH2:C.ar"},
    {"TYR TYM DTY", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.ar CD1:C.ar CD2:C.ar CE1:C.ar CE2:C.ar CZ:C.ar OH:O.3"},
    {"VAL DVA", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG1:C.3 CG2:C.3"},

    {"MSE", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 SE:Se CE:C.3"},
    {"SEC", QN_RESIDUE_AMINO_ACID, "CB:C.3 SE:Se"},
    {"SEP S1P S2P", QN_RESIDUE_AMINO_ACID, "CB:C.3 OG:O.3 " PHOSPHATE},
    {"TPO T1P T2P", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG2:C.3 OG1:O.3 " PHOSPHATE},
    {"PTR Y1P Y2P", QN_RESIDUE_AMINO_ACID,
     "CB:C.3 CG:C.ar CD1:C.ar CD2:C.ar CE1:C.ar CE2:C.ar CZ:C.ar OH:O.3 " PHOSPHATE},
    {"TYS", QN_RESIDUE_AMINO_ACID,
     "CB:C.3 CG:C.ar CD1:C.ar CD2:C.ar CE1:C.ar CE2:C.ar CZ:C.ar OH:O.3 S:S.o2 O1:O.co2 O2:O.co2 O3:O.co2"},
    {"HYP", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.3 OD1:O.3"},
    {"PCA", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.2 OE:O.2"},
    {"KCX", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.3 CE:C.3 NZ:N.am CX:C.2 OQ1:O.co2 OQ2:O.co2"},
    {"ALY", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.3 CE:C.3 NZ:N.am CH:C.2 OH:O.2 CH3:C.3"},
    {"MLZ MLY M3L", QN_RESIDUE_AMINO_ACID,
     "CB:C.3 CG:C.3 CD:C.3 CE:C.3 NZ:N.4 CM:C.3 CH1:C.3 CH2:C.3 CM1:C.3 CM2:C.3 CM3:C.3"},
    {"CSO", QN_RESIDUE_AMINO_ACID, "CB:C.3 SG:S.3 OD:O.3"},
    {"CSD CSW", QN_RESIDUE_AMINO_ACID, "CB:C.3 SG:S.o2 OD1:O.2 OD2:O.2"},
    {"OCS", QN_RESIDUE_AMINO_ACID, "CB:C.3 SG:S.o2 OD1:O.co2 OD2:O.co2 OD3:O.co2"},
    {"CME", QN_RESIDUE_AMINO_ACID, "CB:C.3 SG:S.3 SD:S.3 CE:C.3 CZ:C.3 OH:O.3"},
    {"CGU", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD1:C.2 CD2:C.2 OE11:O.co2 OE12:O.co2 OE21:O.co2 OE22:O.co2"},
    {"AIB", QN_RESIDUE_AMINO_ACID, "CB1:C.3 CB2:C.3"},
    {"NLE", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.3 CE:C.3"},
    {"ORN", QN_RESIDUE_AMINO_ACID, "CB:C.3 CG:C.3 CD:C.3 NE:N.4"},
    {"SAR", QN_RESIDUE_AMINO_ACID, "CN:C.3"},

    {"ACE", QN_RESIDUE_CAP, "CH3:C.3 C:C.2 O:O.2"},
    {"NME NMA", QN_RESIDUE_CAP, "N:N.am C:C.3 CH3:C.3 CA:C.3"},
    {"NH2", QN_RESIDUE_CAP, "N:N.am"},
    {"FOR", QN_RESIDUE_CAP, "C:C.2 O:O.2"},

    {"A DA RA ADE A5 A3 DA5 DA3 RA5 RA3 AMP ADP ATP ANP ACP AGS ADN", QN_RESIDUE_NUCLEOTIDE,
     "N9:N.pl3 C8:C.2 N7:N.2 C5:C.ar C6:C.ar N6:N.pl3 N1:N.ar C2:C.ar N3:N.ar C4:C.ar"},
    {"G DG RG GUA G5 G3 DG5 DG3 RG5 RG3 2MG M2G GMP 5GP GDP GTP GNP GCP GSP", QN_RESIDUE_NUCLEOTIDE,
     "N9:N.pl3 C8:C.2 N7:N.2 C5:C.2 C6:C.2 O6:O.2 N1:N.am C2:C.2 N2:N.pl3 N3:N.2 C4:C.2 CM1:C.3 CM2:C.3"},
    {"I DI", QN_RESIDUE_NUCLEOTIDE, "N9:N.pl3 C8:C.2 N7:N.2 C5:C.2 C6:C.2 O6:O.2 N1:N.am C2:C.2 N3:N.2 C4:C.2"},
    {"C DC RC CYT C5 C3 DC5 DC3 RC5 RC3 5MC OMC C5P CDP CTP", QN_RESIDUE_NUCLEOTIDE,
     "N1:N.am C2:C.2 O2:O.2 N3:N.2 C4:C.2 N4:N.pl3 C5:C.2 C6:C.2 CM5:C.3 C5A:C.3 CM2:C.3"},
    {"U DU RU URA URI U5 U3 RU5 RU3 5MU OMU T DT THY T5 T3 DT5 DT3 UMP U5P UDP UTP TMP TYD TTP", QN_RESIDUE_NUCLEOTIDE,
     "N1:N.am C2:C.2 O2:O.2 N3:N.am C4:C.2 O4:O.2 C5:C.2 C6:C.2 C7:C.3 C5M:C.3 CM2:C.3"},

    {"SPC SPCE", QN_RESIDUE_WATER, "O:O.spc OW:O.spc"},
    {"TIP TIP3 TIP4 TIP5 TP3 TP4 TP5 T3P T4P T5P", QN_RESIDUE_WATER, "O:O.t3p OW:O.t3p OH2:O.t3p"},
};

/* Template for all waters except the models that have their own types. */
static const qn_residue_template plain_water = {"", QN_RESIDUE_WATER, "O:O.3 OW:O.3 OH2:O.3"};

/* Find a word in a list. The word begins the list or follows a blank, and is followed by `end` or ends the list; NULL:
 * it is absent. */
static const char *find_word(const char *list, const char *word, char end)
{
    size_t length = strlen(word);
    if (length == 0) return NULL;
    for (const char *place = list; (place = strstr(place, word)) != NULL; place += length) {
        bool starts = place == list || place[-1] == ' ', ends = place[length] == end || place[length] == '\0';
        if (starts && ends) return place;
    }
    return NULL;
}

static qn_sybyl_type type_in(const char *atoms, const char *atom_name)
{
    char name[8], type[8];
    size_t length = 0;
    for (; atom_name[length] != '\0' && length + 1 < sizeof name; length++)
        name[length] =
            atom_name[length] == '*' ? '\'' : atom_name[length]; /* older files write * for the ' of sugar atoms */
    name[length] = '\0';
    const char *place = find_word(atoms, name, ':');
    if (!place) return QN_SYBYL_TYPES;
    place += length + 1;
    for (length = 0; place[length] != ' ' && place[length] != '\0' && length + 1 < sizeof type; length++)
        type[length] = place[length];
    type[length] = '\0';
    return qn_sybyl_from_name(type);
}

const qn_residue_template *qn_residue_template_find(const char *residue_name)
{
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        if (find_word(templates[i].names, residue_name, ' ')) return &templates[i];
    return qn_is_water(residue_name) ? &plain_water : NULL;
}

qn_sybyl_type qn_residue_backbone_type(const char *atom_name)
{
    return type_in(backbone, atom_name);
}

qn_sybyl_type qn_residue_template_type(const qn_residue_template *residue_template, const char *atom_name)
{
    qn_sybyl_type type = type_in(residue_template->atoms, atom_name);
    if (type != QN_SYBYL_TYPES) return type;
    if (residue_template->kind == QN_RESIDUE_AMINO_ACID) return qn_residue_backbone_type(atom_name);
    if (residue_template->kind == QN_RESIDUE_NUCLEOTIDE) return type_in(sugar_phosphate, atom_name);
    return QN_SYBYL_TYPES;
}
