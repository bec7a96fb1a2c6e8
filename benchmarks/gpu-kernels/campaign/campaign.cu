// Measures the kernels of own.cu on the first CUDA device and prints a tuning table (see `sparsecast kernel --table`):
// kernel, grid, block, args, seconds, spread. Time of a launch: median over 30, each between two events, after 3 launches
// that warm the caches and the clock. With --list the rows alone, without times and without a device.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../own.cu"

static bool listed = false;

static void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

template <class T>
static T* buffer(size_t count) {
  T* p = nullptr;
  if (listed) return p;
  check(cudaMalloc(&p, count * sizeof(T)));
  check(cudaMemset(p, 0, count * sizeof(T)));
  return p;
}

// Numbers below `bound`, at random: what a kernel looks up with them lies anywhere.
template <class T>
static T* numbers(size_t count, unsigned bound) {
  T* p = buffer<T>(count);
  if (listed) return p;
  std::mt19937 random(1);
  std::vector<T> content(count);
  for (T& value : content) value = static_cast<T>(random() % bound);
  check(cudaMemcpy(p, content.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

// Each number leads to the next of one ring through all of them.
static int* ring(size_t count) {
  int* p = buffer<int>(count);
  if (listed) return p;
  std::vector<int> order(count), next(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (size_t i = 0; i < count; ++i) next[order[i]] = order[(i + 1) % count];
  check(cudaMemcpy(p, next.data(), count * sizeof(int), cudaMemcpyHostToDevice));
  return p;
}

static std::string text(dim3 d) { return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z); }

static void measure(const char* kernel, dim3 grid, dim3 block, const std::string& arguments, const std::function<void()>& launch) {
  const std::string row = std::string(kernel) + "\t" + text(grid) + "\t" + text(block) + "\t\t" + arguments + "\t\t";
  if (listed) {
    std::printf("%s\t\n", row.c_str());
    return;
  }
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  for (int i = 0; i < 3; ++i) launch();
  check(cudaDeviceSynchronize());
  std::vector<float> ms(30);
  for (float& t : ms) {
    check(cudaEventRecord(begin));
    launch();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&t, begin, end));
  }
  check(cudaGetLastError());
  std::sort(ms.begin(), ms.end());
  const float median = ms[ms.size() / 2], spread = (ms[ms.size() * 3 / 4] - ms[ms.size() / 4]) / 2 / median;
  std::printf("%s%.6e\t%.4f\n", row.c_str(), 1e-3 * median, spread);
  std::fflush(stdout);
}

int main(int count, char** words) {
  listed = count > 1 && std::string(words[1]) == "--list";
  const int n = 1 << 24, side = 4096, cube = 256, small = 1024;
  float *a = buffer<float>(n + 128), *b = buffer<float>(n + 128), *c = buffer<float>(n + 128), *d = buffer<float>(n + 128);
  double *p = buffer<double>(n), *q = buffer<double>(n), *r = buffer<double>(n);
  const int matrix_rows = 1 << 19, width = 32;
  unsigned char* bytes = numbers<unsigned char>(n, 256);
  unsigned* counts = buffer<unsigned>(256);
  int *next = ring(1 << 20), *found = buffer<int>(32), *columns = numbers<int>(n, matrix_rows);
  float4 *bodies = buffer<float4>(16384), *forces = buffer<float4>(16384);
  const std::string N = "n=" + std::to_string(n);
  std::printf("kernel\tgrid\tblock\tdefines\targs\tbuffers\tseconds\tspread\n");
#define RUN(name, g, t, args, ...) measure(#name, g, t, args, [&] { name<<<g, t>>>(__VA_ARGS__); })
  const dim3 line(n / 256), threads(256), plane(side / 32, side / 8), tile(32, 8), tiles(side / 32, side / 32);
  RUN(vector_add, line, threads, N, a, b, c, n);
  RUN(saxpy, line, threads, N + " alpha=2", 2.0f, a, b, n);
  RUN(triad, line, threads, N + " s=3", p, q, r, 3.0, n);
  const dim3 some(1024);
  RUN(dot_product, some, threads, N, a, b, c, n);
  RUN(block_reduce, line, threads, "", a, c);
  RUN(block_scan, line, threads, "", a, c);
  RUN(transpose_naive, plane, tile, "n=4096", a, b, side);
  RUN(transpose_tiled, tiles, tile, "n=4096", a, b, side);
  RUN(transpose_padded, tiles, tile, "n=4096", a, b, side);
  RUN(stencil5, plane, tile, "n=4096", a, b, side);
  const dim3 cubes(cube / 32, cube / 8, cube);
  RUN(stencil7, cubes, tile, "n=256", a, b, cube);
  const dim3 products(small / 16, small / 16), square(16, 16), wide(small / 32, small / 8);
  RUN(matmul_naive, wide, tile, "n=1024", a, b, c, small);
  RUN(matmul_tiled, products, square, "n=1024", a, b, c, small);
  RUN(histogram, some, threads, N, bytes, counts, n);
  const dim3 bodies_grid(64);
  RUN(nbody, bodies_grid, threads, "n=16384", bodies, forces, 16384);
  RUN(fir, line, threads, N, a, b, c, n);
  RUN(black_scholes, line, threads, N, a, b, c, d, n);
  RUN(mandelbrot, plane, tile, "width=4096 iterations=256", a, side, 256);
  const dim3 one(1), warp(32);
  RUN(pointer_chase, one, warp, "steps=10000", next, found, 10000);
  const dim3 matrix(matrix_rows / 256);
  RUN(ell, matrix, threads, "n=524288 width=32", columns, a, b, c, matrix_rows, width);
  return 0;
}
