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

/// In which order the rows stand while powers are computed; x and y are always in the caller's.
enum class PowersOrder { as_given, levels };

/// How powers are computed, and how long they take: by forecast, and of a plan that timed both ways in turns as it was
/// measured. A time of 0 is not known: a kernel was named, say, and nothing is forecast.
struct PowersStrategy {
  std::int64_t k = 0;       ///< number of powers requested
  bool pays = false;        ///< false: k products, one after the other
  bool all_pays = true;     ///< false: all k vectors kept are products one after the other, though the last alone pays
  double seconds = 0;       ///< of Aᵏ·x alone
  double low_s = 0;         ///< 90 % interval of that
  double high_s = 0;        ///< 90 % interval of that
  double all_s = 0;         ///< of all k vectors kept
  double products_s = 0;    ///< time of k products by the fastest kernel
  std::string reason = {};  ///< why it pays, or does not
  PowersOrder order = PowersOrder::as_given;
  std::string kernel = {};          ///< kernel of every block; empty if blocks were not considered
  std::int64_t depth = 0;           ///< powers for which a block is read once; k takes as many passes as that needs
  std::int64_t block_rows = 0;      ///< rows of the largest block
  std::int64_t blocks = 0;          ///< number of blocks of rows
  std::int64_t resident_bytes = 0;  ///< matrix and vectors that the caches are to hold between powers
};

/// What k powers took.
struct MeasuredPowers {
  std::int64_t k = 0;     ///< number of powers requested
  bool pays = false;      ///< what the plan was
  double seconds = 0;     ///< of Aᵏ·x alone
  double all_s = 0;       ///< of all k vectors kept
  double products_s = 0;  ///< time of k products by the fastest kernel
};

}  // namespace sparsecast
#pragma GCC visibility pop
