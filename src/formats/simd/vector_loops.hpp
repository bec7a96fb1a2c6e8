#pragma once
// The loops over whole vectors that iterative solvers consist of, beside products: several updates and sums in one pass
// over memory, in the versions of simd.hpp. A call takes a stretch of the vectors; sums are of that stretch.

#include <cstdint>

#include "formats/simd/simd.hpp"

namespace sparsecast::formats {
struct TwoSums {
  double first = 0, second = 0;
};

/// Where the vector that the next product reads is stored. A line that several threads have read belongs to all of
/// them, and each store to it must first take it from the others, one line after the other where two vectors are
/// written in turn: with threads in two last-level caches 137 ns a line on an AMD EPYC (family 25), 37 ns in one.
/// Stores around the caches take the line and wait for nobody (2 to 4 ns a line); who reads it next pays for the way to
/// memory.
enum class Stores { kept, around };

/// `count` entries each; vectors do not overlap unless they are the same. `m` is the diagonal of a preconditioner.
struct VectorLoops {
  /// x·y
  double (*dot)(std::int64_t count, const double* x, const double* y);
  /// x·y and y·y
  TwoSums (*dot_and_square)(std::int64_t count, const double* x, const double* y);
  /// y += a·x
  void (*update)(std::int64_t count, double a, const double* x, double* y);
  /// y = a·x
  void (*scale)(std::int64_t count, double a, const double* x, double* y);
  /// y = m∘x
  void (*times)(std::int64_t count, const double* m, const double* x, double* y);
  /// r += a·q; r·r
  double (*update_and_square)(std::int64_t count, double a, const double* q, double* r);
  /// r += a·q; r·r and r·(m∘r)
  TwoSums (*update_and_weigh)(std::int64_t count, double a, const double* q, const double* m, double* r);
  /// r += a·q; s = m∘r
  void (*update_and_times)(std::int64_t count, double a, const double* q, const double* m, double* r, double* s);
  /// x += a·p; p = z + b·p
  void (*step_and_turn)(std::int64_t count, double a, double b, const double* z, double* x, double* p);
  /// x += a·p; p = m∘r + b·p
  void (*step_and_turn_scaled)(std::int64_t count, double a, double b, const double* m, const double* r, double* x,
                               double* p);
  /// p = r + b·(p − w·v)
  void (*turn)(std::int64_t count, double b, double w, const double* r, const double* v, double* p);
  /// the same, and s = m∘p
  void (*turn_scaled)(std::int64_t count, double b, double w, const double* r, const double* v, const double* m,
                      double* p, double* s);
  /// x += a·p + w·s; r −= w·t; r·r and g·r
  TwoSums (*step_twice)(std::int64_t count, double a, double w, const double* p, const double* s, const double* t,
                        const double* g, double* x, double* r);
  /// x += m∘(b − q); (b − q)·(b − q)
  double (*relax)(std::int64_t count, const double* b, const double* q, const double* m, double* x);
  /// d = a·d + c·z; x += d
  void (*accelerate)(std::int64_t count, double a, double c, const double* z, double* d, double* x);
  /// d = a·d + c·(m∘r); x += d
  void (*accelerate_scaled)(std::int64_t count, double a, double c, const double* m, const double* r, double* d,
                            double* x);
  /// (y − l·x)·(y − l·x); x = a·y
  double (*normalise)(std::int64_t count, double a, double l, const double* y, double* x);
  /// z = c·y + k; |z − x| summed, and z where m is 0; x = z, s = m∘z
  TwoSums (*teleport)(std::int64_t count, double c, double k, const double* y, const double* m, double* x, double* s);
  /// h[j] = v[j]·w of up to most_at_once vectors
  void (*project)(std::int64_t count, int vectors, const double* const* v, const double* w, double* h);
  /// w += Σ h[j]·v[j] of up to most_at_once vectors; w·w
  double (*combine)(std::int64_t count, int vectors, const double* const* v, const double* h, double* w);

  static constexpr int most_at_once = 4;
};

/// The loops for one instruction set, which the processor must have. Stores::around needs vectors that begin on a line
/// of 64 bytes, and falls back to kept where the instruction set has no such stores.
[[nodiscard]] const VectorLoops& vector_loops(Simd simd, Stores stores = Stores::kept);
/// The best that this processor runs.
[[nodiscard]] const VectorLoops& vector_loops(Stores stores = Stores::kept);
}  // namespace sparsecast::formats
