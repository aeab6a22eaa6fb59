// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state/snapshot.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "common/state/node_fields.hpp"
#include "common/util/bytes.hpp"
#include "common/util/error.hpp"
#include "common/util/file_descriptor.hpp"
#include "common/util/input_file.hpp"
#include "common/util/replace_file.hpp"

namespace placement {

namespace {

constexpr char magic[8] = {'S', 'P', 'L', 'I', 'V', 'E', '\r', '\n'};
constexpr std::uint32_t snapshot_version = 1;
constexpr std::uint32_t byte_order = 0x01020304;
constexpr std::uint32_t max_name_bytes = max_live_nodes * 64;

struct Header {
  char magic[8];
  std::uint32_t byte_order;
  std::uint32_t version;
  std::uint64_t checksum;  // of the whole file, computed with 0 in this field
  std::uint64_t file_bytes;
  std::int64_t published_at_s;
  double outage_horizon_s;
  std::uint32_t node_fields;  // numbers per node, which differ between versions of NodeState
  std::uint32_t nodes;
  std::uint32_t name_bytes;
  std::uint32_t groups;
  std::uint32_t latency_nodes;    // number of nodes with a latency: 0, or `nodes`
  std::uint32_t bandwidth_nodes;  // number of nodes with a bandwidth: 0, or `nodes`
  std::uint32_t forecast_groups;  // number of groups with forecasts of their pairs: 0, or `groups`
  std::uint32_t zero;
};
static_assert(std::has_unique_object_representations_v<std::uint64_t> && sizeof(Header) == 80);

struct NodeRecord {
  std::uint32_t name_bytes;
  std::uint32_t liveness;
  std::int64_t outages;
  double values[node_fields.size()];
};
static_assert(sizeof(NodeRecord) == 16 + 8 * node_fields.size());

// Finds the offset of each part of a file in turn. Each starts at a multiple of snapshot_alignment.
struct Layout {
  // Adds a part of `count` values and returns its offset.
  template <typename T>
  std::size_t place(std::size_t count) {
    const std::size_t at = (end + snapshot_alignment - 1) / snapshot_alignment * snapshot_alignment;
    end = at + count * sizeof(T);
    return at;
  }

  std::size_t end = sizeof(Header);  // the end of the last part so far
};

// Calls part(VALUES, COUNT) for each array of the pairs, in the order of the file. COUNT follows from the header.
template <typename Pairs, typename Part>
void for_each_array(const Header& header, Pairs& pairs, const Part& part) {
  const std::size_t cells = std::size_t{header.groups} * header.groups,
                    forecasts = std::size_t{header.forecast_groups} * header.forecast_groups;
  part(pairs.group_of_node, header.groups > 0 ? header.nodes : 0);
  part(pairs.latency_us, cells);
  part(pairs.bandwidth_Bps, cells);
  part(pairs.peak_bandwidth_Bps, cells);
  part(pairs.source, cells);
  part(pairs.age_s, cells);
  part(pairs.node_latency_us, header.latency_nodes);
  part(pairs.node_bandwidth_Bps, header.bandwidth_nodes);
  part(pairs.latency_error_us, forecasts);
  part(pairs.bandwidth_error_Bps, forecasts);
  part(pairs.latency_predictor, forecasts);
  part(pairs.bandwidth_predictor, forecasts);
}

// Returns the size of a file with this header.
std::size_t bytes_of(const Header& header) {
  Layout layout;
  layout.place<NodeRecord>(header.nodes);
  layout.place<char>(header.name_bytes);
  const PairTable none;
  for_each_array(header, none, [&]<typename T>(std::span<const T>, std::size_t count) { layout.place<T>(count); });
  return layout.end;
}

// Returns the `count` values of the part at the offset `at`. They stay in `bytes`. Throws Error if it is too short.
template <typename T>
std::span<const T> part_of(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  if (at > bytes.size() || count > (bytes.size() - at) / sizeof(T))
    throw Error("a part of the snapshot is behind its end");
  return {reinterpret_cast<const T*>(bytes.data() + at), count};
}

// Returns the size of the largest file with this number of nodes. A larger file is not read.
std::size_t max_file_bytes(std::size_t nodes) {
  const auto most = static_cast<std::uint32_t>(std::min(nodes, max_live_nodes));
  Header header{};
  header.nodes = header.latency_nodes = header.bandwidth_nodes = most;
  header.name_bytes = std::min<std::uint32_t>(max_name_bytes, most * 255);
  header.groups = header.forecast_groups = std::min<std::uint32_t>(max_pair_groups, most);
  return bytes_of(header);
}

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  Header header = ByteReader(bytes).value<Header>().value();
  header.checksum = 0;
  return checksum(std::as_bytes(std::span(&header, 1))) ^ checksum(bytes.subspan(sizeof header));
}

NodeRecord record_of(const NodeState& node) {
  NodeRecord record{
      static_cast<std::uint32_t>(node.name.size()), static_cast<std::uint32_t>(node.liveness), node.outages, {}};
  for (std::size_t f = 0; f < node_fields.size(); ++f) record.values[f] = node_fields[f].get(node);
  return record;
}

Header header_of(const LiveState& state) {
  Header header{};
  std::copy(std::begin(magic), std::end(magic), header.magic);
  header.byte_order = byte_order;
  header.version = snapshot_version;
  header.published_at_s = state.published_at_s;
  header.outage_horizon_s = state.outage_horizon_s;
  header.node_fields = node_fields.size();
  header.nodes = static_cast<std::uint32_t>(state.nodes.size());
  std::size_t name_bytes = 0;
  for (const NodeState& node : state.nodes) name_bytes += node.name.size();
  if (name_bytes > max_name_bytes)
    throw Error("the names of the nodes have " + std::to_string(name_bytes) + " letters: at most " +
                std::to_string(max_name_bytes) + " are possible");
  header.name_bytes = static_cast<std::uint32_t>(name_bytes);
  header.groups = static_cast<std::uint32_t>(state.pairs.groups);
  header.latency_nodes = static_cast<std::uint32_t>(state.pairs.node_latency_us.size());
  header.bandwidth_nodes = static_cast<std::uint32_t>(state.pairs.node_bandwidth_Bps.size());
  header.forecast_groups = state.pairs.latency_predictor.empty() ? 0 : header.groups;
  return header;
}

[[noreturn]] void fail(const std::string& text) { throw Error("no usable snapshot: " + text); }

Header checked_header(std::span<const std::byte> bytes) {
  const auto found = ByteReader(bytes).value<Header>();
  if (!found) fail(std::to_string(bytes.size()) + " bytes are too few");
  const Header& header = *found;
  if (!std::equal(std::begin(magic), std::end(magic), header.magic)) fail("it does not start as a snapshot does");
  if (header.byte_order != byte_order) fail("it is of a machine with another order of bytes");
  if (header.version != snapshot_version || header.node_fields != node_fields.size())
    fail("it was written by another version (" + std::to_string(header.version) + ", " +
         std::to_string(header.node_fields) + " numbers per node)");
  const auto all_or_none = [&](std::uint32_t count) { return count == 0 || count == header.nodes; };
  if (header.nodes > max_live_nodes || header.name_bytes > max_name_bytes ||
      header.groups > static_cast<std::uint32_t>(max_pair_groups) || !all_or_none(header.latency_nodes) ||
      !all_or_none(header.bandwidth_nodes) ||
      (header.forecast_groups != 0 && header.forecast_groups != header.groups) || header.zero != 0)
    fail("its counts are impossible");
  if (header.file_bytes != bytes.size() || bytes_of(header) != bytes.size())
    fail("it has " + std::to_string(bytes.size()) + " bytes, but its counts require " +
         std::to_string(bytes_of(header)));
  if (checksum_of(bytes) != header.checksum) fail("its checksum is wrong");
  return header;
}

NodeState node_of(const NodeRecord& record, std::string_view name) {
  NodeState node;
  node.name = name;
  if (record.liveness >= liveness_names.size()) fail("unknown liveness " + std::to_string(record.liveness));
  node.liveness = static_cast<Liveness>(record.liveness);
  node.outages = record.outages;
  for (std::size_t f = 0; f < node_fields.size(); ++f) node_fields[f].set(node, record.values[f]);
  return node;
}

std::vector<NodeState> read_nodes(std::span<const std::byte> bytes, const Header& header, Layout& layout) {
  std::vector<NodeState> nodes;
  nodes.reserve(header.nodes);
  const auto records = part_of<NodeRecord>(bytes, layout.place<NodeRecord>(header.nodes), header.nodes);
  const auto letters = part_of<char>(bytes, layout.place<char>(header.name_bytes), header.name_bytes);
  std::string_view names(letters.data(), letters.size());
  for (const NodeRecord& record : records) {
    if (record.name_bytes > names.size()) fail("the names of the nodes are longer than the records state");
    nodes.push_back(node_of(record, names.substr(0, record.name_bytes)));
    names.remove_prefix(record.name_bytes);
  }
  if (!names.empty()) fail("the names of the nodes are shorter than the records state");
  return nodes;
}

struct AlignedDelete {
  void operator()(std::byte* bytes) const { ::operator delete (bytes, std::align_val_t{snapshot_alignment}); }
};

std::shared_ptr<std::byte> aligned_bytes(std::size_t size) {
  return {
      static_cast<std::byte*>(::operator new (std::max<std::size_t>(size, 1), std::align_val_t{snapshot_alignment})),
      AlignedDelete{}};
}

void read_all(const std::string& path, int file, std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t got = pread(file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_errno(path, "cannot be read");
    if (got == 0) throw Error(path + ": was cut short while it was read");
    at += static_cast<std::size_t>(got);
  }
}

}  // namespace

std::vector<std::byte> encode_snapshot(const LiveState& state) {
  check_live_state(state);
  Header header = header_of(state);
  std::vector<std::byte> bytes(bytes_of(header));
  header.file_bytes = bytes.size();
  std::vector<NodeRecord> records;
  std::string names;
  for (const NodeState& node : state.nodes) {
    records.push_back(record_of(node));
    names += node.name;
  }
  Layout layout;
  const auto put = [&]<typename T>(std::span<const T> values, std::size_t count) {
    std::ranges::copy(std::as_bytes(values), bytes.begin() + static_cast<std::ptrdiff_t>(layout.place<T>(count)));
  };
  put(std::span<const NodeRecord>(records), records.size());
  put(std::span<const char>(names), names.size());
  for_each_array(header, state.pairs, put);
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum = checksum_of(bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

LiveState decode_snapshot(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  const Header header = checked_header(bytes);
  Layout layout;
  LiveState state;
  state.published_at_s = header.published_at_s;
  state.outage_horizon_s = header.outage_horizon_s;
  state.nodes = read_nodes(bytes, header, layout);
  state.pairs.groups = static_cast<std::int32_t>(header.groups);
  for_each_array(header, state.pairs, [&]<typename T>(std::span<const T>& values, std::size_t count) {
    values = part_of<T>(bytes, layout.place<T>(count), count);
  });
  state.pairs.owner = std::move(owner);
  try {
    check_live_state(state);
  } catch (const Error& error) {
    fail(error.what());
  }
  return state;
}

LiveState decode_snapshot(std::string_view bytes) {
  const std::shared_ptr<std::byte> copy = aligned_bytes(bytes.size());
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  return decode_snapshot({copy.get(), bytes.size()}, copy);
}

void write_snapshot(const std::string& path, const LiveState& state, std::optional<uid_t> only_for) {
  const std::vector<std::byte> bytes = encode_snapshot(state);
  // fsync is not needed: after a crash of the machine the data are too old anyway, and a broken file is rejected.
  replace_file(path, bytes, [only_for](int file) {
    return only_for ? *only_for == 0 || let_user_read(file, *only_for) : fchmod(file, 0644) == 0;
  });
}

LiveState read_snapshot(const std::string& path, std::span<const uid_t> owners, std::size_t max_nodes) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file < 0) fail_errno(path, "cannot be opened");
  struct stat status {};
  if (fstat(file, &status) != 0) fail_errno(path, "cannot be examined");
  require_trusted(path, status, owners);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > max_file_bytes(max_nodes))
    throw Error(path + ": " + std::to_string(size) + " bytes are more than a snapshot of " + std::to_string(max_nodes) +
                " nodes has");
  const std::shared_ptr<std::byte> bytes = aligned_bytes(size);
  read_all(path, file, {bytes.get(), size});
  return naming_file(path, [&] { return decode_snapshot({bytes.get(), size}, bytes); });
}

}  // namespace placement
