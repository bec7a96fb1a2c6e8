#include "multiplier.hpp"

#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/transpose.hpp>

#include "result_memory.hpp"
#include "sample.hpp"

namespace sparsecast::python {
namespace {

// Some ten microseconds of products.
constexpr std::int64_t short_entries = 20'000;

std::string shape_text(nb::handle object) {
  PyArrayObject* array = as_array(object);
  std::string text;
  for (int i = 0; i < PyArray_NDIM(array); ++i) text += (i > 0 ? " × " : "") + std::to_string(PyArray_DIM(array, i));
  return text;
}

void refuse_if(Change change) {
  if (change != Change::none) refuse_changed(change);
}

// Of all values, at the speed of reading.
std::uint64_t sum_of_values(const Matrix& matrix) {
  return matrix.visit_any([](const auto& csr) {
    return sum_entries(csr.values.size(),
                       [&](std::size_t i) { return bits_of<sizeof(csr.values[0])>(&csr.values[i]); });
  });
}

// An array of one or two dimensions as a block of vectors; Value is const for what is only read.
template <class Value>
VectorBlock<Value> block_of(nb::handle object, const char* name) {
  using Entry = std::remove_const_t<Value>;
  const int dimensions = PyArray_Check(object.ptr()) ? PyArray_NDIM(as_array(object)) : 0;
  if ((dimensions != 1 && dimensions != 2) || !is_array_of<Entry>(object, dimensions))
    throw Error(ErrorCode::usage,
                std::string(name) + " is not an array of one or two dimensions in the plan's precision");
  PyArrayObject* array = as_array(object);
  if (!std::is_const_v<Value> && !PyArray_ISWRITEABLE(array))
    throw Error(ErrorCode::usage, std::string(name) + " is read-only");
  constexpr auto size = static_cast<std::int64_t>(sizeof(Entry));
  const std::int64_t rows = PyArray_DIM(array, 0), vectors = dimensions == 2 ? PyArray_DIM(array, 1) : 1;
  const std::int64_t down = PyArray_STRIDE(array, 0), across = dimensions == 2 ? PyArray_STRIDE(array, 1) : size;
  VectorBlock<Value> block;
  block.vectors = vectors;
  std::int64_t runs = 0, run = 0, stride = 0;
  if (rows == 0 || vectors == 0) {  // where strides say nothing
    stride = vectors * size;
  } else if ((vectors <= 1 || across == size) && (rows <= 1 || (down >= vectors * size && down % size == 0)) &&
             (dimensions == 2 || down == size || rows <= 1)) {
    runs = rows, run = vectors, stride = rows <= 1 ? vectors * size : down;
  } else if (down == size && across >= rows * size && across % size == 0) {
    block.order = BlockOrder::column_major;
    runs = vectors, run = rows, stride = across;
  } else {
    throw Error(ErrorCode::usage, std::string(name) + " has gaps that are not between its rows or its columns", {},
                "give an array without them (numpy.ascontiguousarray)");
  }
  block.leading = stride / size;
  const std::int64_t entries = runs == 0 || run == 0 ? 0 : (runs - 1) * block.leading + run;
  block.data = {static_cast<Value*>(PyArray_DATA(array)), static_cast<std::size_t>(entries)};
  return block;
}

}  // namespace

Multiplier::Multiplier(LentCsr matrix, Plan plan, PlanRequest asked, std::shared_ptr<SourceWatch> source)
    : asked_(std::move(asked)),
      strategy_(plan.strategy()),
      short_(matrix.matrix().nonzeros() + matrix.matrix().rows() + matrix.matrix().cols() < short_entries &&
             strategy_.device == "host"),
      matrix_(std::move(matrix)),
      source_(std::move(source)),
      plan_(std::move(plan)) {}

Strategy Multiplier::strategy() const {
  const nb::gil_scoped_release others_may_run;
  const std::shared_lock lock(mutex_);
  return plan_.strategy();
}

// The interpreter's lock is never held by who waits for the mutex: who holds that one may want it.
std::shared_lock<std::shared_mutex> Multiplier::share() const {
  std::shared_lock lock(mutex_, std::try_to_lock);
  if (!lock) {
    const nb::gil_scoped_release others_may_run;
    lock.lock();
  }
  return lock;
}

template <class Call>
void Multiplier::run(const Call& call) const {
  const std::shared_lock lock = share();
  if (source_) source_->look();
  if (short_) {
    refuse_if(matrix_.change());
    return call();
  }
  const nb::gil_scoped_release others_may_run;
  refuse_if(matrix_.change());
  call();
}

const Multiplier::OnDevice& Multiplier::on_device(bool transposed) const {
  const std::lock_guard lock(on_device_mutex_);
  std::unique_ptr<OnDevice>& made = transposed ? turned_ : straight_;
  if (made != nullptr) return *made;
  if (!transposed) {
    made = std::make_unique<OnDevice>(plan_, DeviceProducts(plan_, matrix_.matrix()));
    return *made;
  }
  PlanRequest request = asked_;
  const Matrix turned = transpose(matrix_.matrix());
  request.matrix = turned;
  request.strategy.structure = nullptr;
  const Plan other = plan(request);
  made = std::make_unique<OnDevice>(other, DeviceProducts(other, turned));
  return *made;
}

void Multiplier::apply_there(const DeviceVectors& x, const DeviceVectors& y, double alpha, double beta, bool transposed,
                             void* context, void* queue) const {
  const std::shared_lock lock = share();
  if (source_) source_->look();
  const nb::gil_scoped_release others_may_run;
  refuse_if(matrix_.change());
  on_device(transposed).products.apply(x, y, alpha, beta, context, queue);
}

DeviceHandles Multiplier::handles() const {
  const std::shared_lock lock = share();
  return device_handles(plan_);
}

void Multiplier::wait() const {
  const nb::gil_scoped_release others_may_run;
  const std::shared_lock lock(mutex_);
  wait_for_device(plan_);
}

template <class Value>
nb::object Multiplier::product_of(nb::handle x, bool transposed) const {
  std::span<const Value> from;
  const std::int64_t length = transposed ? plan_.rows() : plan_.cols();
  if (!vector_of(x, from) || static_cast<std::int64_t>(from.size()) != length) return nb::borrow(Py_NotImplemented);
  nb::object y = new_result(transposed ? plan_.cols() : plan_.rows(), -1, type_number<Value>);
  const std::span<Value> to = entries_of<Value>(y);
  run([&] {
    if (by_another(transposed)) return on_device(true).plan.apply(from, to);
    transposed ? plan_.apply_transposed(from, to) : plan_.apply(from, to);
  });
  return y;
}

nb::object Multiplier::multiply_arrays(nb::handle row_pointers, nb::handle columns, nb::handle values, nb::handle x,
                                       bool transposed) const {
  const nb::object unlike = nb::borrow(Py_NotImplemented);
  if (!matrix_.is_of(row_pointers, columns, values) || !PyArray_Check(x.ptr())) return unlike;
  PyArrayObject* const array = as_array(x);
  if (PyArray_NDIM(array) == 1) return product(x, transposed);
  const bool gapless = PyArray_IS_C_CONTIGUOUS(array) || PyArray_IS_F_CONTIGUOUS(array);
  return with_value_of(strategy_.precision, [&]<class Value>(Value) {
    if (!gapless || !is_array_of<Value>(x, 2) || PyArray_DIM(array, 0) != (transposed ? plan_.rows() : plan_.cols()))
      return unlike;
    nb::object y =
        new_result(transposed ? plan_.cols() : plan_.rows(), PyArray_DIM(array, 1), type_number<Value>, false);
    apply_of<Value>(x, y, Value(1), Value(0), transposed);
    return y;
  });
}

nb::object Multiplier::product(nb::handle x, bool transposed) const {
  return with_value_of(strategy_.precision, [&]<class Value>(Value) { return product_of<Value>(x, transposed); });
}

template <class Value>
void Multiplier::apply_of(nb::handle x, nb::handle y, Value alpha, Value beta, bool transposed) const {
  const VectorBlock<const Value> from = block_of<const Value>(x, "x");
  const VectorBlock<Value> to = block_of<Value>(y, "out");
  const std::int64_t in = transposed ? plan_.rows() : plan_.cols(), out = transposed ? plan_.cols() : plan_.rows();
  const auto rows_of = [](nb::handle array) { return static_cast<std::int64_t>(PyArray_DIM(as_array(array), 0)); };
  if (rows_of(x) != in || rows_of(y) != out || from.vectors != to.vectors)
    throw Error(ErrorCode::usage, "x has the shape " + shape_text(x) + " and out " + shape_text(y) +
                                      "; the plan multiplies " + std::to_string(in) + " entries into " +
                                      std::to_string(out));
  if (from.vectors == 0) return;
  const bool plain = from.vectors == 1 && from.data.size() == static_cast<std::size_t>(in) &&
                     to.data.size() == static_cast<std::size_t>(out);
  run([&] {
    if (by_another(transposed)) {
      const Plan& other = on_device(true).plan;
      return plain ? other.apply(from.data, to.data, alpha, beta) : other.apply_block(from, to, alpha, beta);
    }
    if (plain) {
      transposed ? plan_.apply_transposed(from.data, to.data, alpha, beta)
                 : plan_.apply(from.data, to.data, alpha, beta);
    } else {
      transposed ? plan_.apply_transposed_block(from, to, alpha, beta) : plan_.apply_block(from, to, alpha, beta);
    }
  });
}

void Multiplier::apply(nb::handle x, nb::handle y, std::complex<double> alpha, std::complex<double> beta,
                       bool transposed) const {
  with_value_of(strategy_.precision, [&]<class Value>(Value) {
    if constexpr (is_complex_value<Value>) {
      apply_of<Value>(x, y, Value(alpha), Value(beta), transposed);
    } else {
      apply_of<Value>(x, y, static_cast<Value>(alpha.real()), static_cast<Value>(beta.real()), transposed);
    }
  });
}

void Multiplier::gram(nb::handle x, nb::handle y) const {
  with_value_of(strategy_.precision, [&]<class Value>(Value) {
    const VectorBlock<const Value> from = block_of<const Value>(x, "x");
    const VectorBlock<Value> to = block_of<Value>(y, "out");
    if (from.vectors != 1 || to.vectors != 1)
      throw Error(ErrorCode::usage, "AᵀA is multiplied by one vector at a time");
    run([&] { plan_.apply_gram(from.data, to.data); });
  });
}

// `call` takes both vectors, in the plan's precision.
template <class Call>
void Multiplier::run_powers(nb::handle x, nb::handle y, const Call& call) const {
  with_value_of(strategy_.precision, [&]<class Value>(Value) {
    const VectorBlock<const Value> from = block_of<const Value>(x, "x");
    const VectorBlock<Value> to = block_of<Value>(y, "out");
    run([&] { call(from.data, to.data); });
  });
}

void Multiplier::apply_powers(nb::handle x, nb::handle y, std::int64_t power) const {
  run_powers(
      x, y, [&](auto from, auto to) { power < 0 ? plan_.apply_powers(from, to) : plan_.apply_power(from, to, power); });
}

void Multiplier::apply_polynomial(nb::handle c, nb::handle x, nb::handle y) const {
  run_powers(x, y, [&]<class Value>(std::span<const Value> from, std::span<Value> to) {
    plan_.apply_polynomial(block_of<const Value>(c, "the coefficients").data, from, to);
  });
}

void Multiplier::apply_chebyshev(nb::handle c, double a, double b, nb::handle x, nb::handle y) const {
  run_powers(x, y, [&]<class Value>(std::span<const Value> from, std::span<Value> to) {
    plan_.apply_chebyshev(block_of<const Value>(c, "the coefficients").data, a, b, from, to);
  });
}

nb::object Multiplier::result(std::int64_t vectors, bool transposed, bool by_columns) const {
  const int type =
      with_value_of(strategy_.precision, []<class Value>(Value) { return static_cast<int>(type_number<Value>); });
  return new_result(transposed ? plan_.cols() : plan_.rows(), vectors, type, by_columns);
}

void Multiplier::update_values(nb::object values, std::shared_ptr<SourceWatch> source) {
  std::unique_lock turn(updates_, std::defer_lock);
  {
    const nb::gil_scoped_release others_may_run;
    turn.lock();
  }
  // Of new values in a pattern that was written to, those in other formats would stand where they stood.
  if (matrix_.change() == Change::pattern) refuse_changed(Change::pattern);
  LentCsr next = matrix_.with_values(std::move(values));
  {
    const nb::gil_scoped_release others_may_run;
    std::optional<std::uint64_t> sum;
    if (plan_.has_checksum()) sum = sum_of_values(next.matrix());
    const std::unique_lock lock(mutex_);
    straight_.reset();
    turned_.reset();
    plan_.update_values(next.matrix(), CsrCheck::sizes);
    std::swap(matrix_, next);
    std::swap(source_, source);
    new_values_ = sum;
  }
  // The old arrays go here, with the interpreter's lock and without the mutex.
}

void Multiplier::verify() const {
  const std::shared_lock lock = share();
  if (source_) source_->compare();
  const nb::gil_scoped_release others_may_run;
  refuse_if(matrix_.change());
  if (!plan_.has_checksum()) return;
  if (!plan_.is_of(matrix_.matrix())) refuse_changed(Change::values);
  if (new_values_ && sum_of_values(matrix_.matrix()) != *new_values_) refuse_changed(Change::values);
}

void Multiplier::check() const {
  const std::shared_lock lock = share();
  if (source_) source_->look();
  refuse_if(matrix_.change());
}

double Multiplier::seconds_alone(std::int64_t products) const {
  const nb::gil_scoped_release others_may_run;
  const std::shared_lock lock(mutex_);
  const auto timed = [&]<class Value>(Value one) {
    const std::vector<Value> x(static_cast<std::size_t>(plan_.cols()), one);
    std::vector<Value> y(static_cast<std::size_t>(plan_.rows()));
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < products; ++i) plan_.apply(std::span<const Value>(x), std::span<Value>(y));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  return with_value_of(strategy_.precision, [&]<class Value>(Value) { return timed(Value{1}); }) /
         static_cast<double>(std::max<std::int64_t>(products, 1));
}

}  // namespace sparsecast::python
