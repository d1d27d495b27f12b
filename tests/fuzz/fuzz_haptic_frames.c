/* Any bytes as the frames of a hand, in pieces of a size that the first byte gives: every frame that is taken is finite
 * and its number rises, the pieces do not matter, and a fault has a sentence. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "deform/live/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds) abort();
}

typedef struct outcome {
    size_t frames, hand_frames, taken;
    qn_frame_fault fault;
    qn_hand_frame last;
} outcome;

static outcome read_in_pieces(const uint8_t *data, size_t size, size_t piece)
{
    qn_frame_stream stream = {0};
    outcome found = {0};
    while (found.taken < size) {
        const size_t left = size - found.taken;
        qn_hand_frame frame;
        bool is_complete;
        const size_t taken =
            qn_frame_stream_take(&stream, data + found.taken, left < piece ? left : piece, &frame, &is_complete);
        if (taken == 0) break;
        found.taken += taken;
        if (!is_complete) continue;
        demand(isfinite(frame.time_s) && isfinite(frame.place[0]) && isfinite(frame.place[1]) &&
               isfinite(frame.place[2]));
        if (!frame.asks_for_shape) {
            demand(found.hand_frames++ == 0 || frame.sequence > found.last.sequence);
            found.last = frame;
        }
        found.frames++;
    }
    found.fault = stream.fault;
    demand(found.taken == size || found.fault != QN_FRAME_SOUND);
    qn_text sentence = {0};
    demand(qn_frame_stream_explain(&stream, &sentence) == QN_OK && sentence.length > 0);
    qn_text_clear(&sentence);
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const outcome whole = read_in_pieces(data + 1, size - 1, SIZE_MAX);
    const outcome pieces = read_in_pieces(data + 1, size - 1, (size_t)data[0] % 100 + 1);
    demand(whole.frames == pieces.frames && whole.fault == pieces.fault);
    demand(memcmp(whole.last.place, pieces.last.place, sizeof whole.last.place) == 0);
    return 0;
}
