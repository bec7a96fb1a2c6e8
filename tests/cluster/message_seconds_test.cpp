#include "cluster/described/message_seconds.hpp"

#include <gtest/gtest.h>

namespace sparsecast::cluster {
namespace {
Network plain_network() { return {"plain", 1e9, 1, 1e-6, 0, "made up"}; }

SchemeFeatures exchange(int processes, double messages, double near, double far, double node) {
  SchemeFeatures f;
  f.scheme = Scheme::local_rows;
  f.processes = processes;
  f.load = {messages, near, far, node, 0};
  return f;
}

TEST(MessageTimes, AddLatencyAndWhatBytesPassThrough) {
  const NearMessages near{1e-7, 1e10, 1e11};
  EXPECT_EQ(message_seconds(exchange(1, 0, 0, 0, 0), plain_network(), near, 4).seconds(), 0);
  // 2000 bytes into one rank, 4000 into its node, at 1 GB/s; 1000 from beside it at 10 GB/s.
  const MessageSeconds t = message_seconds(exchange(8, 3, 1000, 2000, 4000), plain_network(), near, 4);
  EXPECT_DOUBLE_EQ(t.latency_s, 1e-6);
  EXPECT_DOUBLE_EQ(t.bandwidth_s, 4e-6 + 1e-7);
  // Two adapters take the node's bytes at twice the rate; one rank's still go through one.
  Network two = plain_network();
  two.rails = 2;
  EXPECT_DOUBLE_EQ(message_seconds(exchange(8, 3, 1000, 2000, 4000), two, near, 4).bandwidth_s, 2e-6 + 1e-7);
}
}  // namespace
}  // namespace sparsecast::cluster
