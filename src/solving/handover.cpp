#include "solving/handover.hpp"

#include <sys/sysinfo.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "calibration/rounds.hpp"
#include "hardware/host/bound_team.hpp"
#include "solving/step.hpp"

namespace sparsecast::solving {
namespace {
// Of the lines of x, which part `part` of the product reads: 1.
template <class Pattern>
std::vector<char> lines_read(const Pattern& csr, const std::vector<std::int64_t>& bounds, int part,
                             std::int64_t of_line) {
  std::vector<char> read(static_cast<std::size_t>((csr.cols + of_line - 1) / of_line), 0);
  const auto end = csr.row_pointers[bounds[static_cast<std::size_t>(part) + 1]];
  for (auto k = csr.row_pointers[bounds[static_cast<std::size_t>(part)]]; k < end; ++k)
    read[static_cast<std::size_t>(csr.column_indices[k] / of_line)] = 1;
  return read;
}

constexpr std::int64_t line = 8, lines_of_part = 512;
constexpr int warm = 2, repeats = 12;

// The vectors of cg's last pass, and the order in which a product might come by the lines of its operand.
struct Trial {
  Trial(std::int64_t rows, int threads)
      : x(static_cast<std::size_t>(rows), 1.0), p(x), m(x), r(x), sums(static_cast<std::size_t>(threads) * line) {
    order.resize(static_cast<std::size_t>(rows / line));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i * line);
    base::Random random(1);
    // Shuffled among the lines of their writer, so that the order is no stream.
    for (std::size_t i = 0; i < order.size(); ++i)
      std::swap(order[i], order[i / lines_of_part * lines_of_part +
                                static_cast<std::size_t>(random.uniform() * lines_of_part) % lines_of_part]);
  }
  Vector x, p, m, r, sums;
  std::vector<std::int32_t> order;
};

// The lower quartile of some turns of a pass by all threads and a reading of its result. `apart`: every thread reads
// its own lines as often as there are threads, so that nothing is handed over and everything else is the same.
double turn_s(Trial& trial, int threads, formats::Stores stores, bool apart) {
  const formats::VectorLoops& loops = formats::vector_loops(stores);
  const auto rows = static_cast<std::int64_t>(trial.p.size());
  std::vector<double> times;
  for (int k = 0; k < warm + repeats; ++k) {
    const double start = base::now_s();
    formats::for_each_part(threads, [&](int part) {
      const std::int64_t first = pass_begin(rows, part, threads), last = pass_begin(rows, part + 1, threads);
      loops.step_and_turn_scaled(last - first, 1e-9, 0.5, trial.m.data() + first, trial.r.data() + first,
                                 trial.x.data() + first, trial.p.data() + first);
    });
    formats::for_each_part(threads, [&](int part) {
      double sum = 0;
      for (int of = 0; of < threads; ++of) {
        const int from = apart ? part : (part + of) % threads;
        for (std::int64_t l = pass_begin(rows, from, threads) / line; l < pass_begin(rows, from + 1, threads) / line;
             ++l)
          sum += trial.p[static_cast<std::size_t>(trial.order[static_cast<std::size_t>(l)])];
      }
      trial.sums[static_cast<std::size_t>(part * line)] = sum;
    });
    if (k >= warm) times.push_back(base::now_s() - start);
  }
  std::ranges::sort(times);
  return times[repeats / 4];
}
}  // namespace

SharedRows::SharedRows(const Matrix& matrix, int threads) {
  if (threads <= 1 || matrix.rows() != matrix.cols() || matrix.rows() == 0) return;
  const std::int64_t rows = matrix.rows();
  std::vector<std::vector<char>> read(static_cast<std::size_t>(threads));
  matrix.visit_pattern([&](const auto& csr) {
    const std::vector<std::int64_t> bounds = formats::rows_by_nonzeros(csr.row_pointers.data(), csr.rows, threads);
    formats::for_each_part(
        threads, [&](int part) { read[static_cast<std::size_t>(part)] = lines_read(csr, bounds, part, line); });
  });
  stretches_.assign(static_cast<std::size_t>((rows + stretch - 1) / stretch), 0);
  std::vector<double> foreign(static_cast<std::size_t>(threads), 0);
  for (std::size_t s = 0; s < stretches_.size(); ++s) {
    const std::int64_t first = static_cast<std::int64_t>(s) * stretch / line;
    const std::int64_t last = std::min(first + stretch / line, (rows + line - 1) / line);
    std::int64_t shared = 0;
    for (std::int64_t l = first; l < last; ++l) {
      bool by_others = false;
      for (int part = 0; part < threads; ++part) {
        const bool own = l * line >= pass_begin(rows, part, threads) && l * line < pass_begin(rows, part + 1, threads);
        if (own || read[static_cast<std::size_t>(part)][static_cast<std::size_t>(l)] == 0) continue;
        by_others = true;
        foreign[static_cast<std::size_t>(part)] += 1;
      }
      shared += by_others ? 1 : 0;
    }
    stretches_[s] = 2 * shared >= last - first ? 1 : 0;
  }
  lines_ = *std::ranges::max_element(foreign);
}

std::int64_t SharedRows::end_of_stretch(std::int64_t row) const {
  auto s = static_cast<std::size_t>(row / stretch);
  const char like = stretches_[s];
  while (s < stretches_.size() && stretches_[s] == like) ++s;
  return static_cast<std::int64_t>(s) * stretch;
}

LineCost line_cost(int threads) {
  if (threads <= 1 || threads > get_nprocs()) return {};
  Trial trial(threads * lines_of_part * line, threads);
  const auto foreign = static_cast<double>((threads - 1) * lines_of_part);
  const double alone = turn_s(trial, threads, formats::Stores::kept, true);
  return {.kept_s = std::max(0.0, turn_s(trial, threads, formats::Stores::kept, false) - alone) / foreign,
          .around_s = std::max(0.0, turn_s(trial, threads, formats::Stores::around, false) - alone) / foreign};
}

Handover measured_handover(const Matrix& matrix, int threads) {
  if (threads <= 1) return {};
  const hardware::BoundTeam bound(threads);
  const double lines = SharedRows(matrix, threads).lines();
  return {.lines = matrix.is_complex() ? 2 * lines : lines, .line_s = line_cost(threads).best_s()};
}
}  // namespace sparsecast::solving
