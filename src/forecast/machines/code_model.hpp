#pragma once
// A described GPU's model: our own kernels by their code (code_time.hpp), all others by what tables of GPUs told.

#include "forecast/machines/code_time.hpp"

namespace sparsecast::forecast {
/// `tables` answers for what no code is known of, and for kernels that a table of the device itself tells of. Products
/// of our kernels that were measured there (anchors) move what code says of the same kernel.
[[nodiscard]] std::unique_ptr<FittedModel> with_code(std::unique_ptr<FittedModel> tables, const Profile& profile,
                                                     const FitOptions& options);

/// The kernels that such a model can be asked for by a data sheet: ours, and of `of_tables` those that are not ours by
/// another name.
[[nodiscard]] std::vector<std::string> kernels_with_code(const DeviceProperties& device,
                                                         std::vector<std::string> of_tables);
}  // namespace sparsecast::forecast
