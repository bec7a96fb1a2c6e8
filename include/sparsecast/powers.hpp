#pragma once
// Powers of a square matrix times a vector, A·x, A²·x … Aᵏ·x: what is forecast of them. A plan that was asked for them
// (PlanRequest::powers) reads blocks of the matrix once for several powers where that is forecast to be faster than k
// products; where it is not, it multiplies k times.
//
// Thread safety: the structs are values; threads may share one that none of them changes.

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Order of the rows while powers are computed; x and y are always in the caller's order.
enum class PowersOrder { as_given, levels };

/// How powers are computed, and how long that takes. The times are forecast; in a plan that timed both ways in turns,
/// they are measured. A time of 0 is not known, for example because a kernel was named and nothing was forecast.
struct PowersStrategy {
  std::int64_t k = 0;       ///< number of powers requested
  bool pays = false;        ///< true: powers computed together pay; false: k products, one after the other
  bool all_pays = true;     ///< false: if all k vectors are stored, they are computed by one product after the other
  double seconds = 0;       ///< time of computing Aᵏ·x alone
  double low_s = 0;         ///< lower end of its 90 % interval
  double high_s = 0;        ///< upper end of its 90 % interval
  double all_s = 0;         ///< time of computing and storing all k vectors
  double products_s = 0;    ///< time of k products by the fastest kernel
  std::string reason = {};  ///< why computing powers together pays, or does not
  PowersOrder order = PowersOrder::as_given;
  std::string kernel = {};  ///< kernel of every block; empty if blocks were not considered
  std::int64_t depth = 0;   ///< number of powers for which a block is read once; k powers take as many passes as needed
  std::int64_t block_rows = 0;      ///< rows of the largest block
  std::int64_t blocks = 0;          ///< number of blocks of rows
  std::int64_t resident_bytes = 0;  ///< bytes of matrix and vectors that the caches should hold between powers
};

/// Measured times of k powers.
struct MeasuredPowers {
  std::int64_t k = 0;     ///< number of powers requested
  bool pays = false;      ///< true: the plan computed the powers together
  double seconds = 0;     ///< time of computing Aᵏ·x alone
  double all_s = 0;       ///< time of computing and storing all k vectors
  double products_s = 0;  ///< time of k products by the fastest kernel
};

}  // namespace sparsecast
#pragma GCC visibility pop
