/* cuda.h in this folder has everything of this header that VkFFT needs. */
#include <cuda.h>
