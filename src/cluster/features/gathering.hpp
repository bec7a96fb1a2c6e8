#pragma once
// How unequal shares of x slow down their gathering. MPIs gather long vectors by neighbour exchange (Chen and others,
// "Performance evaluation of allgather algorithms on terascale Linux cluster with fast Ethernet", 2005; Open MPI's
// choice for even counts): in every step each rank hands its left or right neighbour what the other one brought before.
// A large share is in every step's way.

#include <span>

namespace sparsecast::cluster {
/// Bytes that one rank at most has waited for, one message after the other, until all shares are everywhere; of equal
/// shares all but one of them. An odd count takes a ring. 0 for a single rank.
double longest_exchange(std::span<const double> share_bytes);
}  // namespace sparsecast::cluster
