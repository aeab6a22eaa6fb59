// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "monitor/protocol/messages.hpp"

namespace placement::protocol {

// Looks up the address of a host in a thread of its own. The resolver may block for many seconds, and the loop of a
// daemon must not.
class AddressLookup {
 public:
  // Begins to look up a host name or numeric address. A lookup that was begun before must have been taken.
  void begin(const std::string& host, std::uint16_t port);
  // Returns whether a lookup was begun and not taken yet.
  bool begun() const { return result_ != nullptr; }
  // Returns false while the lookup goes on. When it is over, returns true once, and sets `address` to the first address
  // of the host, or to none.
  bool take(std::optional<NetAddress>& address);

 private:
  struct Result {
    std::atomic<bool> over = false;
    std::optional<NetAddress> address;
  };
  std::shared_ptr<Result> result_;  // shared with the thread, which may outlive this object
};

}  // namespace placement::protocol
