#pragma once
// What a plan was made of, as its caller holds it: a SciPy matrix in any format, whose arrays may be replaced or
// written to while the plan multiplies by arrays of its own.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"

namespace sparsecast::python {

/// How a matrix is another than the one that was planned.
enum class Change { none, values, pattern };

/// Error usage that says so, with the remedy.
[[noreturn]] void refuse_changed(Change change);

/// An array that is watched: the attribute that holds it and the place in it where that is a tuple (-1: it is none),
/// and whether its entries are to be sampled, which those that the plan borrows are without this.
using WatchedArray = std::tuple<std::optional<std::string>, int, nb::object, bool>;

/// Looks whether a matrix has the arrays that it had, by identity, and whether a sample of their entries is what it
/// was. Neither the matrix nor its arrays are kept alive by it: what nobody has, nobody changes. Where something looks
/// changed the whole of it is compared, by a function of Python's; another array with the same entries is no change.
/// Thread safety: needs the interpreter's lock; where there is none, calls take their turns.
class SourceWatch {
 public:
  /// `source`: the matrix, or None for arrays alone. `probe`: None, or what makes a number of a sample of a matrix that
  /// is in no arrays. `compare`: called with the matrix, returns its arrays to watch from now on where it is what was
  /// planned, else "values" or "pattern".
  SourceWatch(const nb::object& source, const std::vector<WatchedArray>& arrays, nb::object probe, nb::object compare);

  /// Error usage where the matrix is another one.
  void look();
  /// The same after a comparison of all its entries.
  void compare();
  /// The matrix; None where it is gone.
  [[nodiscard]] nb::object source() const { return source_.get(); }

 private:
  // An object of Python's that may go; one of a type that cannot tell when it goes is kept.
  class Weak {
   public:
    Weak() = default;
    explicit Weak(nb::handle object);
    [[nodiscard]] nb::object get() const;  // None where it is gone

   private:
    nb::object held_;
    bool weak_ = false;
  };
  struct Part {
    nb::object name;  // None: nobody can replace it
    int place;
    Weak array, memory;  // memory: what owns the entries of an array that is a view
    nb::object dtype;
    const char* data;
    std::vector<npy_intp> shape, strides;
    bool sampled;
    std::uint64_t sample;
  };

  [[nodiscard]] static Part part_of(const WatchedArray& array);
  [[nodiscard]] static std::uint64_t sample_of(const Part& part) noexcept;
  template <std::size_t bytes>
  [[nodiscard]] static std::uint64_t sample_of(const Part& part) noexcept;
  void take(nb::handle source, const std::vector<WatchedArray>& arrays);
  [[nodiscard]] bool as_it_was(nb::handle source) const;
  void compare_with(const nb::object& source);

  nb::ft_mutex turn_;
  Weak source_;
  std::vector<Part> parts_;
  nb::object shape_, probe_, compare_;
  std::int64_t probed_ = 0;
};

}  // namespace sparsecast::python
