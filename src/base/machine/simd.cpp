#include "base/machine/simd.hpp"

namespace sparsecast::base {
namespace {
Simd detect() {
#if SPARSECAST_X86
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                      __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
  if (avx2 && avx512) return Simd::avx512;
  if (avx2) return Simd::avx2;
#endif
  return Simd::portable;
}
}  // namespace

Simd best_simd() {
  static const Simd best = detect();
  return best;
}

std::vector<Simd> supported_simd() {
  std::vector<Simd> all{Simd::portable};
  if (best_simd() != Simd::portable) all.push_back(Simd::avx2);
  if (best_simd() == Simd::avx512) all.push_back(Simd::avx512);
  return all;
}

const char* simd_name(Simd simd) { return simd == Simd::avx512 ? "avx512" : simd == Simd::avx2 ? "avx2" : "portable"; }
}  // namespace sparsecast::base
