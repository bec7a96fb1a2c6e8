#pragma once
// A and Aᵀ in turns: whether one storage of the matrix serves both, or Aᵀ gets one of its own.

#include "planning/choice/choose.hpp"

namespace sparsecast::planning {
/// `shares` are of both. The choice for A, as choose() makes it, and with it what multiplies by Aᵀ: the storage of A,
/// another form of A, or Aᵀ stored beside it, whichever finishes first. Of many products that is measured, in some
/// products of each: the forecast of a transposed product errs by more than they differ. Errors as choose();
/// unavailable for other devices than the host.
[[nodiscard]] Choice choose_pair(const PlanRequest& request, const ProductShares& shares, const Matrix& matrix,
                                 DeviceModels& device, const Asked& asked);
}  // namespace sparsecast::planning
