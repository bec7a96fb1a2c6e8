#pragma once
// A Plan that Python calls: NumPy's arrays in and out, from many threads, while one of them may give it new values.

#include <mutex>
#include <shared_mutex>
#include <sparsecast/device_plan.hpp>
#include <sparsecast/plan.hpp>

#include "lent_csr.hpp"

namespace sparsecast::python {

/// Thread safety: every function may be called from several threads at once, with or without the interpreter's lock
/// being one for all (free-threaded builds).
class Multiplier {
 public:
  /// `plan`: of that matrix, as it was asked for; `source`: what the caller has of it, null where that is nothing.
  Multiplier(LentCsr matrix, Plan plan, PlanRequest asked, std::shared_ptr<SourceWatch> source);

  /// A·x or Aᵀ·x of a vector in the plan's precision without gaps, as a new vector; NotImplemented for anything else,
  /// which the caller then turns into such a vector. The way of a call that must take no time.
  [[nodiscard]] nb::object multiply(nb::handle x) const { return product(x, false); }
  [[nodiscard]] nb::object multiply_transposed(nb::handle x) const { return product(x, true); }

  /// The same of one vector or of several side by side, by rows or by columns, whose result is by rows; also
  /// NotImplemented where the matrix's arrays are not the memory that was planned: of live ones, which may have come
  /// and gone since.
  [[nodiscard]] nb::object multiply_arrays(nb::handle row_pointers, nb::handle columns, nb::handle values, nb::handle x,
                                           bool transposed) const;

  /// y = alpha·A·x + beta·y in arrays of one or two dimensions in the plan's precision, whose rows or columns lie
  /// without gaps. Error usage for other arrays, or where y overlaps x or cannot be written.
  /// The imaginary parts of alpha and beta count in plans of complex values alone.
  void apply(nb::handle x, nb::handle y, std::complex<double> alpha, std::complex<double> beta, bool transposed) const;

  /// The same of a device's memory, queued and not waited for (DeviceProducts::apply).
  void apply_there(const DeviceVectors& x, const DeviceVectors& y, double alpha, double beta, bool transposed,
                   void* context, void* queue) const;

  /// The plan's own queue there, and until it has nothing left to do. Error unavailable for a plan on the host.
  [[nodiscard]] DeviceHandles handles() const;
  void wait() const;
  /// y = Aᵀ·(A·x) of vectors in the plan's precision without gaps. Errors as apply().
  void gram(nb::handle x, nb::handle y) const;

  /// y = A·x, A²·x … one after the other in one array where `power` is negative, else that power alone; arrays of one
  /// dimension in the plan's precision. Errors as apply()'s.
  void apply_powers(nb::handle x, nb::handle y, std::int64_t power) const;
  /// Sums of powers, with the coefficients in an array of the plan's precision.
  void apply_polynomial(nb::handle c, nb::handle x, nb::handle y) const;
  void apply_chebyshev(nb::handle c, double a, double b, nb::handle x, nb::handle y) const;

  /// An array for apply() to write to, of one dimension where vectors is negative; its entries are not set.
  [[nodiscard]] nb::object result(std::int64_t vectors, bool transposed, bool by_columns) const;

  /// New values on the old pattern, and what the caller has of them. Calls under way end before it.
  void update_values(nb::object values, std::shared_ptr<SourceWatch> source);
  /// Error usage where an entry of the caller's matrix, or of the arrays that are multiplied, has changed since the
  /// plan was made or took new values. Looks at all of them; a plan for few products multiplies what the arrays hold.
  void verify() const;
  /// The same of some entries, as every product does.
  void check() const;

  /// As it is now: new values may be multiplied in another way.
  [[nodiscard]] Strategy strategy() const;
  [[nodiscard]] const std::string& device() const { return strategy_.device; }
  [[nodiscard]] std::vector<std::string> kernels() const { return ask(&Plan::kernels); }
  [[nodiscard]] std::optional<TrialReport> trials() const { return ask(&Plan::trials); }
  [[nodiscard]] PlanHealth health() const { return ask(&Plan::health); }
  [[nodiscard]] std::int64_t bytes() const { return ask(&Plan::bytes); }
  [[nodiscard]] double conversion_seconds() const { return ask(&Plan::conversion_seconds); }
  /// Seconds of a product A·x that C++ calls, one after the other: what a call from Python is held against.
  [[nodiscard]] double seconds_alone(std::int64_t products) const;

 private:
  // A plan on a device multiplies by A alone: by the transpose with a plan of that, made when first asked for.
  struct OnDevice {
    Plan plan;
    DeviceProducts products;
  };
  [[nodiscard]] const OnDevice& on_device(bool transposed) const;
  [[nodiscard]] bool by_another(bool transposed) const { return transposed && strategy_.device != "host"; }
  template <class Value>
  nb::object product_of(nb::handle x, bool transposed) const;
  nb::object product(nb::handle x, bool transposed) const;
  template <class Value>
  void apply_of(nb::handle x, nb::handle y, Value alpha, Value beta, bool transposed) const;
  template <class Call>
  void run(const Call& call) const;
  template <class Call>
  void run_powers(nb::handle x, nb::handle y, const Call& call) const;
  [[nodiscard]] std::shared_lock<std::shared_mutex> share() const;
  template <class Answer>
  Answer ask(Answer (Plan::*question)() const) const {
    const nb::gil_scoped_release others_may_run;
    const std::shared_lock lock(mutex_);
    return (plan_.*question)();
  }

  PlanRequest asked_;
  Strategy strategy_;  // as it was planned; what new values do not change is read here
  bool short_;         // a product that is over sooner than the interpreter's lock is given away and taken again
  mutable std::shared_mutex mutex_;
  std::mutex updates_;  // one at a time; held by who waits for mutex_ to be its own
  LentCsr matrix_;
  std::shared_ptr<SourceWatch> source_;
  std::optional<std::uint64_t> new_values_;  // a sum of the values that came after the plan was made
  Plan plan_;
  mutable std::mutex on_device_mutex_;
  mutable std::unique_ptr<OnDevice> straight_, turned_;  // of the values as they are
};

}  // namespace sparsecast::python
