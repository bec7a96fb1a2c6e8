#pragma once
// How a pattern of messages grows beyond the most processes that it was measured on.

#include "cluster/message_pattern.hpp"

namespace sparsecast::cluster {
/// How many times as long it takes on `processes` as on `most`, by its steps; 1 within what was measured. Collectives
/// go through the processes in ⌈log2 P⌉ rounds at least; a message from one process to another, and those of a halo,
/// take as long as before.
double pattern_growth(MessagePattern pattern, double most, double processes);
}  // namespace sparsecast::cluster
