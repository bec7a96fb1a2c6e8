#pragma once
// The blocks of a plan on the host's cores. One block is the kernel's own product. Several are dealt to the threads by
// rows, so that all of them run in one parallel region and no thread waits between blocks: thread t has a contiguous
// range of rows with 1/threads of the predicted time, in as many pieces as blocks it touches, each a product of its own
// for one thread.

#include <memory>
#include <sparsecast/plan.hpp>

#include "formats/host_product.hpp"

namespace sparsecast::planning {

template <class Value>
[[nodiscard]] std::unique_ptr<formats::HostProduct<Value>> build_host_blocks(const Matrix& matrix,
                                                                             const std::vector<PlannedBlock>& blocks,
                                                                             int threads);

}  // namespace sparsecast::planning
