/* The integers of a panel in the lists of deform/factor/schedule.h. */
#ifndef QN_DEFORM_FACTOR_PANEL_DEV_H
#define QN_DEFORM_FACTOR_PANEL_DEV_H

#define QN_PANEL_PLACE 0   /* place of its first column */
#define QN_PANEL_COLUMNS 1 /* tile columns */
#define QN_PANEL_BELOW 2   /* tile rows below */
#define QN_PANEL_STORE 3   /* its first stored tile */
#define QN_PANEL_TILE 4    /* number of its first tile */
#define QN_PANEL_ROWS 5    /* of its first row below in `below` */
#define QN_PANEL_INTS 8

#endif
