#pragma once
// The methods, and what one iteration of each consists of: the one place that says so. The forecast takes its times
// from these steps, and a test holds them against what a run counts.

#include <span>
#include <sparsecast/array.hpp>
#include <sparsecast/terms.hpp>

namespace sparsecast::solving {
// One step of an iteration: a product, a preconditioner, or a pass over vectors. Methods are lists of them
// (below), and a forecast is their times added up.

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
  Term part = Term::vector_updates;  ///< of the forecast that its time belongs to
  std::vector<Stream> reads = {}, writes = {};
  int sums = 0;      ///< reductions that end it: threads, or processes, wait for each other
  double flops = 0;  ///< a row, of steps that compute more than they move; 0: moving is all
  double times = 1;  ///< in an iteration: a part of one where it does not happen in each
};

/// What the steps of an iteration add up to, and what a run counts. Streams in vectors of the matrix's rows.
struct Amounts {
  double products = 0, transposed = 0, preconditions = 0;
  double reads = 0, writes = 0;  ///< of passes alone
  double sums = 0;               ///< passes that end in a sum
  double passes = 0;

  Amounts& operator+=(const Amounts& other);
  [[nodiscard]] Amounts over(double iterations) const;
};

[[nodiscard]] Amounts amounts_of(const std::vector<Step>& steps);

enum class MethodKind { cg, bicgstab, gmres, chebyshev, jacobi, power, pagerank, lobpcg };

/// How a preconditioner is applied: not at all, by multiplying with a diagonal within the passes, or in a step of its
/// own.
enum class Preconditioning { none, diagonal, step };

struct MethodInfo {
  MethodKind kind;
  std::string_view name;      ///< as users type it, without its parameter
  std::string_view summary;   ///< for help and documents
  int parameter = 0;          ///< of gmres the restart, of lobpcg the block where none is given; 0: it takes none
  bool symmetric = false;     ///< asks for a symmetric matrix
  bool positive = false;      ///< asks for positive diagonal entries
  bool diagonal = false;      ///< divides by the diagonal
  bool eigen = false;         ///< finds eigenvectors and not the solution of a system
  bool preconditions = true;  ///< takes a preconditioner
};

/// A method with its parameter.
struct Method {
  const MethodInfo* info = nullptr;
  int parameter = 0;

  [[nodiscard]] MethodKind kind() const { return info->kind; }
  /// As users type it: "cg", "gmres:30".
  [[nodiscard]] std::string name() const;
};

[[nodiscard]] std::span<const MethodInfo> method_table();
/// "cg", "gmres:20". Error usage with the names for another one, and for a parameter that is out of range.
[[nodiscard]] Method parse_method(std::string_view text);

/// One iteration. Of gmres the mean over a restart, of lobpcg one of the whole block.
[[nodiscard]] std::vector<Step> steps_of(const Method& method, Preconditioning preconditioning);
/// Vectors of the matrix's rows that are held, beside the matrix and the preconditioner.
[[nodiscard]] double vectors_held(const Method& method, Preconditioning preconditioning);
}  // namespace sparsecast::solving
