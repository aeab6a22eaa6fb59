// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor/protocol/address_lookup.hpp"

#include <system_error>
#include <thread>

#include "monitor/protocol/udp.hpp"

namespace placement::protocol {

void AddressLookup::begin(const std::string& host, std::uint16_t port) {
  result_ = std::make_shared<Result>();
  const auto look_up = [result = result_, host, port] {
    result->address = resolve(host, port);
    result->over = true;
  };
  try {
    std::thread(look_up).detach();
  } catch (const std::system_error&) {  // no thread can be made now
    look_up();
  }
}

bool AddressLookup::take(std::optional<NetAddress>& address) {
  if (!result_ || !result_->over) return false;
  address = result_->address;
  result_.reset();
  return true;
}

}  // namespace placement::protocol
