#include "cluster/launch/platform.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>
#include <string>

#include "support/command.hpp"

namespace sparsecast::cluster {
namespace {
using test::TemporaryFolder;

TEST(Platform, ReadsHostsAndCores) {
  const TemporaryFolder folder;
  const Platform p =
      read_platform(folder.write("toy.xml",
                                 "<platform><!-- <cluster radical=\"0-9\"/> -->\n<cluster id=\"c\" prefix=\"n-\" "
                                 "suffix=\".x\"\n radical=\"0-1,4\" core=\"3\" speed=\"1f\"/></platform>"));
  EXPECT_EQ(p.name, "toy");
  EXPECT_EQ(p.hosts, (std::vector<std::string>{"n-0.x", "n-1.x", "n-4.x"}));
  EXPECT_EQ(p.cores_per_host, 3);
  EXPECT_EQ(p.nodes(4), 2);
  for (const char* const bad :
       {"", "<cluster id=\"c\">", "<cluster id=\"c\" radical=\"a-b\"/>", "<cluster id=\"c\" radical=\"0-99999999\"/>",
        "<cluster id=\"c\" radical=\"0-65535,7\"/>", "<cluster radical=\"0-1/>", "<cluster radical 0-1/>"})
    EXPECT_THROW(read_platform(folder.write("bad.xml", bad)), Error) << bad;
}

TEST(Platform, BandwidthsAndLatenciesHaveUnits) {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& links) {
    return read_platform(folder.write("toy.xml", "<cluster radical=\"0-1\" " + links + "/>"));
  };
  EXPECT_EQ(with("bw=\"12.5GBps\" lat=\"495ns\"").hosts.size(), 2u);
  EXPECT_EQ(with("bw=\"12.5GBps\" lat=\"0\" loopback_lat=\"0.0\"").hosts.size(), 2u) << "as SimGrid takes it";
  for (const char* const bad :
       {"bw=\"12.5\" lat=\"495ns\"", "bw=\"12.5GBps\" lat=\"495\"", "bw=\"1GBps\" lat=\"1us\" loopback_bw=\"1e10\""})
    EXPECT_THROW((void)with(bad), Error) << bad;
}

TEST(Platform, AnAttributeIsAWholeNameBehindASpace) {
  const TemporaryFolder folder;
  const Platform p = read_platform(folder.write(
      "toy.xml",
      "<cluster score=\"7\" core core-=\"8\" core=9 prefix=\"core=\"\n core\t=\n\"3\" core=\"4\" radical=\"0\"/>"));
  EXPECT_EQ(p.cores_per_host, 3);
  EXPECT_EQ(p.hosts, std::vector<std::string>{"core=0"});
}

TEST(Platform, ThePapersClusterHoldsItsProcesses) {
  const std::filesystem::path file =
      std::filesystem::path(SPARSECAST_SOURCE_DIR) / "profiles/platforms/skylake-edr.xml";
  const Platform p = read_platform(file);
  EXPECT_EQ(p.nodes(144), 4);
  EXPECT_EQ(p.nodes(169), 5);
  EXPECT_EQ(p.nodes(225), 7);
  EXPECT_EQ(p.nodes(256), 8);
  EXPECT_EQ(p.links.bandwidth, 12.5e9);
  EXPECT_NEAR(p.links.latency, 990e-9, 1e-15);
  EXPECT_EQ(p.links.loopback_bandwidth, 10e9);
  EXPECT_NEAR(p.links.loopback_latency, 300e-9, 1e-15);
  const TemporaryFolder folder;
  EXPECT_THROW(simulation_command(file, 1000, folder.path()), Error);
}

// Of a network that is not as simple as that only SimGrid knows the times.
TEST(Platform, LinksAreKnownOfFullDuplexLinksWithoutFactorsAlone) {
  std::string text =
      test::read_text(std::filesystem::path(SPARSECAST_SOURCE_DIR) / "profiles/platforms/skylake-edr.xml");
  const TemporaryFolder folder;
  for (const auto& [from, to] : {std::pair{"SPLITDUPLEX\"\n", "SHARED\"\n"},
                                 {"smpi/bw-factor\" value=\"0:1\"", "smpi/bw-factor\" value=\"0:0.9\""},
                                 {"network/weight-S\" value=\"0\"", "network/weight-S\" value=\"20537\""},
                                 {"bw=\"12.5GBps\"", "bw=\"12.5Gbps\""},
                                 {"loopback_bw", "other"}}) {
    std::string changed = text;
    const auto at = changed.rfind(from);
    ASSERT_NE(at, std::string::npos) << from;
    changed.replace(at, std::string(from).size(), to);
    EXPECT_FALSE(read_platform(folder.write("p.xml", changed)).links.known()) << from;
  }
}
}  // namespace
}  // namespace sparsecast::cluster
