/* Data of a portable model, shared by its training and its text form. */
#ifndef QN_TUNE_MODEL_MODEL_DATA_H
#define QN_TUNE_MODEL_MODEL_DATA_H

#include "tune/model/model.h"

/* Unit of the numbers in leaves, in standard deviations of a column. The numbers are whole, so that text keeps them
 * exactly. */
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
    double mean, scale; /* of log(1 + count); scale 0: constant */
} qn_tuning_model_column;

typedef struct qn_tuning_model_parameter {
    char *name;
    char **texts; /* values that are texts; trees use the index of a text here */
    size_t text_count;
} qn_tuning_model_parameter;

struct qn_tuning_model {
    char *device;        /* where it was trained */
    size_t sample_count; /* number of points used for training */
    qn_tuning_model_parameter *parameters;
    size_t parameter_count;
    qn_tuning_model_column *columns;
    size_t column_count;
    qn_tuning_model_tree *trees;
    size_t tree_count;
    int32_t *leaves; /* [leaf_count][column_count] */
    size_t leaf_count, leaf_capacity;
    double *table;                     /* [table_points][column_count] instead of trees; NULL: none */
    uint64_t table_points;             /* points of the space of a table or function; else 0 */
    qn_tuning_model_function function; /* instead of trees; NULL: none */
    void *user;
    void (*drop)(void **user);
};

/* Number that stands for a value of a parameter in trees: a number itself, a text's index in the model, -1 for other
 * texts. */
double qn_tuning_model_feature(const qn_tuning_model_parameter *parameter, const qn_value *value);

#endif
