#include "cluster/rank/communicator.hpp"

#include <new>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/guard/parse_json.hpp"
#include "cluster/launch/job.hpp"

namespace sparsecast::cluster {
namespace {
template <class T>
T reduced(T value, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  T out{};
  MPI_Allreduce(&value, &out, 1, type, operation, comm);
  return out;
}
}  // namespace

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
}

std::int64_t Communicator::sum(std::int64_t value) const { return reduced(value, MPI_INT64_T, MPI_SUM, comm_); }
std::int64_t Communicator::max(std::int64_t value) const { return reduced(value, MPI_INT64_T, MPI_MAX, comm_); }
double Communicator::max(double value) const { return reduced(value, MPI_DOUBLE, MPI_MAX, comm_); }

std::int64_t Communicator::sum_below(std::int64_t value) const {
  std::int64_t out = 0;
  MPI_Exscan(&value, &out, 1, MPI_INT64_T, MPI_SUM, comm_);
  return rank_ == 0 ? 0 : out;
}

#ifdef SPARSECAST_SIMULATION
int Communicator::nodes() const { return 0; }
#else
int Communicator::nodes() const {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
  int on_node = 0;
  MPI_Comm_rank(node, &on_node);
  MPI_Comm_free(&node);
  return static_cast<int>(sum(on_node == 0 ? 1 : 0));
}
#endif

std::vector<std::int64_t> Communicator::gather_to_all(std::int64_t value) const {
  std::vector<std::int64_t> out(static_cast<std::size_t>(size_));
  MPI_Allgather(&value, 1, MPI_INT64_T, out.data(), 1, MPI_INT64_T, comm_);
  return out;
}

std::string Communicator::broadcast(std::string text, int from) const {
  auto length = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&length, 1, MPI_INT64_T, from, comm_);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, from, comm_);
  return text;
}

std::vector<std::int64_t> Communicator::exchange_bytes(const void* send, const std::vector<std::int64_t>& counts,
                                                       std::int64_t element, Array<char>& received) const {
  const auto n = static_cast<std::size_t>(size_);
  std::vector<std::int64_t> from(n);
  MPI_Alltoall(counts.data(), 1, MPI_INT64_T, from.data(), 1, MPI_INT64_T, comm_);
  std::vector<int> send_bytes(n), send_at(n), receive_bytes(n), receive_at(n);
  std::int64_t out = 0, in = 0;
  for (std::size_t q = 0; q < n; ++q) {
    send_at[q] = static_cast<int>(out);
    receive_at[q] = static_cast<int>(in);
    send_bytes[q] = static_cast<int>(counts[q] * element);
    receive_bytes[q] = static_cast<int>(from[q] * element);
    out += counts[q] * element;
    in += from[q] * element;
  }
  agreed([&] {
    if (out > INT32_MAX || in > INT32_MAX)
      throw Error(ErrorCode::failed, "a rank would exchange more than 2 GiB at once", {}, "use more processes");
    received.resize(static_cast<std::size_t>(in));
  });
  MPI_Alltoallv(send, send_bytes.data(), send_at.data(), MPI_BYTE, received.data(), receive_bytes.data(),
                receive_at.data(), MPI_BYTE, comm_);
  return from;
}

void Communicator::agreed(const std::function<void()>& step) const {
  std::optional<Error> mine;
  try {
    step();
  } catch (const Error& error) {
    mine = error;
  } catch (const std::bad_alloc&) {
    mine = Error(ErrorCode::failed, "rank " + std::to_string(rank_) + " is out of memory", {},
                 "use more processes or nodes");
  }
  const int lowest = reduced(mine ? rank_ : size_, MPI_INT, MPI_MIN, comm_);
  if (lowest == size_) return;
  const std::string text = broadcast(mine ? base::json_text(error_json(*mine)) : std::string(), lowest);
  throw error_from(nlohmann::ordered_json::parse(text));
}
}  // namespace sparsecast::cluster
