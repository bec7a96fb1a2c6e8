#pragma once
// What the models know of one block (a rank's local product) and of all blocks of a matrix in one scheme.

#include <functional>

#include "cluster/scheme/local_block.hpp"

namespace sparsecast::cluster {
// What every rank would hold and send, worked out on one process from the whole matrix: the base of the forecasts and
// of the simulations. The rank program comes to the same blocks from the file (rank/assembly.hpp).

struct Message {
  int rank = 0;
  std::int64_t count = 0;  ///< entries of x
};

struct RankPart {
  int rank = 0;
  std::int64_t rows = 0;               ///< 2du: of a piece (Grid), padding included
  CsrBlock own, remote;                ///< remote: l1dr only, its columns are the received entries
  std::vector<Message> receives;       ///< l1dr only
  std::vector<std::int64_t> received;  ///< l1dr only: positions (RowOrder) of the received entries
};

/// 2du: seed of the permutation. g1dr, l1dr: the order of the rows (2du ignores it).
struct Placement {
  int processes = 1;
  std::uint64_t seed = 1;
  RowOrder order;
};
/// Partitions where one of the schemes needs it.
Placement place(const Matrix& matrix, int processes, std::uint64_t seed, bool with_partition);

/// Calls visit for every rank in turn; only one part (2du: one row of blocks) is in memory at a time.
void for_each_part(const Matrix& matrix, Scheme scheme, const Placement& placement,
                   const std::function<void(const RankPart&)>& visit);

/// What one rank does in a simulated iteration: the measured seconds of its local products and its messages. The
/// command writes one line per rank into loads-K.txt; every rank reads its own.
struct SimulatedLoad {
  std::int64_t rows = 0;  ///< rows of this rank; 2du: of a piece (Grid)
  double pack_s = 0, own_s = 0, remote_s = 0;
  std::vector<Message> receives, sends;  ///< l1dr only
};

std::string to_line(const SimulatedLoad& load);
/// Error bad_input for anything else.
SimulatedLoad parse_load(std::string_view line);

// Cache friendliness of the irregular accesses (Hossain & Saule, section III-C): the matrix is traversed in order, x
// goes through a fully associative LRU cache of whole lines, and what is not there is a miss. Unlike the paper's, the
// second traversal counts, because an iterated product finds in the cache what the one before left there.

inline constexpr std::int64_t line_bytes = 64;

/// Reads of x, whose entries take so many bytes, that miss a cache of so many lines, in the second traversal of the
/// block. 0 without a simulation where all of x fits.
std::int64_t x_misses(const CsrBlock& block, std::int64_t cache_lines, std::int64_t entry_bytes = 8);

// How unequal shares of x slow down their gathering. MPIs gather long vectors by neighbour exchange (Chen and others,
// "Performance evaluation of allgather algorithms on terascale Linux cluster with fast Ethernet", 2005; Open MPI's
// choice for even counts): in every step each rank hands its left or right neighbour what the other one brought before.
// A large share is in every step's way.

/// Bytes that one rank at most has waited for, one message after the other, until all shares are everywhere; of equal
/// shares all but one of them. An odd count takes a ring. 0 for a single rank.
double longest_exchange(std::span<const double> share_bytes);

/// Sizes in bytes of what one busy core has of each level; the last is its share of the last-level cache.
struct CacheShare {
  std::array<std::int64_t, 3> bytes{32 << 10, 1 << 20, 2 << 20};
};

struct BlockFeatures {
  double rows = 0, columns = 0, nonzeros = 0;
  double listed_rows = 0;     ///< rows where only the listed ones are visited (CsrBlock::filled_rows), else 0
  double length_changes = 0;  ///< rows of another length than the row above: each may cost a mispredicted branch
  double length_bits = 0;     ///< information in the row lengths, given the length of the row above
  double chained_nonzeros =
      0;  ///< those of each row beyond its first 16 (chain_free): every addition waits for the one before
  std::array<double, 3> misses{};  ///< reads of x beyond each level of CacheShare
  double value_bytes = 8;          ///< of an entry's value and of an entry of x
};
/// Additions of one row that overlap those of the rows around it in a core that looks some hundred instructions ahead.
inline constexpr std::int32_t chain_free = 16;
/// `reuse` false leaves the misses at zero: they are what takes time.
BlockFeatures block_features(const CsrBlock& block, const CacheShare& caches, bool reuse = true,
                             Precision precision = Precision::double_);

/// Bytes of a block's entries, and with its share of both vectors.
double stored_bytes(const BlockFeatures& block, LocalFormat format);
double footprint_bytes(const BlockFeatures& block, LocalFormat format);
/// Share of a stream that comes from beyond a cache: none where there is half as much, all from twice as much on.
double share_beyond(double bytes, double capacity);

/// One rank of one scheme: its local products and its messages.
struct RankFeatures {
  BlockFeatures own, remote;
  double received = 0, sent = 0;  ///< entries of x, l1dr only
  int sources = 0;                ///< ranks that they come from
};

/// What the messages load most, in l1dr but for gathered_bytes: ranks of the same node are near, others far.
struct MessageLoad {
  double messages = 0;        ///< most messages that one rank receives
  double near_bytes = 0;      ///< most bytes that one rank receives from its own node
  double far_bytes = 0;       ///< … from other nodes
  double node_bytes = 0;      ///< most bytes that all ranks of one node together receive from other nodes
  double gathered_bytes = 0;  ///< g1dr: what one rank waits for until it has all of x (longest_exchange)
};

/// Numbers in SchemeFeatures::attributes.
constexpr std::size_t attribute_count(Scheme scheme) { return scheme == Scheme::local_rows ? 9 : 5; }

/// Everything a cluster model may know of a matrix on P processes in one scheme.
struct SchemeFeatures {
  Scheme scheme = Scheme::local_rows;
  int processes = 1;
  std::int64_t rows = 0, nonzeros = 0;  ///< of the whole matrix
  double row_std = 0;                   ///< deviation of the non-zeros per row
  std::vector<RankFeatures> ranks;
  MessageLoad load;
  std::vector<double> attributes;  ///< of the paper's regression (section III-B), in its order; four more for l1dr
  /// By LocalFormat: seconds of the slowest rank's product by the node's own profile (node_time.hpp); 0: not known.
  std::array<double, 2> node_s{};
  Precision precision = Precision::double_;  ///< of values, vectors and messages

  /// The heaviest ranks alone, which decide the time of an iteration; attributes and load stay those of all.
  [[nodiscard]] SchemeFeatures thinned(std::size_t ranks_kept) const;
};
/// Ranks fill nodes in order, cores_per_node on each. From 64 processes on the reuse of x is simulated for one in so
/// many ranks that 32 to 63 are; the ranks between them take their share of misses.
SchemeFeatures scheme_features(const Matrix& matrix, Scheme scheme, const Placement& placement,
                               const CacheShare& caches, int cores_per_node, Precision precision = Precision::double_);

// TimedBlock: a rank's local product and its time, as cluster profiles keep them.

/// A local product that was timed: what the core models are fitted to.
struct TimedBlock {
  LocalFormat format = LocalFormat::csr;
  BlockFeatures features;
  double seconds = 0;
  std::string matrix = {};  ///< that it is a part of; empty where a profile does not tell
};
}  // namespace sparsecast::cluster
