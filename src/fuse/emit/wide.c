/* Elements that a work-item has side by side are loaded and stored at once where the alignment of the memory allows. */
#include "fuse/emit/emitter.h"

qn_status qn_emit_alignments(qn_emitter *at)
{
    const bool is_panel = at->kernel->layout.dimensions == 2;
    if (at->form != QN_EMIT_GROUPS || at->kernel->layout.dimensions == 0 || at->is_spread) return QN_OK;
    for (int i = 0; i < at->made->argument_count; i++) {
        const qn_emitted_argument *own = &at->made->arguments[i];
        const char *name = at->names[own->of];
        if (is_panel && own->kind == QN_EMITTED_STEP)
            QN_TRY(qn_text_append(at->text, "    const int %s_wide = is_wide(%s_data, %s_step);\n", name, name, name));
        if ((!is_panel || qn_whole_is_possible(at)) && own->kind == QN_EMITTED_DATA &&
            at->graph->values[own->of].kind == QN_VECTOR)
            QN_TRY(qn_text_append(at->text, "    const int %s_wide = is_wide(%s_data, 0);\n", name, name));
    }
    return QN_OK;
}

static const char *const words =
    "#define SEGMENT (GROUP_X < 32 ? GROUP_X : 32) /* work-items of a row that a GPU runs in step */\n"
    "#define SEGMENTS (GROUP_X / SEGMENT)\n"
    "/* Groups that shall be on a compute unit: a work-item has 64 registers or 48, by what it has on its way. */\n"
    "#define RESIDENT_ITEMS (TERMS > 6 ? 1024 : 1280)\n"
    "#define RESIDENT (ITEMS < RESIDENT_ITEMS ? RESIDENT_ITEMS / ITEMS : 1)\n"
    "#define EACH_ELEMENT(count) UNROLL for (int e = 0; e < ELEMENTS; e++) if (e < (count))\n"
    "#define PIECE (ELEMENTS % 8 == 0 ? 8 : 4) /* elements of a whole line that are loaded and used at once */\n"
    "#define EACH_OF_STRIP(count) UNROLL for (int e = 0; e < STRIP; e++) if (e < (count))\n"
    "/* Where a work-item's element is in a chunk that `items` work-items share. */\n"
    "#define PLACE(e, items, item) (((e) / VECTOR_WIDTH * (items) + (item)) * VECTOR_WIDTH + (e) % VECTOR_WIDTH)\n"
    "#define COLUMN(e) PLACE(e, GROUP_X, x)\n";

static const char *const functions =
    "\n/* A work-item's elements of a chunk of which `rest` are left, at most `most`. */\n"
    "DEVICE_FN int elements_of(qn_int64 rest, int most, int items, int item)\n"
    "{\n"
    "    const int row = items * VECTOR_WIDTH;\n"
    "    if (rest >= (qn_int64)most * items) return most;\n"
    "    return (int)rest / row * VECTOR_WIDTH +\n"
    "           MIN(MAX((int)rest % row - item * VECTOR_WIDTH, 0), VECTOR_WIDTH);\n"
    "}\n"
    "\n/* Whether vectors are where the device loads them at once, in each line of a matrix. */\n"
    "DEVICE_FN int is_wide(GLOBAL const float *data, qn_int64 step)\n"
    "{\n"
    "    return VECTOR_WIDTH == 4 && step % 4 == 0 && (qn_uint64)data % 16 == 0;\n"
    "}\n"
    "\n/* Load all of a work-item's `count` elements from a chunk, in vectors. */\n"
    "DEVICE_FN void load_vectors(GLOBAL const float *from, int count, int items, int item, float *own)\n"
    "{\n"
    "    UNROLL\n"
    "    for (int e = 0; e < count / 4 * 4; e += 4) {\n"
    "        const qn_float4 four = *(GLOBAL const qn_float4 *)(from + PLACE(e, items, item));\n"
    "        own[e] = four.x, own[e + 1] = four.y, own[e + 2] = four.z, own[e + 3] = four.w;\n"
    "    }\n"
    "}\n"
    "\n/* Load `count` of a work-item's elements, at most `most`, from a chunk. */\n"
    "DEVICE_FN void load_elements(GLOBAL const float *from, int wide, int count, int most, int items, int item,\n"
    "    float *own)\n"
    "{\n"
    "    if (wide && count % 4 == 0) {\n"
    "        UNROLL\n"
    "        for (int e = 0; e < most / 4 * 4; e += 4)\n"
    "            if (e < count) load_vectors(from + PLACE(e, items, item), 4, 0, 0, own + e);\n"
    "    } else {\n"
    "        UNROLL\n"
    "        for (int e = 0; e < most; e++)\n"
    "            if (e < count) own[e] = from[PLACE(e, items, item)];\n"
    "    }\n"
    "}\n"
    "\n/* Store `count` of a work-item's elements, at most `most`, to a chunk. */\n"
    "DEVICE_FN void store_elements(const float *own, int wide, int count, int most, int items, int item,\n"
    "    GLOBAL float *to)\n"
    "{\n"
    "    if (wide && count % 4 == 0) {\n"
    "        UNROLL\n"
    "        for (int e = 0; e < most / 4 * 4; e += 4)\n"
    "            if (e < count)\n"
    "                *(GLOBAL qn_float4 *)(to + PLACE(e, items, item)) =\n"
    "                    FLOAT4_MAKE(own[e], own[e + 1], own[e + 2], own[e + 3]);\n"
    "    } else {\n"
    "        UNROLL\n"
    "        for (int e = 0; e < most; e++)\n"
    "            if (e < count) to[PLACE(e, items, item)] = own[e];\n"
    "    }\n"
    "}\n";

qn_status qn_emit_wide_header(qn_text *text)
{
    return qn_text_append(text, "%s%s", words, functions);
}
