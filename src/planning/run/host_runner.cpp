// A strategy on the host's cores: the product of its blocks, in the precision of the plan, and what it works in.

#include <sparsecast/error.hpp>

#include "base/machine/memory.hpp"
#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "formats/csr_vectors.hpp"
#include "formats/kernels.hpp"
#include "formats/one_pass.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/row_sums.hpp"
#include "planning/rows/row_range.hpp"
#include "planning/rows/rows_product.hpp"
#include "planning/run/plan_runner.hpp"

namespace sparsecast::planning {
namespace {
// The blocks of a plan on the host's cores. One block is the kernel's own product. Several are dealt to the threads by
// rows, so that all of them run in one parallel region and no thread waits between blocks: thread t has a contiguous
// range of rows with 1/threads of the predicted time, in as many pieces as blocks it touches, each a product of its own
// for one thread.

// Rows of one block that one thread multiplies. In csr they stay where they are, in the arrays of the whole matrix.
template <class Value>
struct Piece {
  std::int64_t first = 0, last = 0;                      // rows first … last − 1
  std::unique_ptr<formats::HostProduct<Value>> product;  // null: csr

  [[nodiscard]] std::int64_t rows() const { return last - first; }
};

// Of its share of the whole matrix's arrays.
template <class Value>
std::int64_t bytes_in_place(const Matrix& matrix, const Piece<Value>& piece) {
  return matrix.visit_pattern([&](const auto& csr) {
    const auto nonzeros = csr.row_pointers[piece.last] - csr.row_pointers[piece.first];
    return static_cast<std::int64_t>(nonzeros * (sizeof(csr.column_indices[0]) + sizeof(Value)) +
                                     piece.rows() * sizeof(csr.row_pointers[0]));
  });
}

template <class Value>
class HostBlocks final : public formats::HostProduct<Value> {
 public:
  HostBlocks(const Matrix& matrix, const std::vector<PlannedBlock>& blocks, int threads) {
    const std::vector<std::int64_t> bounds = deal_rows(matrix, blocks, threads);
    const auto in_place = [](const PlannedBlock& block) {
      return !formats::kernel_or_plain(block.kernel).sorted_like.empty() && !block.reordered;
    };
    if (std::ranges::any_of(blocks, in_place)) csr_ = formats::to_csr<Value>(matrix, threads);
    pieces_.resize(static_cast<std::size_t>(threads));
    // Every thread converts what it will multiply, so that it touches it first.
    base::CarriedException failure;
    formats::for_each_part(threads, [&](int t) {
      failure.run([&] {
        for (const PlannedBlock& block : blocks) {
          Piece<Value> piece;
          piece.first = std::max(block.first_row, bounds[static_cast<std::size_t>(t)]);
          piece.last = std::min(block.last_row + 1, bounds[static_cast<std::size_t>(t) + 1]);
          if (piece.first >= piece.last) continue;
          if (!in_place(block)) {
            const Matrix rows = row_range(matrix, piece.first, piece.last);
            piece.product = block.reordered ? build_sorted_rows<Value>(rows) : build_rows<Value>(block.kernel, rows, 1);
          }
          pieces_[static_cast<std::size_t>(t)].push_back(std::move(piece));
        }
      });
    });
    failure.rethrow();
    for (const auto& pieces : pieces_)
      for (const Piece<Value>& piece : pieces)
        if (!piece.product) csr_bytes_ += bytes_in_place(matrix, piece);
  }

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    formats::for_each_part(static_cast<int>(pieces_.size()), [&](int thread) {
      for (const Piece<Value>& piece : pieces_[static_cast<std::size_t>(thread)]) {
        if (piece.product) {
          piece.product->apply(
              x, y.subspan(static_cast<std::size_t>(piece.first), static_cast<std::size_t>(piece.last - piece.first)));
          continue;
        }
        csr_.visit([&](const auto& csr) {
          using View = std::decay_t<decltype(csr)>;
          const auto sums = formats::row_sums<Value, typename View::Offset, typename View::Index>();
          sums.rows(csr, piece.first, piece.last, x.data(), y.data());
        });
      }
    });
  }

  void apply_scaled(const formats::Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y,
                    formats::Workspace<Value>& /*workspace*/) const override {
    for_each_piece([&](const Piece<Value>& piece) {
      if (!piece.product) return formats::scaled_rows(csr_, piece.first, piece.last, scaling, x.data(), y.data());
      const auto first = static_cast<std::size_t>(piece.first), count = static_cast<std::size_t>(piece.rows());
      piece.product->apply_scaled(scaling, x, y.subspan(first, count), of_thread_);
    });
  }
  void apply_block(const formats::Scaling<Value>& scaling, const formats::Vectors<const Value>& x,
                   const formats::Vectors<Value>& y, formats::Workspace<Value>& workspace) const override {
    const formats::ByRows<Value> by_rows(x, csr_.bytes(), workspace);  // once for all pieces
    const formats::BlockTask<Value> task = formats::block_task(scaling, by_rows.vectors(), y, csr_.bytes(), true);
    for_each_piece([&](const Piece<Value>& piece) {
      if (!piece.product) return formats::block_of_rows(csr_, piece.first, piece.last, task);
      piece.product->apply_block(scaling, by_rows.vectors(), y.from_row(piece.first, piece.rows()), of_thread_);
    });
  }

  // A part is what a thread has; every piece has one part.
  [[nodiscard]] int transposed_parts() const override {
    for (const auto& pieces : pieces_)
      for (const Piece<Value>& piece : pieces)
        if (piece.product && piece.product->transposed_parts() != 1) return 0;
    return static_cast<int>(pieces_.size());
  }
  void add_transposed(int part, Value alpha, const Value* x, Value* y) const override {
    for (const Piece<Value>& piece : pieces_[static_cast<std::size_t>(part)]) {
      if (piece.product) {
        piece.product->add_transposed(0, alpha, x + piece.first, y);
      } else {
        formats::add_transposed_rows(csr_, piece.first, piece.last, alpha, x, y);
      }
    }
  }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    for (auto& pieces : pieces_)
      for (Piece<Value>& piece : pieces)
        if (piece.product && !piece.product->update_values(row_range(matrix, piece.first, piece.last))) return false;
    if (csr_bytes_ > 0) csr_.update(matrix, static_cast<int>(pieces_.size()));
    return true;
  }

  [[nodiscard]] std::int64_t bytes() const override {
    std::int64_t bytes = csr_bytes_;
    for (const auto& pieces : pieces_)
      for (const Piece<Value>& piece : pieces)
        if (piece.product) bytes += piece.product->bytes();
    return bytes;
  }

 private:
  // threads + 1 ascending rows: every thread gets the same predicted time, within a block by non-zeros (and a little
  // for the row itself). Borders stand at multiples of eight rows, so that no two threads write one line of y.
  static std::vector<std::int64_t> deal_rows(const Matrix& matrix, const std::vector<PlannedBlock>& blocks,
                                             int threads) {
    double total = 0;
    for (const PlannedBlock& block : blocks) total += block.seconds;
    std::vector<std::int64_t> bounds{0};
    double before = 0;  // seconds of the blocks before `block`
    auto block = blocks.begin();
    for (int t = 1; t < threads; ++t) {
      const double wanted = total * t / threads;
      while (block + 1 != blocks.end() && before + block->seconds < wanted) before += (block++)->seconds;
      const double share = block->seconds > 0 ? std::clamp((wanted - before) / block->seconds, 0.0, 1.0) : 0.5;
      const std::int64_t row = matrix.visit_pattern([&](const auto& csr) {
        const auto weight = [&](std::int64_t r) {
          return 2 * static_cast<double>(r - block->first_row) +
                 static_cast<double>(csr.row_pointers[r] - csr.row_pointers[block->first_row]);
        };
        std::int64_t low = block->first_row, high = block->last_row + 1;
        const double target = share * weight(high);
        while (low < high) {
          const std::int64_t middle = low + (high - low) / 2;
          if (weight(middle) < target) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        return low;
      });
      bounds.push_back(std::clamp<std::int64_t>((row + 4) / 8 * 8, bounds.back(), matrix.rows()));
    }
    bounds.push_back(matrix.rows());
    return bounds;
  }

  // Working memory may not be had.
  template <class Work>
  void for_each_piece(const Work& work) const {
    base::CarriedException failure;
    formats::for_each_part(static_cast<int>(pieces_.size()), [&](int thread) {
      for (const Piece<Value>& piece : pieces_[static_cast<std::size_t>(thread)]) failure.run([&] { work(piece); });
    });
    failure.rethrow();
  }

  formats::CsrLayout<Value> csr_;
  std::int64_t csr_bytes_ = 0;
  mutable formats::Workspace<Value> of_thread_{1};  // of pieces, each of which runs on one
  std::vector<std::vector<Piece<Value>>> pieces_;   // of every thread
};

template <class Value>
std::unique_ptr<formats::HostProduct<Value>> build_host_blocks(const Matrix& matrix,
                                                               const std::vector<PlannedBlock>& blocks, int threads) {
  if (blocks.size() == 1 && !blocks.front().reordered)
    return kernel_named(blocks.front().kernel).build<Value>(matrix, threads);
  if constexpr (is_complex_value<Value>) {
    throw Error(ErrorCode::usage, "complex values need one kernel for all rows", {}, "plan without a cut");
  } else {
    return std::make_unique<HostBlocks<Value>>(matrix, blocks, threads);
  }
}

template <class Value>
class HostOperator {
 public:
  HostOperator(const Matrix& matrix, const Strategy& strategy)
      : threads_(strategy.threads),
        product_(build_host_blocks<Value>(matrix, strategy.blocks, strategy.threads)),
        workspace_(strategy.threads) {
    if (product_->transposed_parts() == 0) matrix_ = matrix;
    if (strategy.blocks.size() == 1 && !strategy.blocks.front().reordered)
      if (formats::takes_dots(formats::kernel_or_plain(strategy.blocks.front().kernel), matrix.rows(),
                              strategy.threads))
        dots_.emplace(*product_);
  }

  void apply(std::span<const Value> x, std::span<Value> y) const { product_->apply(x, y); }

  void run(const Call<Value>& call) const {
    const std::span<const Value> x(call.x.data, static_cast<std::size_t>(call.x.rows));
    const std::span<Value> y(call.y.data, static_cast<std::size_t>(call.y.rows));
    if (call.transposed && call.one_vector()) {
      formats::apply_transposed(transposed(), call.scaling, x, y, workspace_);
    } else if (call.transposed) {
      formats::apply_transposed_block(transposed(), call.scaling, call.x, call.y, workspace_);
    } else if (call.one_vector()) {
      product_->apply_scaled(call.scaling, x, y, workspace_);
    } else {
      product_->apply_block(call.scaling, call.x, call.y, workspace_);
    }
  }

  [[nodiscard]] bool run_with_dots(const Call<Value>& call, std::span<const Value> w,
                                   formats::DotSums<Value>& sums) const {
    if (!dots_) return false;
    sums = dots_->apply(call.scaling, w, {call.x.data, static_cast<std::size_t>(call.x.rows)},
                        {call.y.data, static_cast<std::size_t>(call.y.rows)}, workspace_);
    return true;
  }

  [[nodiscard]] bool one_pass(std::span<const Value> x, std::span<Value> y) const {
    if (product_->one_pass_units() == 0) return false;
    const formats::OnePass<Value>* pass = nullptr;
    {
      const std::lock_guard lock(csr_mutex_);
      if (!pass_) pass_ = std::make_unique<formats::OnePass<Value>>(*product_, static_cast<std::int64_t>(x.size()));
      pass = pass_.get();
    }
    pass->apply(x.data(), y.data(), workspace_);
    return true;
  }

  [[nodiscard]] bool update_values(const Matrix& matrix) {
    if (!product_->update_values(matrix)) return false;
    pass_.reset();
    if (product_->transposed_parts() == 0) {
      matrix_ = matrix;
      csr_.reset();
    }
    return true;
  }

  [[nodiscard]] std::int64_t bytes() const { return product_->bytes(); }

 private:
  // Of formats without a transposed product: that of the default kernel, which reads the matrix's own arrays. Made when
  // it is asked for first, since in the other precision it has values of its own.
  const formats::HostProduct<Value>& transposed() const {
    if (product_->transposed_parts() > 0) return *product_;
    const std::lock_guard lock(csr_mutex_);
    if (!csr_) csr_ = formats::default_kernel().host.template build<Value>(matrix_, threads_);
    return *csr_;
  }

  int threads_;
  std::unique_ptr<formats::HostProduct<Value>> product_;
  std::optional<formats::ProductDots<Value>> dots_;  // of product_, where it takes them
  mutable formats::Workspace<Value> workspace_;
  Matrix matrix_;
  mutable std::mutex csr_mutex_;
  mutable std::unique_ptr<formats::HostProduct<Value>> csr_;
  mutable std::unique_ptr<formats::OnePass<Value>> pass_;  // of product_, for its first product in one pass
};

class HostRunner final : public Runner {
 public:
  HostRunner(Strategy chosen, const Matrix& matrix, bool summed) : Runner(std::move(chosen), matrix, summed) {
    const double start = base::now_s();
    with_value_of(strategy.precision,
                  [&]<class Value>(Value) { operator_ = std::make_unique<HostOperator<Value>>(matrix, strategy); });
    conversion_s = base::now_s() - start;
  }
  void apply(std::span<const double> x, std::span<double> y) const override { of<double>().apply(x, y); }
  void apply(std::span<const float> x, std::span<float> y) const override { of<float>().apply(x, y); }
  void run(const Call<double>& call) const override { of<double>().run(call); }
  void run(const Call<float>& call) const override { of<float>().run(call); }
  void run(const Call<std::complex<double>>& call) const override { of<std::complex<double>>().run(call); }
  void run(const Call<std::complex<float>>& call) const override { of<std::complex<float>>().run(call); }
  [[nodiscard]] bool one_pass(std::span<const double> x, std::span<double> y) const override {
    return of<double>().one_pass(x, y);
  }
  [[nodiscard]] bool one_pass(std::span<const float> x, std::span<float> y) const override {
    return of<float>().one_pass(x, y);
  }
  [[nodiscard]] bool one_pass(std::span<const std::complex<double>> x,
                              std::span<std::complex<double>> y) const override {
    return of<std::complex<double>>().one_pass(x, y);
  }
  [[nodiscard]] bool one_pass(std::span<const std::complex<float>> x, std::span<std::complex<float>> y) const override {
    return of<std::complex<float>>().one_pass(x, y);
  }
  [[nodiscard]] bool run_with_dots(const Call<double>& call, std::span<const double> w,
                                   formats::DotSums<double>& sums) const override {
    return of<double>().run_with_dots(call, w, sums);
  }
  [[nodiscard]] bool run_with_dots(const Call<float>& call, std::span<const float> w,
                                   formats::DotSums<float>& sums) const override {
    return of<float>().run_with_dots(call, w, sums);
  }
  [[nodiscard]] bool run_with_dots(const Call<std::complex<double>>& call, std::span<const std::complex<double>> w,
                                   formats::DotSums<std::complex<double>>& sums) const override {
    return of<std::complex<double>>().run_with_dots(call, w, sums);
  }
  [[nodiscard]] bool run_with_dots(const Call<std::complex<float>>& call, std::span<const std::complex<float>> w,
                                   formats::DotSums<std::complex<float>>& sums) const override {
    return of<std::complex<float>>().run_with_dots(call, w, sums);
  }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    return std::visit([&](const auto& one) { return one->update_values(matrix); }, operator_);
  }
  [[nodiscard]] std::int64_t bytes() const override {
    return std::visit([](const auto& one) { return one->bytes(); }, operator_);
  }
  [[nodiscard]] std::int64_t device_memory_bytes() const override { return base::memory_bytes(); }

 private:
  template <class Value>
  using Operator = std::unique_ptr<HostOperator<Value>>;

  template <class Value>
  [[nodiscard]] const HostOperator<Value>& of() const {
    const auto* found = std::get_if<Operator<Value>>(&operator_);
    if (found == nullptr) refuse_precision(strategy.precision);
    return **found;
  }

  std::variant<Operator<float>, Operator<double>, Operator<std::complex<float>>, Operator<std::complex<double>>>
      operator_;
};
}  // namespace

std::shared_ptr<Runner> host_runner(Strategy strategy, const Matrix& matrix, const RunnerMaking& making) {
  return std::make_shared<HostRunner>(std::move(strategy), matrix, making.summed);
}
}  // namespace sparsecast::planning
