/* What a portable model is made of: shared by its training and its text form. */
#ifndef QN_TUNE_MODEL_MODEL_DATA_H
#define QN_TUNE_MODEL_MODEL_DATA_H

#include "tune/model/model.h"

/* Leaves hold whole numbers of this many standard deviations of a column, so that text keeps them exactly. */
#define QN_MODEL_LEAF_STEP 1e-4

/* Nodes of a tree in preorder: the left child of a split follows it. */
typedef struct qn_tuning_model_node {
    int parameter;    /* -1: a leaf */
    double threshold; /* values below it go left */
    uint32_t right;   /* node number in the tree; of a leaf: its row of `leaves` */
} qn_tuning_model_node;

typedef struct qn_tuning_model_tree {
    qn_tuning_model_node *nodes;
    size_t node_count, node_capacity;
} qn_tuning_model_tree;

typedef struct qn_tuning_model_column {
    char *name;
    double mean, scale; /* of log(1 + count); scale 0: always the same */
} qn_tuning_model_column;

typedef struct qn_tuning_model_parameter {
    char *name;
    char **texts; /* of a parameter with texts for values: a text counts as its number here */
    size_t text_count;
} qn_tuning_model_parameter;

struct qn_tuning_model {
    char *device;        /* where it was trained */
    size_t sample_count; /* points learned from */
    qn_tuning_model_parameter *parameters;
    size_t parameter_count;
    qn_tuning_model_column *columns;
    size_t column_count;
    qn_tuning_model_tree *trees;
    size_t tree_count;
    int32_t *leaves; /* [leaf_count][column_count] */
    size_t leaf_count, leaf_capacity;
    double *table;                     /* [table_points][column_count] instead of trees, or NULL */
    uint64_t table_points;             /* of a table or a function: of its space; else 0 */
    qn_tuning_model_function function; /* instead of trees, or NULL */
    void *user;
    void (*drop)(void **user);
};

/* A value of a parameter as trees see it: numbers as they are, texts by their number in the model, unknown ones -1. */
double qn_tuning_model_feature(const qn_tuning_model_parameter *parameter, const qn_value *value);

#endif
