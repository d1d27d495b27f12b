#include "runtime/driver.h"

extern const qn_driver qn_host_driver, qn_opencl_driver, qn_cuda_driver, qn_checking_driver;

const qn_driver *const qn_drivers[] = {&qn_host_driver, &qn_opencl_driver, &qn_cuda_driver, &qn_checking_driver, NULL};
