/* Numbers as XDR stores them (RFC 4506): big endian, in units of four bytes. */
#ifndef QN_FORMAT_TRAJECTORY_XDR_H
#define QN_FORMAT_TRAJECTORY_XDR_H

#include <stdint.h>
#include <string.h>

static inline uint32_t qn_xdr_unsigned(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static inline int32_t qn_xdr_int(const char *bytes)
{
    return (int32_t)qn_xdr_unsigned(bytes);
}

static inline uint64_t qn_xdr_unsigned64(const char *bytes)
{
    return (uint64_t)qn_xdr_unsigned(bytes) << 32 | qn_xdr_unsigned(bytes + 4);
}

static inline float qn_xdr_float(const char *bytes)
{
    uint32_t bits = qn_xdr_unsigned(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double qn_xdr_double(const char *bytes)
{
    uint64_t bits = qn_xdr_unsigned64(bytes);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void qn_xdr_put_unsigned(uint32_t value, char *bytes)
{
    for (int i = 0; i < 4; i++) bytes[i] = (char)(unsigned char)(value >> (24 - 8 * i));
}

static inline void qn_xdr_put_int(int32_t value, char *bytes)
{
    qn_xdr_put_unsigned((uint32_t)value, bytes);
}

static inline void qn_xdr_put_float(float value, char *bytes)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    qn_xdr_put_unsigned(bits, bytes);
}

#endif
