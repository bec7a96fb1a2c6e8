#pragma once
// The self-check: every kernel of a device against the plain sequential product, on matrices that are awkward on
// purpose (empty rows, one huge row, sizes that cross work-groups and strips). The tests and `devices --check` run the
// same comparison, so that a user can repeat it on a device that no test has seen.

#include "hardware/device.hpp"

namespace sparsecast::hardware {
/// One matrix of the check.
struct CheckMatrix {
  std::string name;
  Matrix matrix;
};
/// The awkward matrices; some sizes depend on the device's strips. Each comes with 32- and with 64-bit row pointers.
std::vector<CheckMatrix> check_matrices(const DeviceProperties& properties);

/// One kernel on one matrix. Never throws for a wrong result; a format that is refused as too large, or a precision
/// that the device has not, agrees with a remark. Error usage for an unknown kernel.
KernelCheck check_kernel(Device& device, const CheckMatrix& matrix, const std::string& kernel, Precision precision,
                         Voice voice = Voice::library);

/// The kernels named (all of the device's where none is) on all matrices in both precisions; `begun` is told of each,
/// remarks are in `voice`. Error interrupted on Ctrl-C.
std::vector<KernelCheck> check_kernels(Device& device, const std::vector<std::string>& kernels,
                                       const std::function<void(const std::string&)>& begun,
                                       Voice voice = Voice::library);
}  // namespace sparsecast::hardware
