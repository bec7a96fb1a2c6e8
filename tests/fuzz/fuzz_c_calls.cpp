// Sequences of calls of the C interface with handles of every kind, freed ones and such as never were, sizes that do
// not fit and arrays in disorder. The input is a program: a byte names a call, those after it its arguments. Every
// status is one of the header's, and a refusal has a text.

#include <sparsecast.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "fuzz_input.hpp"

namespace {

void need(bool truth) {
  if (!truth) __builtin_trap();
}

class Program {
 public:
  explicit Program(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool ended() const { return at_ >= bytes_.size() || calls_ > 24; }
  std::uint8_t byte() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }
  int below(int count) { return byte() % count; }
  /// Mostly the number that fits, else one near it or far away.
  std::int64_t near(std::int64_t fits) {
    constexpr std::array<std::int64_t, 6> others{0, -1, 1, INT64_MAX, INT64_MIN, 1 << 20};
    const int which = below(24);
    return which < 16 ? fits : which < 18 ? fits + which * 2 - 33 : others[static_cast<std::size_t>(which - 18)];
  }
  void count() { ++calls_; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  int calls_ = 0;
};

// What was lent to a matrix, as long as the input takes: of the exact sizes, so that reads beyond them are seen.
struct Arrays {
  std::int64_t rows = 0, cols = 0;
  std::vector<std::int32_t> pointers32, columns32;
  std::vector<std::int64_t> pointers64, columns64;
  std::vector<float> singles;
  std::vector<double> doubles;
};

bool is_known(int status) {
  return status >= SPARSECAST_OK && status <= SPARSECAST_BUSY && sparsecast_status_text(status)[0] != 0 &&
         (status == 0 || sparsecast_error_text()[0] != 0);
}

class Caller {
 public:
  explicit Caller(std::span<const std::uint8_t> bytes) : in_(bytes) {}
  ~Caller() {
    for (const auto handle : given_) {
      sparsecast_plan_free(reinterpret_cast<sparsecast_plan*>(handle));
      sparsecast_matrix_free(reinterpret_cast<sparsecast_matrix*>(handle));
      sparsecast_prediction_free(reinterpret_cast<sparsecast_prediction*>(handle));
    }
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void run() {
    while (!in_.ended()) {
      in_.count();
      call();
    }
  }

 private:
  void call() {
    switch (in_.below(12)) {
      case 0: return borrow();
      case 1: return make();
      case 2:
      case 3: return plan();
      case 4:
      case 5: return apply();
      case 6: return apply_block();
      case 7: return update();
      case 8: return look();
      case 9: return apply_complex();
      case 10: return done(sparsecast_plan_free(any<sparsecast_plan>()));
      default: return done(sparsecast_matrix_free(any<sparsecast_matrix>()));
    }
  }

  static void done(int status) { need(is_known(status)); }

  /// A handle that was given out once, of whatever kind and perhaps freed, or one that never was.
  template <class Handle>
  Handle* any() {
    const int which = in_.byte();
    std::uintptr_t handle = 0;
    if (which < 240 && !given_.empty()) handle = given_[static_cast<std::size_t>(which) % given_.size()];
    if (which >= 244)
      for (int i = 0; i < 8; ++i) handle = handle << 8 | in_.byte();
    return reinterpret_cast<Handle*>(handle);  // NOLINT(performance-no-int-to-ptr): as a caller might have it
  }
  template <class Handle>
  void keep(int status, Handle* handle) {
    need(is_known(status) && (status == SPARSECAST_OK) == (handle != nullptr));
    if (handle != nullptr) given_.push_back(reinterpret_cast<std::uintptr_t>(handle));
  }

  template <class T>
  const T* of(const std::vector<T>& array) {
    return in_.below(32) == 0 ? nullptr : array.data();
  }

  /// A matrix by rows: in order, or with one number changed.
  Arrays& new_arrays() {
    Arrays& a = arrays_.emplace_back();
    a.rows = in_.below(9), a.cols = in_.below(9);
    a.pointers32 = {0};
    for (std::int64_t row = 0; row < a.rows; ++row) {
      for (int column = 0; column < a.cols; ++column)
        if (in_.below(3) == 0) a.columns32.push_back(column);
      a.pointers32.push_back(static_cast<std::int32_t>(a.columns32.size()));
    }
    if (in_.below(3) == 0) {
      auto& broken = in_.below(2) == 0 || a.columns32.empty() ? a.pointers32 : a.columns32;
      broken[static_cast<std::size_t>(in_.byte()) % broken.size()] = static_cast<std::int32_t>(in_.near(in_.below(9)));
    }
    a.pointers64.assign(a.pointers32.begin(), a.pointers32.end());
    a.columns64.assign(a.columns32.begin(), a.columns32.end());
    for (std::size_t k = 0; k < 2 * a.columns32.size(); ++k) a.doubles.push_back(in_.below(7) - 3);
    a.singles.assign(a.doubles.begin(), a.doubles.end());
    if (a.doubles.size() > 0 && in_.below(16) == 0) a.doubles[0] = std::nan("");
    return a;
  }

  void borrow() {
    Arrays& a = new_arrays();
    const auto nonzeros = static_cast<std::int64_t>(a.columns32.size());
    sparsecast_csr csr{};
    csr.struct_size = size_of(sizeof csr);
    csr.rows = a.rows, csr.cols = in_.near(a.cols), csr.nonzeros = nonzeros;
    if (in_.below(8) == 0) csr.rows = std::min<std::int64_t>(in_.near(a.rows), a.rows);  // no more than there are
    if (in_.below(8) == 0) csr.nonzeros = std::min<std::int64_t>(in_.near(nonzeros), nonzeros);
    csr.row_pointer_type = in_.below(8) == 0 ? in_.below(4) : 1 + in_.below(2);
    csr.column_index_type = in_.below(8) == 0 ? in_.below(4) : 1 + in_.below(2);
    csr.value_type = in_.below(6);
    csr.index_base = in_.below(16) == 0 ? in_.below(4) : 0;
    // An array that is too short would be the caller's word: narrow types read from wide arrays are none.
    csr.row_pointers = csr.row_pointer_type == SPARSECAST_INT32 ? static_cast<const void*>(of(a.pointers32))
                                                                : static_cast<const void*>(of(a.pointers64));
    csr.column_indices = csr.column_index_type == SPARSECAST_INT32 ? static_cast<const void*>(of(a.columns32))
                                                                   : static_cast<const void*>(of(a.columns64));
    csr.values = csr.value_type == SPARSECAST_FLOAT || csr.value_type == SPARSECAST_COMPLEX_FLOAT
                     ? static_cast<const void*>(of(a.singles))
                     : static_cast<const void*>(of(a.doubles));
    sparsecast_matrix* matrix = nullptr;
    const int status = sparsecast_matrix_borrow(in_.below(64) == 0 ? nullptr : &csr, &matrix);
    keep(status, matrix);
  }

  /// Mostly the struct's own, else less, nothing or nonsense.
  std::size_t size_of(std::size_t fits) {
    const int which = in_.below(16);
    return which < 13 ? fits : which == 13 ? fits - 8 : which == 14 ? static_cast<std::size_t>(in_.below(9)) : SIZE_MAX;
  }

  void make() {
    static constexpr std::array kinds{"poisson2d", "banded", "no-such-kind"};
    static constexpr std::array parameters{"{\"size\": 3}", "{\"rows\": 9, \"row_mean\": 2, \"bandwidth\": 2}", "{",
                                           ""};
    sparsecast_matrix* matrix = nullptr;
    const int status = in_.below(2) == 0 ? sparsecast_matrix_transpose(any<sparsecast_matrix>(), &matrix)
                                         : sparsecast_matrix_generate(
                                               kinds[static_cast<std::size_t>(in_.below(3))],
                                               parameters[static_cast<std::size_t>(in_.below(4))], in_.byte(), &matrix);
    keep(status, matrix);
  }

  void plan() {
    static constexpr std::array kernels{"csr",  "csr-scalar", "csr-merge", "ell", "coo",     "hyb",
                                        "sell", "jad",        "dia",       "bsr", "csr-sym", "no-such-kernel"};
    sparsecast_plan_options options{};
    options.struct_size = size_of(sizeof options);
    options.kernel = kernels[static_cast<std::size_t>(in_.below(12))];
    options.precision = in_.below(5) == 0 ? in_.below(4) : 0;
    options.threads = static_cast<std::int32_t>(in_.below(9) == 0 ? in_.near(1) : 1);
    if (options.threads > 4) options.threads = 4;
    options.iterations = in_.near(0);
    options.no_store = in_.below(32) == 0;
    sparsecast_plan* made = nullptr;
    const int status = sparsecast_plan_create(any<sparsecast_matrix>(), &options, &made);
    keep(status, made);
  }

  /// Rows and columns of what multiplies; small ones where the handle is no plan.
  std::array<std::int64_t, 2> shape(const sparsecast_plan* plan, int op) {
    sparsecast_strategy info{};
    info.struct_size = sizeof info;
    if (sparsecast_plan_info(plan, &info) != SPARSECAST_OK) return {3, 3};
    if (op == SPARSECAST_NORMAL) return {info.rows, info.cols};
    return {info.cols, info.rows};
  }

  int operation() { return in_.below(16) == 0 ? in_.below(5) - 1 : in_.below(3); }
  /// A length that is told: no longer than the vector is.
  std::int64_t told(std::size_t entries) {
    const auto fits = static_cast<std::int64_t>(entries);
    return std::min(in_.near(fits), fits);
  }

  void apply() {
    auto* plan = any<sparsecast_plan>();
    const int op = operation();
    const auto [rows, cols] = shape(plan, op);
    const auto in = static_cast<std::size_t>(cols), out = static_cast<std::size_t>(rows);
    const double alpha = in_.below(4) - 1, beta = in_.below(4) == 0 ? 2 : 0;
    int status = 0;
    if (in_.below(3) == 0) {
      const std::vector<float> x(in, 1);
      std::vector<float> y(out, 1);
      status = sparsecast_apply_float(plan, op, static_cast<float>(alpha), of(x), told(in), static_cast<float>(beta),
                                      y.data(), told(out));
    } else {
      const std::vector<double> x(in, 1);
      std::vector<double> y(out, 1);
      const bool overlap = in_.below(24) == 0;
      status = sparsecast_apply(plan, op, alpha, overlap ? y.data() : of(x),
                                overlap ? std::min(told(in), static_cast<std::int64_t>(out)) : told(in), beta, y.data(),
                                told(out));
    }
    done(status);
  }

  void apply_complex() {
    auto* plan = any<sparsecast_plan>();
    const int op = operation();
    const auto [rows, cols] = shape(plan, op);
    const auto in = static_cast<std::size_t>(cols), out = static_cast<std::size_t>(rows);
    const std::vector<double> x(2 * in, 1), factor{1, static_cast<double>(in_.below(2))};
    std::vector<double> y(2 * out, 1);
    const std::vector<float> single_x(2 * in, 1);
    std::vector<float> single_y(2 * out, 1);
    done(in_.below(2) == 0
             ? sparsecast_apply_complex(plan, op, of(factor), of(x), told(in), of(factor), y.data(), told(out))
             : sparsecast_apply_complex_float(plan, op, nullptr, of(single_x), told(in), nullptr, single_y.data(),
                                              told(out)));
  }

  void apply_block() {
    auto* plan = any<sparsecast_plan>();
    const int op = operation();
    const auto [rows, cols] = shape(plan, op);
    const std::int64_t vectors = 1 + in_.below(5);
    if (in_.below(4) == 0) return apply_block_of<float>(sparsecast_apply_block_float, plan, op, rows, cols, vectors);
    apply_block_of<double>(sparsecast_apply_block, plan, op, rows, cols, vectors);
  }
  template <class Value, class Call>
  void apply_block_of(Call call, sparsecast_plan* plan, int op, std::int64_t rows, std::int64_t cols,
                      std::int64_t vectors) {
    const std::vector<Value> x(static_cast<std::size_t>(cols * vectors), 1);
    std::vector<Value> y(static_cast<std::size_t>(rows * vectors), 1);
    done(call(plan, op, in_.below(16) == 0 ? 2 : in_.below(2), in_.near(vectors), 1, of(x), told(x.size()), in_.near(0),
              0, y.data(), told(y.size()), in_.near(0)));
  }

  void update() {
    auto* plan = any<sparsecast_plan>();
    sparsecast_strategy info{};
    info.struct_size = sizeof info;
    if (sparsecast_plan_info(plan, &info) != SPARSECAST_OK) info.nonzeros = 1;
    Arrays& a = arrays_.emplace_back();
    a.doubles.assign(static_cast<std::size_t>(2 * info.nonzeros), 1);  // enough for every type
    const bool same = in_.below(4) == 0;
    done(sparsecast_plan_update_values(plan, same ? nullptr : a.doubles.data(), in_.near(same ? 0 : info.nonzeros)));
  }

  void look() {
    auto* plan = any<sparsecast_plan>();
    sparsecast_planned_block block{};
    block.struct_size = size_of(sizeof block);
    done(sparsecast_plan_block(plan, in_.near(0), &block));
    auto* matrix = any<sparsecast_matrix>();
    sparsecast_matrix_size size{};
    size.struct_size = size_of(sizeof size);
    done(sparsecast_matrix_info(matrix, &size));
    sparsecast_csr csr{};
    csr.struct_size = size_of(sizeof csr);
    done(sparsecast_matrix_csr(matrix, &csr));
    auto* prediction = any<sparsecast_prediction>();
    sparsecast_forecast forecast{};
    forecast.struct_size = size_of(sizeof forecast);
    done(sparsecast_prediction_forecast(prediction, in_.near(0), &forecast));
  }

  Program in_;
  std::deque<Arrays> arrays_;
  std::vector<std::uintptr_t> given_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Caller({data, size}).run();
  return 0;
}
