/* Everything VkFFT needs of this header is in cuda.h beside it. */
#include <cuda.h>
