#include "planning/choice/few_products.hpp"

#include <algorithm>

#include "forecast/model_names.hpp"
#include "formats/kernels.hpp"
#include "formats/parts/sizes.hpp"
#include "planning/search/cost.hpp"

namespace sparsecast::planning {
namespace {
constexpr const char* why = "with so few products, an analysis of the matrix does not pay";
// From so many entries on, a look and a conversion take five to ten products, and twenty-five are won back by kernels
// twice as fast; of smaller matrices what every plan takes is more.
constexpr std::int64_t large_nonzeros = 100'000, few_of_large = 24;
static_assert(few_of_large < StrategyOptions::few_products);
}  // namespace

bool is_done_before_a_look(const PlanRequest& request, const Matrix& matrix) {
  const StrategyOptions& wanted = request.strategy;
  const bool as_usual = request.device == "host" && parse_trials(request.trials).mode == TrialMode::none &&
                        request.model == forecast::best_model && wanted.strip_rows == 0 && wanted.max_blocks == 0 &&
                        !wanted.always_cut && wanted.kernels.empty();
  const std::int64_t few = matrix.nonzeros() < large_nonzeros ? StrategyOptions::few_products : few_of_large;
  return as_usual && wanted.iterations > 0 && wanted.iterations <= few && wanted.iterations * wanted.vectors <= few;
}

Strategy without_a_look(const PlanRequest& request, const Matrix& matrix, int threads) {
  // Entries that are worth another thread: some microseconds of a product where it is awake already, and of all
  // products, as it takes ten times that until it has woken and fetched its part out of the first one's cache. One
  // product of 140,000 to 180,000 entries took 95 to 130 us on one thread of a Zen 4 guest and 187 to 294 on two, of
  // 240,000 190 to 252 and 162 to 225 (looked at: six of the matrices that planning is judged on).
  constexpr std::int64_t of_a_thread = 20'000, of_a_sleeping_thread = 200'000;
  const std::int64_t entries = matrix.nonzeros(),
                     all = formats::saturating_product(entries, request.strategy.iterations * request.strategy.vectors);
  const std::int64_t enough =
      std::min({std::int64_t{threads}, 1 + entries / of_a_thread, 1 + all / of_a_sleeping_thread});
  Strategy strategy =
      one_kernel(matrix, std::string(formats::default_kernel().name), request.precision, static_cast<int>(enough));
  strategy.iterations = request.strategy.iterations;
  strategy.vectors = request.strategy.vectors;
  strategy.transposed = request.strategy.transposed;
  strategy.reason = why;
  return strategy;
}

void take_default_kernel(Strategy& strategy, const Matrix& matrix) {
  const auto plain = std::ranges::find(strategy.singles, formats::default_kernel().name, &SingleKernel::kernel);
  if (plain == strategy.singles.end()) return;
  PlannedBlock block{.last_strip = strategy.strips, .kernel = plain->kernel, .seconds = plain->seconds};
  block.last_row = matrix.rows() - 1;
  block.conversion_s = plain->conversion_s;
  strategy.blocks = {block};
  strategy.cut = false;
  strategy.predicted_s = plain->seconds;
  strategy.conversion_s = plain->conversion_s;
  strategy.reason = why;
  find_break_even(strategy);
}
}  // namespace sparsecast::planning
