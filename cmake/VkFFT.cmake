# VkFFT is one header. src/fft/shim replaces the OpenCL and CUDA headers that it includes, so building needs neither.
# Without the header the library is built without VkFFT and reports that when VkFFT is requested.
find_path(VKFFT_INCLUDE_FOLDER vkFFT.h PATH_SUFFIXES vkFFT VkFFT)
mark_as_advanced(VKFFT_INCLUDE_FOLDER)
if(VKFFT_INCLUDE_FOLDER)
  # VkFFT's warnings and sanitizer reports cannot be fixed here. Its 30,000 lines only write kernel texts, so optimising
  # them gains nothing, and compiling them with sanitizers takes minutes.
  set_source_files_properties(src/fft/vkfft_opencl.c src/fft/vkfft_cuda.c PROPERTIES
    INCLUDE_DIRECTORIES "${CMAKE_CURRENT_SOURCE_DIR}/src/fft/shim;${VKFFT_INCLUDE_FOLDER}"
    COMPILE_DEFINITIONS QN_HAVE_VKFFT
    COMPILE_OPTIONS "-w;-O1;-fno-sanitize=all")
else()
  message(STATUS "vkFFT.h not found: no GPU transforms by VkFFT (Debian package libvkfft-dev)")
endif()
