/* Names for the rows of Vina's table of types: an element, then P plain, H hydrophobic, D donor, A acceptor. */
#ifndef QN_SCORE_VINA_ROWS_H
#define QN_SCORE_VINA_ROWS_H

enum { C_H, C_P, N_P, N_D, N_A, N_DA, O_P, O_D, O_A, O_DA, S_P, P_P, F_H, CL_H, BR_H, I_H, SI_P, METAL, QN_VINA_ROWS };

#endif
