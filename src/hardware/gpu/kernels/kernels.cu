// All kernel texts for CUDA: those that read row pointers once per value and offset type, the others once per value
// type. A kernel's name ends in f32 or f64, and o32 or o64 where it reads row pointers.

#define GROUP 256
#define WARP 32

#include "cuda.h"
// clang-format off
#include "chains.h"
// clang-format on

#define OFFSET int
#define VALUE float
#define SUFFIX f32
#include "for_values.cuh"
#include "curves.cl"
#include "chains.cl"
#undef SUFFIX
#define SUFFIX f32_o32
#include "for_offsets.cuh"
#undef SUFFIX
#undef OFFSET
#define OFFSET WIDE
#define SUFFIX f32_o64
#include "for_offsets.cuh"
#undef SUFFIX
#undef OFFSET
#undef VALUE

#define OFFSET int
#define VALUE double
#define SUFFIX f64
#include "for_values.cuh"
#undef SUFFIX
#define SUFFIX f64_o32
#include "for_offsets.cuh"
#undef SUFFIX
#undef OFFSET
#define OFFSET WIDE
#define SUFFIX f64_o64
#include "for_offsets.cuh"
