/* The computation of one pixel. Angles are in turns, as 32-bit fractions that wrap as angles do: products with whole
 * numbers are exact modulo a turn on every device, for any number of turns. The remainder of a coefficient that 32 bits
 * cannot hold is a separate float. */

/* Arguments of `prepare_images`, in order. */
enum {
    PREPARE_IMAGES_SPECTRA,
    PREPARE_IMAGES_PARAMETERS,
    PREPARE_IMAGES_IMAGES,
    PREPARE_IMAGES_WEIGHTS,
    PREPARE_IMAGES_SCALARS,
    PREPARE_IMAGES_ARGUMENTS
};

typedef struct prepare_scalars {
    int side;
    int image_count;
    int most_squared; /* x^2 + y^2 of the farthest pixel that is kept */
    int contrast;     /* 1: apply the CTF */
    int ramp;         /* 1: multiply weights with the distance of the pixel from the origin */
} prepare_scalars;

/* Indices of an image's QN_IMAGE_PARAMETERS words; F: bits of a float. Phases and defoci are turns per pixel or per
 * pixel²; `…_REST` are the remainders of their fractions. */
#define PREPARE_RAMP_X 0
#define PREPARE_RAMP_Y 1
#define PREPARE_RAMP_X_REST 2 /* F */
#define PREPARE_RAMP_Y_REST 3 /* F */
#define PREPARE_DEFOCUS_XX 4
#define PREPARE_DEFOCUS_XY 5
#define PREPARE_DEFOCUS_YY 6
#define PREPARE_DEFOCUS_XX_REST 7  /* F */
#define PREPARE_DEFOCUS_XY_REST 8  /* F */
#define PREPARE_DEFOCUS_YY_REST 9  /* F */
#define PREPARE_ABERRATION 10      /* whole turns where (x² + y²) · scale is 2^32 */
#define PREPARE_ABERRATION_REST 11 /* the rest of these turns, as a fraction */
#define PREPARE_SCALE 12           /* largest power of two for which (x² + y²) · scale fits into 32 bits */
#define PREPARE_PHASE 13           /* at the origin */
#define PREPARE_DECAY 14           /* F; per pixel² */
#define PREPARE_WEIGHT 15          /* F */

/* Sine of `turns` + `rest`, good to 3e-7 for |rest| < 0.01. The angle is folded onto −¼ … ¼ of a turn; there the sine
 * is x times the polynomial of x² with the smallest largest error. */
DEVICE_FN float prepare_sine(qn_uint32 turns, float rest)
{
    const bool beyond = ((turns + 0x40000000u) & 0x80000000u) != 0;
    const qn_int32 folded = (qn_int32)(beyond ? 0x80000000u - turns : turns);
    const float x = (float)folded * 2.32830644e-10f + (beyond ? -rest : rest);
    const float square = x * x;
    return x * (6.28318516f +
                square * (-41.3416550f + square * (81.6010041f + square * (-76.5497824f + square * 39.5367068f))));
}

/* |f| in pixels; at the origin the mean over a disc of a pixel's area, 2 / (3 √π). */
DEVICE_FN float prepare_distance(int x, int y)
{
    const int squared = x * x + y * y;
    return squared == 0 ? 0.376126389f : SQRT((float)squared);
}

/* exp(2πi (x ramp_x + y ramp_y)) */
DEVICE_FN qn_complex prepare_ramp(GLOBAL const qn_uint32 *image, int x, int y)
{
    const qn_uint32 turns = (qn_uint32)x * image[PREPARE_RAMP_X] + (qn_uint32)y * image[PREPARE_RAMP_Y];
    const float rest =
        (float)x * BITS_FLOAT(image[PREPARE_RAMP_X_REST]) + (float)y * BITS_FLOAT(image[PREPARE_RAMP_Y_REST]);
    return COMPLEX_MAKE(prepare_sine(turns + 0x40000000u, rest), prepare_sine(turns, rest));
}

/* The CTF without its envelope. */
DEVICE_FN float prepare_contrast(GLOBAL const qn_uint32 *image, int x, int y)
{
    const qn_uint32 u = (qn_uint32)x, v = (qn_uint32)y;
    const float left = (float)x, up = (float)y;
    const qn_uint32 scaled = (u * u + v * v) * image[PREPARE_SCALE], fourth = MUL_HIGH_UINT32(scaled, scaled);
    const qn_uint32 aberration =
        image[PREPARE_ABERRATION] * fourth + MUL_HIGH_UINT32(image[PREPARE_ABERRATION_REST], fourth);
    const qn_uint32 defocus =
        (image[PREPARE_DEFOCUS_XX] * u + image[PREPARE_DEFOCUS_XY] * v) * u + image[PREPARE_DEFOCUS_YY] * v * v;
    const float rest =
        (BITS_FLOAT(image[PREPARE_DEFOCUS_XX_REST]) * left + BITS_FLOAT(image[PREPARE_DEFOCUS_XY_REST]) * up) * left +
        BITS_FLOAT(image[PREPARE_DEFOCUS_YY_REST]) * up * up;
    return prepare_sine(image[PREPARE_PHASE] + defocus - aberration, rest);
}
