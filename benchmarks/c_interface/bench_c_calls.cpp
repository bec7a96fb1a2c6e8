// What a product through sparsecast.h takes beside the same product in C++: nanoseconds a call on small matrices, where
// the call is what counts. The two take turns, so that whatever else the machine does meets both.
//   bench-c-calls [ROUNDS]

#include <sparsecast.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>
#include <string>
#include <vector>

namespace {
constexpr int calls = 2000;

template <class Call>
double nanoseconds(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / calls;
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void need(int status) {
  if (status == SPARSECAST_OK) return;
  std::fprintf(stderr, "%s\n", sparsecast_error_text());
  std::exit(1);
}

void compare(int size, int rounds) {
  const std::string parameters = "{\"size\": " + std::to_string(size) + "}";
  const sparsecast::Matrix matrix = sparsecast::generate({.kind = "poisson2d", .parameters = {.size = size}});
  const sparsecast::Plan plan(matrix, sparsecast::one_kernel(matrix, "csr", sparsecast::Precision::double_, 1));
  sparsecast_matrix* same = nullptr;
  sparsecast_plan* handle = nullptr;
  sparsecast_plan_options options{};
  options.struct_size = sizeof options;
  options.kernel = "csr", options.threads = 1;
  need(sparsecast_matrix_generate("poisson2d", parameters.c_str(), 0, &same));
  need(sparsecast_plan_create(same, &options, &handle));
  const auto n = static_cast<std::size_t>(matrix.rows());
  const std::vector<double> x(n, 1.0);
  std::vector<double> y(n), in_cpp, in_c, more;
  for (int round = 0; round < rounds; ++round) {
    in_cpp.push_back(nanoseconds([&] { plan.apply(x, y); }));
    in_c.push_back(nanoseconds([&] {
      need(sparsecast_apply(handle, SPARSECAST_NORMAL, 1, x.data(), matrix.cols(), 0, y.data(), matrix.rows()));
    }));
    more.push_back(in_c.back() - in_cpp.back());
  }
  std::printf("%6lld rows: C++ %7.1f ns, C %7.1f ns, %+5.1f ns a call\n", static_cast<long long>(matrix.rows()),
              middle(in_cpp), middle(in_c), middle(more));
  need(sparsecast_plan_free(handle));
  need(sparsecast_matrix_free(same));
}
}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 400;
  for (const int size : {2, 4, 8, 16, 32}) compare(size, rounds);
}
