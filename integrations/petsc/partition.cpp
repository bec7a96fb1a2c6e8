// sparsecast-partition: redistributes the rows of a matrix so that processes read little of each other's vectors. The
// matrix stays in its file: a process reads the pattern of its share of the rows, and copies the rows that it is given
// to the new file. Beside that it holds three numbers a row of the whole. PETSc partitions, with PT-Scotch unless
// -mat_partitioning_type says otherwise.

#include <fcntl.h>
#include <petscmat.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace {
constexpr char usage[] =
    "sparsecast-partition: redistributes the rows of a matrix so that processes read little of each other's vectors\n"
    "  mpirun -n PROCESSES sparsecast-partition -f MATRIX -o FILE [-symmetric] [-mat_partitioning_type ptscotch]\n"
    "MATRIX, square and in PETSc's binary format, is written to FILE with its rows and columns in the new order, and\n"
    "behind it the order: the old number of each new row, for vectors. -symmetric: the pattern is its own transpose.\n";

using Numbers = std::vector<PetscInt>;

[[noreturn, gnu::format(printf, 1, 2)]] void give_up(const char* text, ...) {
  va_list words;
  va_start(words, text);
  std::fputs("sparsecast-partition: ", stderr);
  std::vfprintf(stderr, text, words);
  std::fputc('\n', stderr);
  va_end(words);
  MPI_Abort(PETSC_COMM_WORLD, 3);
  std::abort();
}
// PETSc's own handler tells a page.
PetscErrorCode in_one_line(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType,
                           const char* what, void*) {
  // A blank where the error was another library's.
  const auto empty = [](const char* text) { return text == nullptr || text[std::strspn(text, " \n")] == '\0'; };
  if (empty(what)) (void)PetscErrorMessage(code, &what, nullptr);
  if (empty(what)) give_up("error %d of PETSc, which says no more", static_cast<int>(code));
  give_up("%s", what);
}

// Files of PETSc's are big-endian.
PetscInt turned(PetscInt number) {
  auto bytes = std::bit_cast<std::array<char, sizeof number>>(number);
  std::ranges::reverse(bytes);
  return std::bit_cast<PetscInt>(bytes);
}

class File {
 public:
  File(std::string path, int flags) : path_(std::move(path)), handle_(open(path_.c_str(), flags, 0666)) {
    if (handle_ < 0) give_up("%s: %s", path_.c_str(), std::strerror(errno));
  }
  ~File() { close(handle_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] std::int64_t bytes() const {
    struct stat told {};
    fstat(handle_, &told);
    return told.st_size;
  }
  void read(std::int64_t at, char* to, std::size_t count) const {
    for (ssize_t done = 0; count > 0; at += done, to += done, count -= static_cast<std::size_t>(done))
      if ((done = pread(handle_, to, count, at)) <= 0) give_up("%s: cannot be read", path_.c_str());
  }
  [[nodiscard]] Numbers read_numbers(std::int64_t at, std::size_t count) const {
    Numbers numbers(count);
    read(at, reinterpret_cast<char*>(numbers.data()), count * sizeof(PetscInt));
    std::ranges::transform(numbers, numbers.begin(), turned);
    return numbers;
  }
  void clear() const {
    if (ftruncate(handle_, 0) != 0) give_up("%s: %s", path_.c_str(), std::strerror(errno));
  }
  void write(std::int64_t at, const char* from, std::size_t count) const {
    for (ssize_t done = 0; count > 0; at += done, from += done, count -= static_cast<std::size_t>(done))
      if ((done = pwrite(handle_, from, count, at)) <= 0) give_up("%s: %s", path_.c_str(), std::strerror(errno));
  }
  void write_numbers(std::int64_t at, Numbers numbers) const {
    std::ranges::transform(numbers, numbers.begin(), turned);
    write(at, reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(PetscInt));
  }

 private:
  std::string path_;
  int handle_;
};

// Where things lie in a file: four numbers, the lengths of the rows, their columns, their values.
struct Matrix {
  static constexpr std::int64_t number = sizeof(PetscInt), value = sizeof(PetscScalar);

  explicit Matrix(const std::string& path) : file(path, O_RDONLY) {
    constexpr std::int64_t kind = MAT_FILE_CLASSID;
    if (file.bytes() < 4 * number || file.read_numbers(0, 1)[0] != kind)
      give_up("%s: not a PETSc matrix", path.c_str());
    const Numbers told = file.read_numbers(number, 3);
    rows = told[0];
    nonzeros = told[2];
    if (told[1] != told[0]) give_up("%s: not square; one order is for rows and columns", path.c_str());
    if (rows < 1 || nonzeros < 0 || file.bytes() < values_at(nonzeros))
      give_up("%s: shorter than its first numbers say, or of another kind", path.c_str());
    begins.resize(static_cast<std::size_t>(rows) + 1);
    const Numbers lengths = file.read_numbers(lengths_at(0), static_cast<std::size_t>(rows));
    std::inclusive_scan(lengths.begin(), lengths.end(), begins.begin() + 1, std::plus<>(), std::int64_t{0});
    if (std::ranges::min(lengths) < 0 || begins.back() != nonzeros)
      give_up("%s: the lengths of its rows do not add up", path.c_str());
  }
  [[nodiscard]] static std::int64_t lengths_at(std::int64_t row) { return (4 + row) * number; }
  [[nodiscard]] std::int64_t columns_at(std::int64_t entry) const { return (4 + rows + entry) * number; }
  [[nodiscard]] std::int64_t values_at(std::int64_t entry) const { return columns_at(nonzeros) + entry * value; }
  // Columns of the rows [first, last).
  [[nodiscard]] Numbers columns(PetscInt first, PetscInt last) const {
    Numbers all = file.read_numbers(columns_at(begins[first]), static_cast<std::size_t>(begins[last] - begins[first]));
    for (const PetscInt column : all)
      if (column < 0 || column >= rows) give_up("a column is %lld of %lld", 0LL + column, 0LL + rows);
    return all;
  }

  File file;
  PetscInt rows = 0;
  std::int64_t nonzeros = 0;
  std::vector<std::int64_t> begins;
};

int processes() {
  int count = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &count);
  return count;
}
int process() {
  int own = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &own);
  return own;
}
std::int64_t over_all(std::int64_t own, MPI_Op how) {
  std::int64_t all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT64_T, how, PETSC_COMM_WORLD);
  return all;
}
// The first row of each process, and the number of rows: equal shares, as PETSc deals them.
Numbers equal_shares(PetscInt rows) {
  Numbers first(static_cast<std::size_t>(processes()) + 1, 0);
  for (int p = 0; p < processes(); ++p) first[p + 1] = first[p] + rows / processes() + (p < rows % processes() ? 1 : 0);
  return first;
}

// Entries of x that these columns want from other processes than that of the rows [first, last).
std::int64_t halo(Numbers columns, PetscInt first, PetscInt last) {
  std::erase_if(columns, [&](PetscInt column) { return first <= column && column < last; });
  std::ranges::sort(columns);
  return std::unique(columns.begin(), columns.end()) - columns.begin();
}

// Edges (row, column) of this process's rows, and the same the other way round from whoever has the other end.
std::vector<std::pair<PetscInt, PetscInt>> both_ways(const Matrix& matrix, const Numbers& shares,
                                                     const Numbers& columns) {
  const auto owner = [&](PetscInt row) {
    return static_cast<std::size_t>(std::ranges::upper_bound(shares, row) - shares.begin() - 1);
  };
  const PetscInt first = shares[process()], last = shares[process() + 1];
  std::vector<std::vector<PetscInt>> to(processes());
  std::vector<std::pair<PetscInt, PetscInt>> edges;
  std::size_t k = 0;
  for (PetscInt row = first; row < last; ++row)
    for (std::int64_t end = matrix.begins[row + 1] - matrix.begins[first]; static_cast<std::int64_t>(k) < end; ++k) {
      edges.emplace_back(row, columns[k]);
      Numbers& there = to[owner(columns[k])];
      there.insert(there.end(), {columns[k], row});
    }
  std::vector<int> sent, received(processes()), sent_at(processes(), 0), received_at(processes(), 0);
  for (const Numbers& one : to) {
    if (one.size() > std::numeric_limits<int>::max() / to.size()) give_up("too many edges for so few processes");
    sent.push_back(static_cast<int>(one.size()));
  }
  MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, PETSC_COMM_WORLD);
  std::exclusive_scan(sent.begin(), sent.end(), sent_at.begin(), 0);
  std::exclusive_scan(received.begin(), received.end(), received_at.begin(), 0);
  Numbers out, in(static_cast<std::size_t>(received_at.back() + received.back()));
  for (Numbers& one : to) {
    out.insert(out.end(), one.begin(), one.end());
    one = {};
  }
  MPI_Alltoallv(out.data(), sent.data(), sent_at.data(), MPIU_INT, in.data(), received.data(), received_at.data(),
                MPIU_INT, PETSC_COMM_WORLD);
  for (std::size_t i = 0; i < in.size(); i += 2) edges.emplace_back(in[i], in[i + 1]);
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

// The graph of this process's rows without its loops, in memory that PETSc frees.
PetscErrorCode graph_of(const Matrix& matrix, const Numbers& shares, const Numbers& columns, bool symmetric,
                        Mat* graph) {
  const PetscInt first = shares[process()], last = shares[process() + 1];
  PetscInt *begins = nullptr, *others = nullptr, count = 0;
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(last - first + 1, &begins));
  begins[0] = 0;
  if (symmetric) {
    PetscCall(PetscMalloc1(columns.size(), &others));
    for (PetscInt row = first; row < last; ++row) {
      for (std::int64_t k = matrix.begins[row]; k < matrix.begins[row + 1]; ++k)
        if (const PetscInt column = columns[k - matrix.begins[first]]; column != row) others[count++] = column;
      begins[row - first + 1] = count;
    }
  } else {
    const auto edges = both_ways(matrix, shares, columns);
    PetscCall(PetscMalloc1(edges.size(), &others));
    auto edge = edges.begin();
    for (PetscInt row = first; row < last; ++row) {
      for (; edge != edges.end() && edge->first == row; ++edge)
        if (edge->second != row) others[count++] = edge->second;
      begins[row - first + 1] = count;
    }
  }
  PetscCall(MatCreateMPIAdj(PETSC_COMM_WORLD, last - first, matrix.rows, begins, others, nullptr, graph));
  PetscFunctionReturn(0);
}

// The new number of every row, and the new shares.
PetscErrorCode renumber(const Matrix& matrix, const Numbers& shares, Mat graph, Numbers& number, Numbers& dealt) {
  MatPartitioning partitioning = nullptr;
  IS owner = nullptr, numbering = nullptr;
  const PetscInt* own = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatPartitioningCreate(PETSC_COMM_WORLD, &partitioning));
  PetscCall(MatPartitioningSetAdjacency(partitioning, graph));
  PetscCall(MatPartitioningSetFromOptions(partitioning));
  PetscCall(MatPartitioningApply(partitioning, &owner));
  PetscCall(MatPartitioningDestroy(&partitioning));
  dealt.assign(shares.size(), 0);
  PetscCall(ISPartitioningCount(owner, processes(), dealt.data() + 1));
  std::partial_sum(dealt.begin(), dealt.end(), dealt.begin());
  PetscCall(ISPartitioningToNumbering(owner, &numbering));
  PetscCall(ISDestroy(&owner));
  std::vector<int> counts, places(shares.begin(), shares.end() - 1);
  for (int p = 0; p < processes(); ++p) counts.push_back(static_cast<int>(shares[p + 1] - shares[p]));
  number.resize(static_cast<std::size_t>(matrix.rows));
  PetscCall(ISGetIndices(numbering, &own));
  PetscCallMPI(MPI_Allgatherv(own, counts[process()], MPIU_INT, number.data(), counts.data(), places.data(), MPIU_INT,
                              PETSC_COMM_WORLD));
  PetscCall(ISRestoreIndices(numbering, &own));
  PetscCall(ISDestroy(&numbering));
  PetscFunctionReturn(0);
}

// Writes this process's rows; returns the entries of x that they want from others.
std::int64_t copy_rows(const Matrix& matrix, const File& out, const Numbers& number, PetscInt first, PetscInt last) {
  Numbers order(static_cast<std::size_t>(last - first)), lengths, wanted;
  for (PetscInt row = 0; row < matrix.rows; ++row)
    if (first <= number[row] && number[row] < last) order[number[row] - first] = row;
  for (const PetscInt row : order)
    lengths.push_back(static_cast<PetscInt>(matrix.begins[row + 1] - matrix.begins[row]));
  std::int64_t entries = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}), at = 0;
  MPI_Exscan(&entries, &at, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
  if (process() == 0)
    out.write_numbers(0, {MAT_FILE_CLASSID, matrix.rows, matrix.rows, static_cast<PetscInt>(matrix.nonzeros)});
  out.write_numbers(Matrix::lengths_at(first), lengths);
  const std::int64_t behind = matrix.values_at(matrix.nonzeros);
  if (process() == 0) out.write_numbers(behind, {IS_FILE_CLASSID, matrix.rows});
  out.write_numbers(behind + (2 + first) * Matrix::number, order);

  constexpr std::size_t batch = 1 << 20;  // entries that are written at once
  Numbers columns, places;
  std::vector<char> values, row_values;
  const auto write = [&] {
    out.write(matrix.values_at(at), values.data(), values.size());
    out.write_numbers(matrix.columns_at(at), columns);
    at += static_cast<std::int64_t>(columns.size());
    columns.clear();
    values.clear();
  };
  for (const PetscInt row : order) {
    Numbers there = matrix.columns(row, row + 1);
    row_values.resize(there.size() * Matrix::value);
    matrix.file.read(matrix.values_at(matrix.begins[row]), row_values.data(), row_values.size());
    for (PetscInt& column : there) column = number[column];
    places.resize(there.size());
    std::iota(places.begin(), places.end(), 0);
    std::ranges::sort(places, {}, [&](PetscInt k) { return there[k]; });
    for (const PetscInt k : places) {
      columns.push_back(there[k]);
      if (there[k] < first || there[k] >= last) wanted.push_back(there[k]);
      values.insert(values.end(), row_values.data() + k * Matrix::value, row_values.data() + (k + 1) * Matrix::value);
    }
    if (columns.size() >= batch) write();
  }
  write();
  return halo(std::move(wanted), first, last);
}

PetscErrorCode partition(const std::string& in, const std::string& out, bool symmetric) {
  Mat graph = nullptr;
  Numbers number, dealt;
  std::int64_t before = 0;
  PetscFunctionBeginUser;
  const Matrix matrix(in);
  const Numbers shares = equal_shares(matrix.rows);
  {
    const PetscInt first = shares[process()], last = shares[process() + 1];
    Numbers columns = matrix.columns(first, last);
    PetscCall(graph_of(matrix, shares, columns, symmetric, &graph));
    before = halo(std::move(columns), first, last);
  }
  PetscCall(renumber(matrix, shares, graph, number, dealt));
  PetscCall(MatDestroy(&graph));
  const std::string part = out + ".part";
  std::int64_t after = 0;
  {
    const File file(part, O_WRONLY | O_CREAT);
    // One that an ended run left may be longer, and its tail would become part of the answer.
    if (process() == 0) file.clear();
    MPI_Barrier(PETSC_COMM_WORLD);
    after = copy_rows(matrix, file, number, dealt[process()], dealt[process() + 1]);
  }
  MPI_Barrier(PETSC_COMM_WORLD);
  if (process() == 0 && std::rename(part.c_str(), out.c_str()) != 0)
    give_up("%s: %s", out.c_str(), std::strerror(errno));
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const std::int64_t most = over_all(dealt[process() + 1] - dealt[process()], MPI_MAX);
  const std::int64_t all_before = over_all(before, MPI_SUM), all_after = over_all(after, MPI_SUM);
  const std::int64_t most_before = over_all(before, MPI_MAX), most_after = over_all(after, MPI_MAX);
  const double peak = 1024e-9 * static_cast<double>(over_all(used.ru_maxrss, MPI_SUM));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%lld rows, at most %lld for a process; memory of all at most %.1f GB\n"
                        "entries of x from other processes: %lld instead of %lld, at most %lld instead of %lld for a "
                        "process\n",
                        0LL + matrix.rows, 0LL + most, peak, 0LL + all_after, 0LL + all_before, 0LL + most_after,
                        0LL + most_before));
  PetscFunctionReturn(0);
}

// A mistyped option is not passed over in silence. PETSc's own are asked for as they are needed, so that what nobody
// asked for is known at the end.
PetscErrorCode tell_unused_options() {
  PetscInt count = 0;
  char **names = nullptr, **values = nullptr;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsLeftGet(nullptr, &count, &names, &values));
  for (PetscInt k = 0; k < count && process() == 0; ++k)
    std::fprintf(stderr, "sparsecast-partition: option -%s is not known here, and changed nothing\n", names[k]);
  PetscCall(PetscOptionsLeftRestore(nullptr, &count, &names, &values));
  PetscFunctionReturn(0);
}
}  // namespace

int main(int argc, char** argv) {
  std::array<char, PETSC_MAX_PATH_LEN> in{}, out{};
  PetscBool has_in = PETSC_FALSE, has_out = PETSC_FALSE, symmetric = PETSC_FALSE;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, usage));
  PetscCall(PetscPushErrorHandler(in_one_line, nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-f", in.data(), in.size(), &has_in));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-o", out.data(), out.size(), &has_out));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-symmetric", &symmetric, nullptr));
  if (!has_in || !has_out) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", usage));
    PetscCall(PetscFinalize());
    return 2;
  }
  PetscCall(partition(in.data(), out.data(), symmetric == PETSC_TRUE));
  PetscCall(tell_unused_options());
  return PetscFinalize();
}
