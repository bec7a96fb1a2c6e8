// Products: the calls that must cost nothing beside a small product.

#include <complex>
#include <memory>
#include <span>

#include "c_interface/objects.hpp"

namespace sparsecast::c_interface {
namespace {
template <class T>
std::span<T> vector_of(T* data, std::int64_t entries, const char* name) {
  if (entries < 0) refuse_usage(std::string(name) + "_entries is " + std::to_string(entries));
  if (data == nullptr && entries > 0) refuse_usage(std::string(name) + " is NULL");
  return {data, static_cast<std::size_t>(entries)};
}

bool is_transposed(int op) {
  if (op != SPARSECAST_NORMAL && op != SPARSECAST_TRANSPOSED && op != SPARSECAST_ADJOINT)
    refuse_usage("op is " + std::to_string(op), "use SPARSECAST_NORMAL, _TRANSPOSED or _ADJOINT");
  return op != SPARSECAST_NORMAL;
}

const Plan& real_plan(const HeldPlan& held) {
  if (is_complex(held.strategy.precision)) refuse_usage("the matrix of the plan is complex and the vectors are not");
  return held.plan;
}

template <class Value>
int apply(const sparsecast_plan* plan, int op, Value alpha, const Value* x, std::int64_t x_entries, Value beta,
          Value* y, std::int64_t y_entries) noexcept {
  return guarded([&] {
    const Reading from(plan);
    const auto in = vector_of(x, x_entries, "x");
    const auto out = vector_of(y, y_entries, "y");
    if (is_transposed(op))
      real_plan(*from).apply_transposed(in, out, alpha, beta);
    else
      real_plan(*from).apply(in, out, alpha, beta);
  });
}

template <class Value>
int apply_gram(const sparsecast_plan* plan, const Value* x, std::int64_t x_entries, Value* y,
               std::int64_t y_entries) noexcept {
  return guarded([&] {
    const Reading from(plan);
    real_plan(*from).apply_gram(vector_of(x, x_entries, "x"), vector_of(y, y_entries, "y"));
  });
}

template <class Value>
void apply_blocks(const Plan& plan, bool transposed, const VectorBlock<const Value>& x, const VectorBlock<Value>& y,
                  Value alpha, Value beta) {
  if (transposed)
    plan.apply_transposed_block(x, y, alpha, beta);
  else
    plan.apply_block(x, y, alpha, beta);
}

template <class Value>
int apply_block(const sparsecast_plan* plan, int op, int order, std::int64_t vectors, Value alpha, const Value* x,
                std::int64_t x_entries, std::int64_t x_leading, Value beta, Value* y, std::int64_t y_entries,
                std::int64_t y_leading) noexcept {
  return guarded([&] {
    const Reading from(plan);
    if (order != SPARSECAST_ROW_MAJOR && order != SPARSECAST_COLUMN_MAJOR)
      refuse_usage("order is " + std::to_string(order), "use SPARSECAST_ROW_MAJOR or _COLUMN_MAJOR");
    const BlockOrder lie = order == SPARSECAST_ROW_MAJOR ? BlockOrder::row_major : BlockOrder::column_major;
    const VectorBlock<const Value> in{vector_of(x, x_entries, "x"), vectors, x_leading, lie};
    const VectorBlock<Value> out{vector_of(y, y_entries, "y"), vectors, y_leading, lie};
    apply_blocks(real_plan(*from), is_transposed(op), in, out, alpha, beta);
  });
}

// A vector of pairs is a block of two vectors by rows.
template <class Value>
VectorBlock<Value> pairs_of(std::complex<Value>* data, std::int64_t entries) {
  return {{reinterpret_cast<Value*>(data), static_cast<std::size_t>(2 * entries)}, 2};
}
template <class Value>
VectorBlock<const Value> pairs_of(const std::complex<Value>* data, std::int64_t entries) {
  return {{reinterpret_cast<const Value*>(data), static_cast<std::size_t>(2 * entries)}, 2};
}

// By a plan of real values.
template <class Value>
void apply_pairs(const Plan& plan, bool transposed, std::complex<Value> alpha, std::span<const std::complex<Value>> x,
                 std::complex<Value> beta, std::span<std::complex<Value>> y) {
  using Pair = std::complex<Value>;
  const std::int64_t in = transposed ? plan.rows() : plan.cols(), out = transposed ? plan.cols() : plan.rows();
  if (static_cast<std::int64_t>(x.size()) != in || static_cast<std::int64_t>(y.size()) != out)
    refuse_usage("x has " + std::to_string(x.size()) + " and y " + std::to_string(y.size()) +
                 " entries, and should have " + std::to_string(in) + " and " + std::to_string(out));
  const auto from = pairs_of(x.data(), in);
  if (alpha.imag() == 0 && beta.imag() == 0)
    return apply_blocks(plan, transposed, from, pairs_of(y.data(), out), alpha.real(), beta.real());
  // The plan, which multiplies into working memory, does not see that.
  const std::less<const void*> before;
  if (!x.empty() && !y.empty() && before(x.data(), y.data() + y.size()) && before(y.data(), x.data() + x.size()))
    refuse_usage("x and y overlap", "give y memory of its own");
  const auto sums = std::make_unique<Pair[]>(y.size());
  apply_blocks(plan, transposed, from, pairs_of(sums.get(), out), Value{1}, Value{0});
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = alpha * sums[i] + (beta == Pair{} ? Pair{} : beta * y[i]);
}

template <class Value>
void apply_pairs(const HeldPlan& held, int op, std::complex<Value> alpha, std::span<const std::complex<Value>> x,
                 std::complex<Value> beta, std::span<std::complex<Value>> y) {
  const bool transposed = is_transposed(op);
  if (!is_complex(held.strategy.precision))
    apply_pairs(held.plan, transposed, alpha, x, beta, y);
  else if (op == SPARSECAST_ADJOINT)
    held.plan.apply_adjoint(x, y, alpha, beta);
  else if (transposed)
    held.plan.apply_transposed(x, y, alpha, beta);
  else
    held.plan.apply(x, y, alpha, beta);
}

template <class Value>
int apply_complex(const sparsecast_plan* plan, int op, const void* alpha, const void* x, std::int64_t x_entries,
                  const void* beta, void* y, std::int64_t y_entries) noexcept {
  return guarded([&] {
    using Pair = std::complex<Value>;
    const Reading from(plan);
    const auto factor = [](const void* pair, Value real) {
      return pair == nullptr ? Pair(real) : *static_cast<const Pair*>(pair);
    };
    apply_pairs<Value>(*from, op, factor(alpha, 1), vector_of(static_cast<const Pair*>(x), x_entries, "x"),
                       factor(beta, 0), vector_of(static_cast<Pair*>(y), y_entries, "y"));
  });
}

// Powers and their sums: `call` takes the plan and both vectors.
template <class Value, class PowersCall>
int apply_of_powers(const sparsecast_plan* plan, const Value* x, std::int64_t x_entries, Value* y,
                    std::int64_t y_entries, const PowersCall& call) noexcept {
  return guarded([&] {
    const Reading from(plan);
    call(real_plan(*from), vector_of(x, x_entries, "x"), vector_of(y, y_entries, "y"));
  });
}
}  // namespace
}  // namespace sparsecast::c_interface

using namespace sparsecast;  // C's names stand in no namespace

int sparsecast_apply(const sparsecast_plan* plan, int op, double alpha, const double* x, int64_t x_entries, double beta,
                     double* y, int64_t y_entries) {
  return c_interface::apply(plan, op, alpha, x, x_entries, beta, y, y_entries);
}
int sparsecast_apply_float(const sparsecast_plan* plan, int op, float alpha, const float* x, int64_t x_entries,
                           float beta, float* y, int64_t y_entries) {
  return c_interface::apply(plan, op, alpha, x, x_entries, beta, y, y_entries);
}
int sparsecast_apply_complex(const sparsecast_plan* plan, int op, const void* alpha, const void* x, int64_t x_entries,
                             const void* beta, void* y, int64_t y_entries) {
  return c_interface::apply_complex<double>(plan, op, alpha, x, x_entries, beta, y, y_entries);
}
int sparsecast_apply_complex_float(const sparsecast_plan* plan, int op, const void* alpha, const void* x,
                                   int64_t x_entries, const void* beta, void* y, int64_t y_entries) {
  return c_interface::apply_complex<float>(plan, op, alpha, x, x_entries, beta, y, y_entries);
}
int sparsecast_apply_block(const sparsecast_plan* plan, int op, int order, int64_t vectors, double alpha,
                           const double* x, int64_t x_entries, int64_t x_leading, double beta, double* y,
                           int64_t y_entries, int64_t y_leading) {
  return c_interface::apply_block(plan, op, order, vectors, alpha, x, x_entries, x_leading, beta, y, y_entries,
                                  y_leading);
}
int sparsecast_apply_block_float(const sparsecast_plan* plan, int op, int order, int64_t vectors, float alpha,
                                 const float* x, int64_t x_entries, int64_t x_leading, float beta, float* y,
                                 int64_t y_entries, int64_t y_leading) {
  return c_interface::apply_block(plan, op, order, vectors, alpha, x, x_entries, x_leading, beta, y, y_entries,
                                  y_leading);
}
int sparsecast_apply_gram(const sparsecast_plan* plan, const double* x, int64_t x_entries, double* y,
                          int64_t y_entries) {
  return c_interface::apply_gram(plan, x, x_entries, y, y_entries);
}
int sparsecast_apply_gram_float(const sparsecast_plan* plan, const float* x, int64_t x_entries, float* y,
                                int64_t y_entries) {
  return c_interface::apply_gram(plan, x, x_entries, y, y_entries);
}
int sparsecast_apply_powers(const sparsecast_plan* plan, const double* x, int64_t x_entries, double* y,
                            int64_t y_entries) {
  return c_interface::apply_of_powers(plan, x, x_entries, y, y_entries,
                                      [](const Plan& made, auto in, auto out) { made.apply_powers(in, out); });
}
int sparsecast_apply_power(const sparsecast_plan* plan, int64_t power, const double* x, int64_t x_entries, double* y,
                           int64_t y_entries) {
  return c_interface::apply_of_powers(plan, x, x_entries, y, y_entries,
                                      [&](const Plan& made, auto in, auto out) { made.apply_power(in, out, power); });
}
int sparsecast_apply_polynomial(const sparsecast_plan* plan, const double* c, int64_t c_entries, const double* x,
                                int64_t x_entries, double* y, int64_t y_entries) {
  return c_interface::apply_of_powers(plan, x, x_entries, y, y_entries, [&](const Plan& made, auto in, auto out) {
    made.apply_polynomial(c_interface::vector_of(c, c_entries, "c"), in, out);
  });
}
int sparsecast_apply_chebyshev(const sparsecast_plan* plan, const double* c, int64_t c_entries, double a, double b,
                               const double* x, int64_t x_entries, double* y, int64_t y_entries) {
  return c_interface::apply_of_powers(plan, x, x_entries, y, y_entries, [&](const Plan& made, auto in, auto out) {
    made.apply_chebyshev(c_interface::vector_of(c, c_entries, "c"), a, b, in, out);
  });
}
int sparsecast_apply_powers_float(const sparsecast_plan* plan, const float* x, int64_t x_entries, float* y,
                                  int64_t y_entries) {
  return c_interface::apply_of_powers(plan, x, x_entries, y, y_entries,
                                      [](const Plan& made, auto in, auto out) { made.apply_powers(in, out); });
}
int sparsecast_apply_power_float(const sparsecast_plan* plan, int64_t power, const float* x, int64_t x_entries,
                                 float* y, int64_t y_entries) {
  return c_interface::apply_of_powers(plan, x, x_entries, y, y_entries,
                                      [&](const Plan& made, auto in, auto out) { made.apply_power(in, out, power); });
}
int sparsecast_apply_polynomial_float(const sparsecast_plan* plan, const float* c, int64_t c_entries, const float* x,
                                      int64_t x_entries, float* y, int64_t y_entries) {
  return c_interface::apply_of_powers(plan, x, x_entries, y, y_entries, [&](const Plan& made, auto in, auto out) {
    made.apply_polynomial(c_interface::vector_of(c, c_entries, "c"), in, out);
  });
}
int sparsecast_apply_chebyshev_float(const sparsecast_plan* plan, const float* c, int64_t c_entries, double a, double b,
                                     const float* x, int64_t x_entries, float* y, int64_t y_entries) {
  return c_interface::apply_of_powers(plan, x, x_entries, y, y_entries, [&](const Plan& made, auto in, auto out) {
    made.apply_chebyshev(c_interface::vector_of(c, c_entries, "c"), a, b, in, out);
  });
}
