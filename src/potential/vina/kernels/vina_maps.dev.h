/* Interface between the kernel of vina_maps and its launch function. */
#ifndef QN_POTENTIAL_VINA_MAPS_DEV_H
#define QN_POTENTIAL_VINA_MAPS_DEV_H

/* Arguments of `vina_maps`, in order. */
enum {
    VINA_MAPS_ATOMS,
    VINA_MAPS_LIST,
    VINA_MAPS_STARTS,
    VINA_MAPS_AXES,
    VINA_MAPS_TABLES,
    VINA_MAPS_RESULT,
    VINA_MAPS_SCALARS,
    VINA_MAPS_ARGUMENTS
};

typedef struct vina_maps_scalars {
    int nx, ny, nz;                   /* points */
    int bricks_x, bricks_y, bricks_z; /* bricks of VINA_MAPS_SIDE³ points, the last ones not full */
    int probes, row;                  /* maps; floats of an entry of the tables */
} vina_maps_scalars;

enum {
    VINA_MAPS_SIDE = 4,
    VINA_MAPS_BRICK = VINA_MAPS_SIDE * VINA_MAPS_SIDE * VINA_MAPS_SIDE,
    VINA_MAPS_ENTRIES = 2048, /* of a table: 8 Å squared, 32 entries per Å² */
    VINA_MAPS_SQUARE = 31250, /* squared thousandths of an Å per entry */
    VINA_MAPS_FAR = 8192      /* thousandths of an Å; longer distances count as this one, so that squares fit an int */
};

#endif
