#pragma once
// One step of an iteration: a product, a preconditioner, or a pass over vectors. Methods are lists of them
// (method.hpp), and a forecast is their times added up.

#include <sparsecast/array.hpp>
#include <sparsecast/terms.hpp>
#include <vector>

namespace sparsecast::solving {
/// A vector that a pass goes through.
using Vector = Array<double>;

enum class StepKind { product, transposed, precondition, pass };

/// What a step reads or writes: a vector by a letter of its own, or `count` vectors that are gone through together (the
/// basis of GMRES, the block of LOBPCG).
struct Stream {
  char name = '?';
  double count = 1;
};

struct Step {
  StepKind kind = StepKind::pass;
  Term part = Term::vector_updates;             ///< of the forecast that its time belongs to
  std::vector<Stream> reads = {}, writes = {};  ///< of a product its operand first, then what its dots take
  int sums = 0;                                 ///< reductions that end it: threads, or processes, wait for each other
  double flops = 0;                             ///< a row, of steps that compute more than they move; 0: moving is all
  double times = 1;                             ///< in an iteration: a part of one where it does not happen in each
};

/// What the steps of an iteration add up to, and what a run counts. Streams in vectors of the matrix's rows.
struct Amounts {
  double products = 0, transposed = 0, preconditions = 0;
  double reads = 0, writes = 0;  ///< of passes alone
  double sums = 0;               ///< passes that end in a sum
  double passes = 0;
  double dotted = 0;  ///< products that take dot products with them

  Amounts& operator+=(const Amounts& other);
  [[nodiscard]] Amounts over(double iterations) const;
};

[[nodiscard]] Amounts amounts_of(const std::vector<Step>& steps);
}  // namespace sparsecast::solving
