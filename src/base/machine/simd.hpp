#pragma once
// Which vector instructions a loop may use. The library is compiled for any processor of its architecture; loops that
// gain from more exist in several versions, of which the best that this processor runs is taken.

#include <vector>

// Marks a function as compiled for that instruction set, whatever the rest of the library is compiled for. Bodies that
// several versions share are SPARSECAST_INLINE: they take on the instruction set of the function they land in.
#if defined(__x86_64__)
#define SPARSECAST_X86 1
#define SPARSECAST_AVX2 __attribute__((target("avx2,fma")))
#define SPARSECAST_AVX512 __attribute__((target("avx2,fma,bmi,bmi2,avx512f,avx512vl,avx512dq,avx512bw")))
#else
#define SPARSECAST_X86 0
#endif
#define SPARSECAST_INLINE inline __attribute__((always_inline))

namespace sparsecast::base {
enum class Simd { portable, avx2, avx512 };

/// The best one that this processor and operating system run.
Simd best_simd();
/// All that they run, from portable up.
std::vector<Simd> supported_simd();
const char* simd_name(Simd simd);

/// A function whose text instruction sets share, which is SPARSECAST_INLINE, compiled for each of them.
template <auto body>
struct Compiled;
template <class Result, class... Arguments, Result (*body)(Arguments...)>
struct Compiled<body> {
  static Result portable(Arguments... arguments) { return body(arguments...); }
#if SPARSECAST_X86
  SPARSECAST_AVX2 static Result avx2(Arguments... arguments) { return body(arguments...); }
  SPARSECAST_AVX512 static Result avx512(Arguments... arguments) { return body(arguments...); }
#endif
};
template <auto body>
[[nodiscard]] auto compiled_for(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return &Compiled<body>::avx512;
  if (simd == Simd::avx2) return &Compiled<body>::avx2;
#endif
  static_cast<void>(simd);
  return &Compiled<body>::portable;
}
}  // namespace sparsecast::base
