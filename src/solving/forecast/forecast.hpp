#pragma once
// The forecast of a solve: the time of one iteration in its parts, the set-up, and the format that finishes first.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "forecast/model_set.hpp"
#include "solving/forecast/rates.hpp"
#include "solving/handover.hpp"
#include "solving/method.hpp"
#include "solving/preconditioners/preconditioner.hpp"

namespace sparsecast::solving {
struct SolvePart {
  Term term = Term::products;
  Estimate time;
};

struct SolveForecast {
  std::string format;  ///< the kernel of the product
  PreconditionerKind preconditioner = PreconditionerKind::none;
  int threads = 0;
  Estimate iteration;
  double setup_s = 0;            ///< conversion, preconditioner, and what else comes before the first iteration
  double conversion_s = 0;       ///< 0 also where it is not known
  bool conversion_known = true;  ///< false: neither the set-up nor the total holds it
  std::vector<SolvePart> parts;  ///< of an iteration, in the order in which they come first
  Tier tier = Tier::measured;
  bool extrapolated = false;
  std::int64_t format_bytes = 0;  ///< of the product's format; 0: not known

  [[nodiscard]] double total_s(std::int64_t iterations) const {
    return setup_s + static_cast<double>(iterations) * iteration.seconds;
  }
};

/// Moves forecasts of y = A·x to what was observed of such products; nothing where none were.
using SeenProducts = std::function<void(std::vector<Forecast>&)>;

/// Forecasts solves on one machine. The profile must outlive it.
class SolveForecaster {
 public:
  /// `seen`: what is known of the products beside the models. Error failed where the profile has no records in that
  /// precision for that number of threads.
  SolveForecaster(const Profile& profile, const FitOptions& options, SeenProducts seen = {});

  /// One for every kernel that can be forecast, by the time of so many iterations with the set-up; on several threads
  /// with what it costs that they hand vectors to each other. `structure` is what products read (structure_read()),
  /// `preconditioner` of the matrix that is solved. Error unavailable for a product that the machine does not have.
  [[nodiscard]] std::vector<SolveForecast> forecasts(const Structure& structure,
                                                     const PreconditionerWork& preconditioner, const Method& method,
                                                     std::int64_t iterations, const Handover& handover = {}) const;
  /// From the forecast of y = A·x, made before.
  [[nodiscard]] SolveForecast of(const Forecast& product, const Structure& structure,
                                 const PreconditionerWork& preconditioner, const Method& method,
                                 const Handover& handover = {}) const;

 private:
  [[nodiscard]] std::vector<Forecast> products(const Structure& structure, const Method& method) const;

  const Profile& profile_;
  FitOptions options_;
  Rates rates_;
  SeenProducts seen_;
  forecast::ModelSet models_;
  std::vector<std::string> kernels_;
};

/// The structure of what products read on such a device: that of Aᵀ where the method multiplies by it and the device
/// stores it so, as GPUs do; else `structure`, which is the matrix's.
[[nodiscard]] Structure structure_read(const Matrix& matrix, const Structure& structure, const Method& method,
                                       DeviceKind kind, int threads = 0);

/// One iteration from the forecast of one of its products (a block of lobpcg's, the transposed one of pagerank).
[[nodiscard]] SolveForecast forecast_iteration(const Forecast& product, const Rates& rates, const Structure& structure,
                                               const PreconditionerWork& preconditioner, const Method& method,
                                               const Handover& handover = {});

/// The iteration where a product's forecast is expected: `product` with its time, its parts and its set-up.
[[nodiscard]] Forecast as_product(const SolveForecast& iteration, Forecast product);
}  // namespace sparsecast::solving
