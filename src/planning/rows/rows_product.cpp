#include "planning/rows/rows_product.hpp"

#include <sparsecast/error.hpp>

#include "formats/kernels.hpp"

namespace sparsecast::planning {
const formats::HostKernel& kernel_named(const std::string& name) {
  const formats::HostKernel* kernel = formats::find_host_kernel(name);
  if (kernel == nullptr)
    throw Error(ErrorCode::usage, "the host has no kernel '" + name + "'", {}, "plan for another device");
  return *kernel;
}

template <class Value>
std::unique_ptr<formats::HostProduct<Value>> build_rows(const std::string& kernel, const Matrix& rows, int threads) {
  if (formats::kernel_or_plain(kernel).made_for == formats::MadeFor::any)
    return kernel_named(kernel).build<Value>(rows, threads);
  const std::string plain(formats::default_kernel().name);
  const bool refused = !formats::refusal_of(kernel, analyze(rows, threads)).empty();
  return kernel_named(refused ? plain : kernel).build<Value>(rows, threads);
}

template std::unique_ptr<formats::HostProduct<float>> build_rows(const std::string&, const Matrix&, int);
template std::unique_ptr<formats::HostProduct<double>> build_rows(const std::string&, const Matrix&, int);
}  // namespace sparsecast::planning
