// The texts that read row pointers.
#include "csr_tiles.cl"
#include "csr_merge.cl"
#include "csr_scalar.cl"
#include "csr_stream.cl"
#include "csr_stream_vectors.cl"

#define CSR_LANES csr_vector
#define LANES WARP
#include "csr_lanes.cl"
#undef CSR_LANES
#undef LANES
#define CSR_LANES csr_half
#define LANES (WARP / 2)
#include "csr_lanes.cl"
#undef CSR_LANES
#undef LANES
