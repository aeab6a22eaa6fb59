// SPDX-License-Identifier: GPL-2.0-or-later
#include "mpi/traffic.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstring>

#include "common/util/file_descriptor.hpp"
#include "common/util/error.hpp"

namespace placement::mpi {
namespace {

constexpr char table_magic[8] = {'p', 'l', 'c', 't', 'r', 'a', 'f', '1'};

}  // namespace

Traffic::Traffic(std::int32_t rank, std::int32_t ranks, std::uint64_t run, const std::string& path) {
  mapped_bytes_ = sizeof(Header) + sizeof(Counter) * traffic_kinds * ranks;
  void* memory = MAP_FAILED;
  if (path.empty()) {
    memory = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) fail_errno("the table of counters", "no memory");
  } else {
    // An existing file is replaced by a new one, because another program may have the old one mapped.
    unlink(path.c_str());
    const FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (file < 0) fail_errno(path, "cannot make the table of counters");
    // Disk space is allocated at once. Without it a full disk would cause a signal at a later message instead of an
    // error here.
    const int error = posix_fallocate(file, 0, static_cast<off_t>(mapped_bytes_));
    if (error != 0) {
      unlink(path.c_str());
      fail_errno(path, "no room for the counters", error);
    }
    memory = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) fail_errno(path, "cannot map the table of counters");
  }
  header_ = static_cast<Header*>(memory);
  counters_ = reinterpret_cast<Counter*>(header_ + 1);
  std::memcpy(header_->magic, table_magic, sizeof table_magic);
  header_->rank = static_cast<std::uint32_t>(rank);
  header_->ranks = static_cast<std::uint32_t>(ranks);
  header_->run = run;
}

std::unique_ptr<const Traffic> Traffic::left_behind(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) fail_errno(path, "cannot read");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < sizeof(Header))
    throw Error(path + ": " + std::to_string(size) + " bytes are too few for a table of counters");
  std::unique_ptr<Traffic> table(new Traffic);
  void* memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) fail_errno(path, "cannot map the table of counters");
  table->mapped_bytes_ = size;
  table->header_ = static_cast<Header*>(memory);
  table->counters_ = reinterpret_cast<Counter*>(table->header_ + 1);
  const Header& header = *table->header_;
  if (std::memcmp(header.magic, table_magic, sizeof table_magic) != 0)
    throw Error(path + ": not a table of counters that this release can read");
  if (header.ranks < 1 || header.ranks > INT32_MAX || header.rank >= header.ranks ||
      size != sizeof(Header) + sizeof(Counter) * traffic_kinds * header.ranks)
    throw Error(path + ": the table of rank " + std::to_string(header.rank) + " of " + std::to_string(header.ranks) +
                " does not have " + std::to_string(size) + " bytes");
  return table;
}

Traffic::~Traffic() {
  if (header_) munmap(header_, mapped_bytes_);
}

// An atomic addition takes several times as long as a plain one, and most programs have one thread in MPI.
void Traffic::bump(std::atomic<std::uint64_t>& counter, std::uint64_t amount) {
  if (threaded_)
    counter.fetch_add(amount, std::memory_order_relaxed);
  else
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

Traffic::Counter& Traffic::counter(TrafficKind kind, std::int32_t peer) const {
  return counters_[static_cast<std::size_t>(kind) * header_->ranks + peer];
}

void Traffic::add(TrafficKind kind, std::int32_t peer, std::uint64_t bytes, std::uint64_t messages) {
  if (messages == 0) return;
  Counter& to = counter(kind, peer);
  // An edge of a topology is made once, in a slice of the sampling or not, and has no mean over time.
  const std::uint64_t weight = kind == TrafficKind::topology ? 1 : this->weight();
  bump(to.bytes, bytes * weight);
  bump(to.messages, messages * weight);
  if (kind == TrafficKind::topology) return;
  if (messages == 1) [[likely]]  // without the division, which would take a third of the time of this function
    bump(header_->sizes[size_class(bytes)], weight);
  else
    bump(header_->sizes[size_class(bytes / messages)], messages * weight);
}

void Traffic::add_outside(std::uint64_t bytes, std::uint64_t messages) {
  bump(header_->outside.bytes, bytes * weight());
  bump(header_->outside.messages, messages * weight());
}

void Traffic::add_time(std::uint64_t ticks) {
  bump(header_->ticks, ticks * weight());
  bump(header_->calls, weight());
}

std::vector<PeerTraffic> Traffic::peers(std::uint32_t kinds) const {
  std::vector<PeerTraffic> found;
  for (std::int32_t peer = 0; peer < ranks(); ++peer) {
    PeerTraffic sum{peer, 0, 0};
    for (std::uint32_t kind = 0; kind < traffic_kinds; ++kind) {
      if (!(kinds >> kind & 1)) continue;
      const Counter& to = counter(static_cast<TrafficKind>(kind), peer);
      sum.bytes += to.bytes;
      sum.messages += to.messages;
    }
    if (sum.messages > 0) found.push_back(sum);
  }
  return found;
}

PeerTraffic Traffic::total(TrafficKind kind) const {
  PeerTraffic sum;
  for (const PeerTraffic& peer : peers(1u << static_cast<std::uint32_t>(kind))) {
    sum.bytes += peer.bytes;
    sum.messages += peer.messages;
  }
  return sum;
}

PeerTraffic Traffic::outside() const { return {-1, header_->outside.bytes, header_->outside.messages}; }

std::uint64_t Traffic::messages() const {
  std::uint64_t sum = 0;
  for (const auto& size : header_->sizes) sum += size.load(std::memory_order_relaxed);
  return sum;
}

std::array<std::uint64_t, Traffic::size_classes> Traffic::sizes() const {
  std::array<std::uint64_t, size_classes> copy{};
  for (std::uint32_t k = 0; k < size_classes; ++k) copy[k] = header_->sizes[k];
  return copy;
}

}  // namespace placement::mpi
