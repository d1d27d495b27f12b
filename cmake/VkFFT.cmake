# VkFFT is one header. src/fft/shim stands before it in the place of the OpenCL and CUDA headers it wants, so building
# needs neither; where the header is absent the library is built without it and says so when it is asked for.
find_path(VKFFT_INCLUDE_FOLDER vkFFT.h PATH_SUFFIXES vkFFT VkFFT)
mark_as_advanced(VKFFT_INCLUDE_FOLDER)
if(VKFFT_INCLUDE_FOLDER)
  # Its warnings are not ours, nor are what sanitizers would find; optimising 30,000 lines that write kernel texts buys
  # nothing, and checking them takes a compiler minutes.
  set_source_files_properties(src/fft/vkfft_opencl.c src/fft/vkfft_cuda.c PROPERTIES
    INCLUDE_DIRECTORIES "${CMAKE_CURRENT_SOURCE_DIR}/src/fft/shim;${VKFFT_INCLUDE_FOLDER}"
    COMPILE_DEFINITIONS QN_HAVE_VKFFT
    COMPILE_OPTIONS "-w;-O1;-fno-sanitize=all")
else()
  message(STATUS "vkFFT.h not found: no GPU transforms by VkFFT (Debian package libvkfft-dev)")
endif()
