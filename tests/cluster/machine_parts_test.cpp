// Descriptions of whole machines, as lists of the fastest computers word them, are read into parts.

#include "cluster/machine/parts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace sparsecast::cluster {
namespace {

struct Described {
  const char* computer;
  std::int64_t cores;
  const char *processor, *accelerator, *network;
  double nodes;
};

// Nodes as the sites tell them; systems and names are made up of them, as lists word such.
TEST(MachineParts, AreReadFromDescriptions) {
  for (const Described& d : std::initializer_list<Described>{
           {"A — A64FX 48C 2.2GHz, Tofu interconnect D", 7'630'848, "a64fx", "", "tofu-d", 158'976},
           {"A - AMD EPYC 7763 64C 2.45GHz, Slingshot-11, NVIDIA A100 SXM4 80 GB", 576 * 10, "epyc-milan", "a100-80",
            "slingshot11", 0},
           {"A – X1, IBM POWER9 22C 3.07GHz, Dual-rail Mellanox EDR Infiniband, NVIDIA Volta GV100", 2'414'592,
            "power9", "v100", "edr", 4608},
           {"A — AMD 4th Gen EPYC 24C 1.8GHz, Slingshot-11, AMD Instinct MI300A", 252 * 4 * 100, "mi300a-zen4",
            "mi300a", "slingshot11", 400},
           {"A — NVIDIA Grace 72C 3.1GHz, Slingshot-11, NVIDIA GH200 Superchip", 204 * 64, "grace", "gh200",
            "slingshot11", 64},
           {"A — Xeon Platinum 8480+ 56C 2GHz, Infiniband NDR200", 112 * 50, "xeon-sapphire", "", "ndr200", 50},
           {"A — Intel Xeon Phi 7250 68C 1.4GHz, Intel Omni-Path", 68 * 9, "xeon-phi-knl", "", "omnipath", 9},
           {"A — Xeon E5-2680-V3, Infiniband FDR", 24 * 7, "e5-v3", "", "fdr", 7},
           {"A — Xeon E5-2650 v4, Infiniband EDR, NVIDIA Pascal P100 PCIe", (24 + 4 * 56) * 5, "e5-v4", "p100", "edr",
            5},
           {"A — Vector Engine Type20B 8C 1.6GHz, Infiniband HDR200", 64 * 3, "ve-20", "", "hdr", 3},
           {"A — Sunway SW26010 260C 1.45GHz, Sunway", 260 * 8, "sw26010", "", "sunway", 8},
           {"A — Hygon Dhyana 7185 32C 2.0GHz, Infiniband HDR", 64 * 6, "hygon-dhyana", "", "hdr", 6},
           {"A — IBM Power BQC 16C 1.60GHz, Custom Interconnect", 16 * 1024, "power-bqc", "", "5d-torus", 1024}}) {
    const MachineParts parts = machine_parts(d.computer, d.cores);
    ASSERT_TRUE(parts.reason.empty()) << d.computer << ": " << parts.reason;
    EXPECT_EQ(parts.name, "A");
    EXPECT_EQ(parts.processor->name, d.processor) << d.computer;
    EXPECT_EQ(parts.accelerator != nullptr ? parts.accelerator->name : "", d.accelerator) << d.computer;
    ASSERT_NE(parts.network, nullptr) << d.computer;
    EXPECT_EQ(parts.network->name, d.network) << d.computer;
    if (d.nodes == 0) continue;
    EXPECT_EQ(parts.nodes, d.nodes) << d.computer;
    EXPECT_TRUE(parts.whole) << d.computer;
  }
}

TEST(MachineParts, OfLanesAreCountedWhereMultiprocessorsLeaveNoWholeNumberOfNodes) {
  const MachineParts parts =
      machine_parts("A — Xeon Gold 6148, InfiniBand EDR, NVIDIA Volta V100", 32 * (40 + 2 * 5120));
  EXPECT_EQ(parts.nodes, 32);
  EXPECT_EQ(parts.accelerators, 2);
}

TEST(MachineParts, WhatIsNotUnderstoodHasAReason) {
  EXPECT_FALSE(machine_parts("A — Quantum annealer, wires", 1000).reason.empty());
  EXPECT_FALSE(machine_parts("", 1000).reason.empty());
  EXPECT_FALSE(machine_parts("A — Xeon Platinum 8260M 24C 2.4GHz, Preferred Networks MN-Core", 1000).reason.empty());
  EXPECT_FALSE(machine_parts("A — AMD EPYC 7763 64C 2.45GHz, Slingshot-11, NVIDIA B9000", 64'000).reason.empty())
      << "its multiprocessors are no cores of processors";
  for (const char* const unknown : {"Intel Gaudi 3", "Huawei Ascend 910", "GTX 4090", "GeForce GTX 1080 Ti",
                                    "AMD Radeon Pro", "Cerebras WSE-3", "Graphcore IPU", "Cambricon MLU370"})
    EXPECT_EQ(
        machine_parts(std::string("A — Xeon Platinum 8380 40C 2.3GHz, Infiniband HDR, ") + unknown, 80'000).reason,
        "its accelerators are not in the catalogue")
        << unknown;
  EXPECT_TRUE(machine_parts("A — AMD EPYC 7763 64C 2.45GHz, NVIDIA Quantum-2", 64'000).reason.empty()) << "a network";
  EXPECT_FALSE(machine_parts("A — A64FX 48C", 0).reason.empty());
  EXPECT_FALSE(machine_parts("A — A64FX 48C", 100).whole) << "no number of nodes has a hundred cores";
}

TEST(MachineParts, OfTheTableHaveNumbersAndNamesOfTheirOwn) {
  ASSERT_GT(parts().size(), 100U);
  std::set<std::pair<PartKind, std::string>> names;
  for (const Part& part : parts()) {
    EXPECT_FALSE(part.patterns.empty()) << part.name;
    if (part.kind == PartKind::unknown) continue;
    EXPECT_GT(part.cores, 0) << part.name;
    if (part.kind == PartKind::cores) continue;
    EXPECT_GT(part.bandwidth, 1e9) << part.name;
    EXPECT_FALSE(part.counts.empty()) << part.name;
    EXPECT_FALSE(part.family.empty()) << part.name;
    EXPECT_TRUE(names.emplace(part.kind, part.name).second) << part.name << " stands twice";
  }
}

}  // namespace
}  // namespace sparsecast::cluster
