#include "devices/host/timed_product.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace sparsecast::devices {
namespace {

// x of the timed products: positive and away from zero, so that no value is denormal and none is special.
template <class Value>
Array<Value> timing_vector(std::int64_t size) {
  Array<Value> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<Value>(0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536);
  return x;
}

template <class Value>
class HostTimedProduct final : public Product {
 public:
  HostTimedProduct(std::unique_ptr<formats::HostProduct<Value>> product, const Matrix& matrix, double preprocess_s)
      : product_(std::move(product)),
        x_(timing_vector<Value>(matrix.cols())),
        y_(static_cast<std::size_t>(matrix.rows())),
        preprocess_s_(preprocess_s) {}

  double run(int times) override {
    const double start = base::now_s();
    for (int i = 0; i < times; ++i) product_->apply(x_, y_);
    return base::now_s() - start;
  }
  std::vector<double> multiply(std::span<const double> x) override {
    Array<Value> values(x.size());
    std::ranges::transform(x, values.begin(), [](double value) { return static_cast<Value>(value); });
    product_->apply(values, y_);
    return {y_.begin(), y_.end()};
  }
  [[nodiscard]] double preprocess_seconds() const override { return preprocess_s_; }
  [[nodiscard]] std::int64_t bytes() const override { return product_->bytes(); }

 private:
  std::unique_ptr<formats::HostProduct<Value>> product_;
  Array<Value> x_, y_;
  double preprocess_s_;
};

template <class Value>
class TimedTask final : public Product {
 public:
  TimedTask(std::unique_ptr<formats::HostProduct<Value>> product, const Matrix& matrix, const ProductTask& task,
            int threads, double preprocess_s)
      : product_(std::move(product)),
        task_(task),
        from_(task.transposed ? matrix.rows() : matrix.cols()),
        to_(task.transposed ? matrix.cols() : matrix.rows()),
        x_(timing_vector<Value>(from_ * task.vectors)),
        y_(static_cast<std::size_t>(to_ * task.vectors)),
        workspace_(threads),
        preprocess_s_(preprocess_s) {}

  double run(int times) override {
    const double start = base::now_s();
    for (int i = 0; i < times; ++i) multiply_into(x_, y_);
    return base::now_s() - start;
  }
  std::vector<double> multiply(std::span<const double> x) override {
    Array<Value> values(x.size());
    std::ranges::transform(x, values.begin(), [](double value) { return static_cast<Value>(value); });
    multiply_into(values, y_);
    return {y_.begin(), y_.end()};
  }
  [[nodiscard]] double preprocess_seconds() const override { return preprocess_s_; }
  [[nodiscard]] std::int64_t bytes() const override { return product_->bytes(); }

 private:
  void multiply_into(const Array<Value>& x, Array<Value>& y) {
    const formats::Vectors<const Value> from{x.data(), from_, task_.vectors, task_.vectors, 1};
    const formats::Vectors<Value> to{y.data(), to_, task_.vectors, task_.vectors, 1};
    if (!task_.transposed) {
      product_->apply_block({}, from, to, workspace_);
    } else if (task_.vectors > 1) {
      formats::apply_transposed_block(*product_, {}, from, to, workspace_);
    } else {
      formats::apply_transposed<Value>(*product_, {}, x, y, workspace_);
    }
  }

  std::unique_ptr<formats::HostProduct<Value>> product_;
  ProductTask task_;
  std::int64_t from_, to_;
  Array<Value> x_, y_;
  formats::Workspace<Value> workspace_;
  double preprocess_s_;
};

}  // namespace

template <class Value>
std::unique_ptr<Product> timed_product(std::unique_ptr<formats::HostProduct<Value>> product, const Matrix& matrix,
                                       double preprocess_s) {
  return std::make_unique<HostTimedProduct<Value>>(std::move(product), matrix, preprocess_s);
}

template <class Value>
std::unique_ptr<Product> timed_task(std::unique_ptr<formats::HostProduct<Value>> product, const Matrix& matrix,
                                    const ProductTask& task, int threads, double preprocess_s) {
  return std::make_unique<TimedTask<Value>>(std::move(product), matrix, task, threads, preprocess_s);
}

template std::unique_ptr<Product> timed_product(std::unique_ptr<formats::HostProduct<float>>, const Matrix&, double);
template std::unique_ptr<Product> timed_task(std::unique_ptr<formats::HostProduct<float>>, const Matrix&,
                                             const ProductTask&, int, double);
template std::unique_ptr<Product> timed_product(std::unique_ptr<formats::HostProduct<double>>, const Matrix&, double);
template std::unique_ptr<Product> timed_task(std::unique_ptr<formats::HostProduct<double>>, const Matrix&,
                                             const ProductTask&, int, double);

}  // namespace sparsecast::devices
