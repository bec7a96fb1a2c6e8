#include "support/synthetic_profile.hpp"

namespace sparsecast::test {

Structure constant_structure(std::int64_t rows, std::int64_t row_length) {
  Structure s;
  s.name = "constant";
  s.rows = s.cols = rows;
  s.nonzeros = rows * row_length;
  s.row_mean = static_cast<double>(row_length);
  s.row_min = s.row_max = s.row_mode = row_length;
  if (rows > 0) s.row_histogram = {{row_length, rows}};
  for (SliceWork shape : counted_slice_shapes()) {
    shape.slots = (rows + shape.slice_rows - 1) / shape.slice_rows * shape.slice_rows * row_length;
    s.slices.push_back(shape);
  }
  s.block_nonzeros.assign(64, s.nonzeros / 64);
  return s;
}

Profile empty_host_profile(int threads) {
  Profile profile;
  profile.name = "host";
  profile.properties.name = "host";
  profile.properties.kind = DeviceKind::host;
  profile.properties.compute_units = threads;
  profile.properties.threads_per_unit = 1;
  profile.properties.rows_per_chunk = 1024;
  profile.properties.memory_bytes = std::int64_t{16} << 30;
  return profile;
}

Profile empty_gpu_profile() {
  Profile profile;
  profile.name = profile.properties.name = "c2050";
  profile.properties.kind = DeviceKind::cuda;
  profile.properties.compute_units = 14;
  profile.properties.warp_size = 32;
  profile.properties.warps_per_unit = 48;
  profile.properties.threads_per_unit = 1536;
  profile.properties.memory_bytes = std::int64_t{3} << 30;
  return profile;
}

void add_grid(Profile& profile, const std::string& kind, const std::string& kernel, int threads,
              const std::function<double(double strips, double row_length)>& time) {
  const std::int64_t strip = with_threads(profile.properties, threads).strip(kernel);
  for (int strips = 1; strips <= 10; ++strips) {
    for (const int row_length : {4, 16, 64, 256, 1024, 1536, 2048}) {
      BenchmarkMatrix matrix;
      matrix.spec = {kind, strips, static_cast<double>(row_length), strip * strips, strip * strips, 1, {}};
      matrix.structure = constant_structure(matrix.spec.rows, row_length);
      Record record;
      record.matrix = static_cast<int>(profile.matrices.size());
      record.kernel = kernel;
      record.threads = threads;
      record.seconds = time(strips, row_length);
      profile.matrices.push_back(std::move(matrix));
      profile.records.push_back(std::move(record));
    }
  }
}

}  // namespace sparsecast::test
