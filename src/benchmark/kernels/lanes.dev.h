/* Vectors of VECTOR_WIDTH floats with loads, arithmetic and stores. In OpenCL a vector is a VEC. In CUDA, where a VEC
 * has one element, a vector is 1, 2 or 4 floats, whose load and store are one instruction each. Addresses are multiples
 * of the vector's size; VEC_LOAD and VEC_STORE do not require that and therefore use no wide instructions on GPUs. */
#if defined(QN_LANGUAGE_CUDA) && VECTOR_WIDTH == 2
typedef qn_float2 lanes;
#define LANES_MAKE(x, y, z, w) FLOAT2_MAKE(x, y) /* z and w are not used */
#elif defined(QN_LANGUAGE_CUDA) && VECTOR_WIDTH == 4
typedef qn_float4 lanes;
#define LANES_MAKE(x, y, z, w) FLOAT4_MAKE(x, y, z, w)
#else
typedef VEC(float, VECTOR_WIDTH) lanes;
#define LANES_ARE_VEC 1
#endif

DEVICE_FN lanes lanes_load(GLOBAL const float *from)
{
    return *(GLOBAL const lanes *)from;
}

DEVICE_FN void lanes_store(GLOBAL float *to, lanes value)
{
    *(GLOBAL lanes *)to = value;
}

#ifdef LANES_ARE_VEC
DEVICE_FN lanes lanes_splat(float value)
{
    return VEC_SPLAT(float, VECTOR_WIDTH, value);
}

DEVICE_FN lanes lanes_add(lanes a, lanes b)
{
    return a + b;
}

DEVICE_FN lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return VEC_FMA(a, b, c);
}

DEVICE_FN float lanes_sum(lanes value)
{
    return VEC_SUM(VECTOR_WIDTH, value);
}
#else
DEVICE_FN lanes lanes_splat(float value)
{
    return LANES_MAKE(value, value, value, value);
}

DEVICE_FN lanes lanes_add(lanes a, lanes b)
{
    return LANES_MAKE(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

DEVICE_FN lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return LANES_MAKE(FMA(a.x, b.x, c.x), FMA(a.y, b.y, c.y), FMA(a.z, b.z, c.z), FMA(a.w, b.w, c.w));
}

DEVICE_FN float lanes_sum(lanes value)
{
#if VECTOR_WIDTH == 2
    return value.x + value.y;
#else
    return (value.x + value.z) + (value.y + value.w);
#endif
}
#endif
