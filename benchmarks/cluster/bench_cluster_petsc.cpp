// mpirun -n P bench-cluster-petsc [MATRIX…]: the time of one l1dr product (CSR) against PETSc's MatMult on an MPIAIJ
// matrix, on the same processes with the same rows on each (METIS). Batches of both take turns, so that a drifting
// machine hurts both alike; the ratio is of the half-sample modes. Both vectors are compared before anything is timed.
// Without arguments: three generated matrices.

#include <fmt/format.h>
#include <petscmat.h>

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/read.hpp>

#include "calibration/timing.hpp"
#include "cluster/features/rank_parts.hpp"
#include "cluster/rank/assembly.hpp"
#include "cluster/rank/iteration.hpp"

namespace {

using namespace sparsecast;
using namespace sparsecast::cluster;

// This rank's blocks and messages, as the rank program would have built them from a file.
struct Local {
  RankPart part;
  HaloPlan halo;
};

Local local_part(const Matrix& matrix, const Placement& placement, int rank) {
  Local local;
  const RowOrder& order = placement.order;
  const std::int64_t begin = order.first[static_cast<std::size_t>(rank)];
  for_each_part(matrix, Scheme::local_rows, placement, [&](const RankPart& part) {
    if (part.rank == rank) {
      local.part = part;
      for (const Message& message : part.receives) local.halo.receives.push_back({message.rank, message.count});
    } else {
      std::int64_t count = 0;
      for (const std::int64_t position : part.received)
        if (order.owner(position) == rank) {
          local.halo.send_indices.push_back(static_cast<std::int32_t>(position - begin));
          ++count;
        }
      if (count > 0) local.halo.sends.push_back({part.rank, count});
    }
  });
  return local;
}

// y = A·x, or y += A·x.
LocalWork<double> product_of(CsrBlock rows, bool add) {
  return [block = LocalBlock(std::move(rows), LocalFormat::csr, 1), add](
             std::span<const double> x, std::span<double> y) { block.apply(x, y, add); };
}

std::unique_ptr<Iteration<double>> ours(MPI_Comm comm, Local local) {
  LocalWork<double> pack = [indices = local.halo.send_indices](std::span<const double> x, std::span<double> outgoing) {
    for (std::size_t k = 0; k < indices.size(); ++k) outgoing[k] = x[static_cast<std::size_t>(indices[k])];
  };
  return std::make_unique<LocalIteration<double>>(
      comm, local.part.rows, local.halo,
      LocalWorks<double>{std::move(pack), product_of(std::move(local.part.own), false),
                         product_of(std::move(local.part.remote), true)});
}

Mat theirs(const Matrix& matrix, const Placement& placement, int rank) {
  const RowOrder& order = placement.order;
  const auto begin = order.first[static_cast<std::size_t>(rank)], end = order.first[static_cast<std::size_t>(rank) + 1];
  const auto rows = static_cast<PetscInt>(end - begin);
  std::vector<PetscInt> pointers{0}, columns;
  std::vector<PetscScalar> values;
  matrix.visit([&](const auto& csr) {
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t r = order.row[static_cast<std::size_t>(at)];
      std::vector<std::pair<PetscInt, PetscScalar>> row;
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        row.emplace_back(static_cast<PetscInt>(order.position[static_cast<std::size_t>(csr.column_indices[k])]),
                         csr.values[k]);
      std::ranges::sort(row, {}, &std::pair<PetscInt, PetscScalar>::first);
      for (const auto& [column, value] : row) {
        columns.push_back(column);
        values.push_back(value);
      }
      pointers.push_back(static_cast<PetscInt>(columns.size()));
    }
  });
  Mat a = nullptr;
  MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, pointers.data(),
                            columns.data(), values.data(), &a);
  return a;
}

void compare(const Communicator& ranks, const Matrix& matrix) {
  const Placement placement = place(matrix, ranks.size(), 1, true);
  const std::int64_t begin = placement.order.first[static_cast<std::size_t>(ranks.rank())];
  const auto iteration = ours(ranks.handle(), local_part(matrix, placement, ranks.rank()));
  Mat a = theirs(matrix, placement, ranks.rank());
  Vec x = nullptr, y = nullptr;
  MatCreateVecs(a, &x, &y);
  PetscScalar* entries = nullptr;
  const auto fill = [&] {
    const std::span<double> own = iteration->own();
    VecGetArray(x, &entries);
    for (std::size_t k = 0; k < own.size(); ++k)
      own[k] = entries[k] = start_value(begin + static_cast<std::int64_t>(k));
    VecRestoreArray(x, &entries);
  };
  fill();
  iteration->step();
  MatMult(a, x, y);
  double distance = 0, size = 0;
  VecGetArray(y, &entries);
  for (std::size_t k = 0; k < iteration->own().size(); ++k) {
    distance = std::max(distance, std::abs(iteration->own()[k] - entries[k]));
    size = std::max(size, std::abs(entries[k]));
  }
  VecRestoreArray(y, &entries);
  const double error = ranks.max(distance) / std::max(1e-300, ranks.max(size));

  const auto batch = [&](int times, const auto& product) {
    fill();
    MPI_Barrier(ranks.handle());
    const double start = MPI_Wtime();
    for (int k = 0; k < times; ++k) product();
    return ranks.max(MPI_Wtime() - start) / times;
  };
  const auto step = [&] { iteration->step(); };
  const auto mat_mult = [&] { MatMult(a, x, y); };
  // Few enough that the iterates of an unscaled matrix stay finite: the values do not matter, but infinities would.
  const int times = std::clamp(static_cast<int>(0.004 / ranks.max(batch(2, step))), 2, 40);
  std::vector<double> us, them;
  for (int k = 0; k < 41; ++k) {
    us.push_back(batch(times, step));
    them.push_back(batch(times, mat_mult));
  }
  if (ranks.rank() == 0)
    fmt::print("{:<32} {:>9} {:>10} {:>3}  {:>10.2f} {:>10.2f} {:>6.2f}  {:.1e}\n", matrix.name(), matrix.rows(),
               matrix.nonzeros(), ranks.size(), 1e6 * calibration::half_sample_mode(us),
               1e6 * calibration::half_sample_mode(them),
               calibration::half_sample_mode(them) / calibration::half_sample_mode(us), error);
  MatDestroy(&a);
  VecDestroy(&x);
  VecDestroy(&y);
}

Matrix generated(const char* kind, std::int64_t rows, double row_length, const MatrixParameters& parameters) {
  MatrixSpec spec;
  spec.kind = kind;
  spec.rows = rows;
  spec.row_length = row_length;
  spec.parameters = parameters;
  spec.seed = 3;
  return generate(spec, 1);
}

}  // namespace

int main(int argc, char** argv) {
  PetscInitializeNoArguments();
  int status = 0;
  try {
    const Communicator ranks(PETSC_COMM_WORLD);
    if (ranks.rank() == 0)
      fmt::print("{:<32} {:>9} {:>10} {:>3}  {:>10} {:>10} {:>6}  {}\n", "matrix", "rows", "non-zeros", "P",
                 "l1dr (us)", "PETSc (us)", "ratio", "difference");
    if (argc > 1) {
      for (int k = 1; k < argc; ++k) compare(ranks, read_matrix(argv[k], {.threads = 1}));
    } else {
      compare(ranks, generated("poisson2d", 0, 0, {.size = 400}));
      compare(ranks, generated("geometric", 150000, 7, ""));
      compare(ranks, generated("rmat", 0, 0, {.scale = 16, .edges = 800000}));
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-cluster-petsc: {}\n", error.what());
    status = 1;
    MPI_Abort(PETSC_COMM_WORLD, status);
  }
  PetscFinalize();
  return status;
}
