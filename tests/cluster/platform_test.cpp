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
  const TemporaryFolder folder;
  EXPECT_THROW(simulation_command(file, 1000, folder.path()), Error);
}
}  // namespace
}  // namespace sparsecast::cluster
