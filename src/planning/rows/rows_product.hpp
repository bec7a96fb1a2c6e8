#pragma once
// Rows of a matrix in a kernel: the pieces that plans of several blocks, and powers, are made of.

#include "formats/host_product.hpp"

namespace sparsecast::planning {
/// Error usage where the host has no such kernel.
[[nodiscard]] const formats::HostKernel& kernel_named(const std::string& name);

/// `rows`: some of a matrix's. They may not have what the kernel's form is made for: they are multiplied from CSR then.
template <class Value>
[[nodiscard]] std::unique_ptr<formats::HostProduct<Value>> build_rows(const std::string& kernel, const Matrix& rows,
                                                                      int threads);
}  // namespace sparsecast::planning
