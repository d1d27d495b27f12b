/* Masses of the elements, and their symbols by atomic number. */
#ifndef QN_MODEL_ELEMENT_MASS_H
#define QN_MODEL_ELEMENT_MASS_H

/* Mass in u, by the upper-case symbol ("C", "ZN"; "D" and "T" too); 0 for an unknown symbol ("X"). */
double qn_element_mass_u(const char *symbol);

/* "H" … "OG" for 1 … 118, NULL for other numbers. */
const char *qn_element_symbol(int atomic_number);

/* The element whose mass is nearest to `mass_u`; NULL: none is within `tolerance_u`. */
const char *qn_element_of_mass(double mass_u, double tolerance_u);

#endif
