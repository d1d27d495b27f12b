#include "model/element_mass.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct element_mass {
    char symbol[4];
    double mass_u;
} element_mass;

/* By atomic number from 1. IUPAC/CIAAW standard atomic weights 2021, abridged to five digits (the conventional value
 * where the standard is an interval); the mass number of the longest-lived isotope where there is no standard. */
static const element_mass elements[] = {
    {"H", 1.008},   {"HE", 4.0026}, {"LI", 6.94},   {"BE", 9.0122}, {"B", 10.81},   {"C", 12.011},  {"N", 14.007},
    {"O", 15.999},  {"F", 18.998},  {"NE", 20.180}, {"NA", 22.990}, {"MG", 24.305}, {"AL", 26.982}, {"SI", 28.085},
    {"P", 30.974},  {"S", 32.06},   {"CL", 35.45},  {"AR", 39.95},  {"K", 39.098},  {"CA", 40.078}, {"SC", 44.956},
    {"TI", 47.867}, {"V", 50.942},  {"CR", 51.996}, {"MN", 54.938}, {"FE", 55.845}, {"CO", 58.933}, {"NI", 58.693},
    {"CU", 63.546}, {"ZN", 65.38},  {"GA", 69.723}, {"GE", 72.630}, {"AS", 74.922}, {"SE", 78.971}, {"BR", 79.904},
    {"KR", 83.798}, {"RB", 85.468}, {"SR", 87.62},  {"Y", 88.906},  {"ZR", 91.224}, {"NB", 92.906}, {"MO", 95.95},
    {"TC", 97},     {"RU", 101.07}, {"RH", 102.91}, {"PD", 106.42}, {"AG", 107.87}, {"CD", 112.41}, {"IN", 114.82},
    {"SN", 118.71}, {"SB", 121.76}, {"TE", 127.60}, {"I", 126.90},  {"XE", 131.29}, {"CS", 132.91}, {"BA", 137.33},
    {"LA", 138.91}, {"CE", 140.12}, {"PR", 140.91}, {"ND", 144.24}, {"PM", 145},    {"SM", 150.36}, {"EU", 151.96},
    {"GD", 157.25}, {"TB", 158.93}, {"DY", 162.50}, {"HO", 164.93}, {"ER", 167.26}, {"TM", 168.93}, {"YB", 173.05},
    {"LU", 174.97}, {"HF", 178.49}, {"TA", 180.95}, {"W", 183.84},  {"RE", 186.21}, {"OS", 190.23}, {"IR", 192.22},
    {"PT", 195.08}, {"AU", 196.97}, {"HG", 200.59}, {"TL", 204.38}, {"PB", 207.2},  {"BI", 208.98}, {"PO", 209},
    {"AT", 210},    {"RN", 222},    {"FR", 223},    {"RA", 226},    {"AC", 227},    {"TH", 232.04}, {"PA", 231.04},
    {"U", 238.03},  {"NP", 237},    {"PU", 244},    {"AM", 243},    {"CM", 247},    {"BK", 247},    {"CF", 251},
    {"ES", 252},    {"FM", 257},    {"MD", 258},    {"NO", 259},    {"LR", 262},    {"RF", 267},    {"DB", 270},
    {"SG", 269},    {"BH", 270},    {"HS", 270},    {"MT", 278},    {"DS", 281},    {"RG", 281},    {"CN", 285},
    {"NH", 286},    {"FL", 289},    {"MC", 289},    {"LV", 293},    {"TS", 293},    {"OG", 294},
};

/* Isotopes of hydrogen, with atomic masses of AME 2020. */
static const element_mass isotopes[] = {{"D", 2.0141}, {"T", 3.0160}};

enum { ELEMENTS = sizeof elements / sizeof *elements, ISOTOPES = sizeof isotopes / sizeof *isotopes };

double qn_element_mass_u(const char *symbol)
{
    for (size_t i = 0; i < ELEMENTS; i++)
        if (strcmp(elements[i].symbol, symbol) == 0) return elements[i].mass_u;
    for (size_t i = 0; i < ISOTOPES; i++)
        if (strcmp(isotopes[i].symbol, symbol) == 0) return isotopes[i].mass_u;
    return 0;
}

const char *qn_element_symbol(int atomic_number)
{
    return atomic_number >= 1 && atomic_number <= ELEMENTS ? elements[atomic_number - 1].symbol : NULL;
}

const char *qn_element_of_mass(double mass_u, double tolerance_u)
{
    const char *symbol = NULL;
    for (size_t i = 0; i < ELEMENTS; i++) {
        double difference_u = fabs(elements[i].mass_u - mass_u);
        if (!(difference_u <= tolerance_u)) continue;
        tolerance_u = difference_u;
        symbol = elements[i].symbol;
    }
    return symbol;
}
