#pragma once
// The driver: runs a block's warps one at a time, PTX and machine code alike. The result is a trace per warp.

#include <cstdint>

#include "gpu_code/trace/block_trace.hpp"

namespace sparsecast::gpu_code {
struct TraceOptions {
  std::int64_t window = 1500;            ///< instructions of a loop's iterations kept in the trace before skipping
  std::int64_t most_steps = 60'000'000;  ///< per block, over all warps
  /// Of the processor, per block: so much a warp, at least and at most so much in all. Who waits hears within ten
  /// seconds.
  double most_warp_s = 2, most_s = 4, most_block_s = 9;
  double end_by_s = 0;  ///< by the thread's clock; run_block sets it
  int only_warp = -1;   ///< run only this warp
  bool keep_trace = true;
};

/// Runs one block; past a part of most_steps long loops are passed over in leaps. Error failed where that is not
/// enough; bad_input from Code::ask.
[[nodiscard]] BlockTrace run_block(const Code& code, const Launch& launch, const Dim3& block,
                                   const TraceOptions& options);
}  // namespace sparsecast::gpu_code
