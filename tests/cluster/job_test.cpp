#include "cluster/launch/job.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

namespace sparsecast::cluster {
namespace {
TEST(Job, ComesBackFromItsText) {
  Job job;
  job.matrix = {"/a \"b\".mtx", MatrixForm::market};
  job.cases = {{Scheme::global_rows, LocalFormat::coo}};
  EXPECT_EQ(to_text(parse_job(to_text(job), "x")), to_text(job));
  for (const char* const bad : {"", "{}", R"({"task":"dance"})"}) EXPECT_THROW(parse_job(bad, "x"), Error);
}
}  // namespace
}  // namespace sparsecast::cluster
