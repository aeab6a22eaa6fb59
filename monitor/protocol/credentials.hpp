// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "monitor/protocol/messages.hpp"

namespace placement {

// Who may join: credentials that say which user made them, and that only one user can read.
class Credentials {
 public:
  enum class Fault : std::uint8_t {
    none,
    invalid,     // no credential, or of another cluster's key
    clock_skew,  // made in the future or too long ago, as this host's clock sees it
    replayed,
    wrong_user,  // made by another user, or not for this one
    no_service,  // the authentication service does not answer
  };
  struct Decoded {
    Fault fault = Fault::none;
    Bytes payload{};  // only without a fault
    uid_t maker{};    // the user who made it, only without a fault
  };

  virtual ~Credentials() = default;
  // None when the service does not answer; why() says more.
  virtual std::optional<std::string> encode(ByteView payload) = 0;
  virtual Decoded decode(const std::string& credential) = 0;
  // About the last call that failed.
  virtual std::string why() const = 0;
};

// A service that does not answer makes its caller wait, each time that it is asked. Nobody asks it again
// before several times that wait are past, so that a caller with other things to do does them.
class ServiceSilence {
 public:
  bool may_ask(double now_s) const { return !(now_s < until_s_); }
  void failed(double asked_s, double now_s);
  void answered() { until_s_ = 0; }

 private:
  double until_s_ = 0;
};

// Whose credentials are accepted.
enum class Makers : std::uint8_t { same_user, anybody };

// By munge, encrypted, for the user `uid` alone to read, and accepted of that user alone or of anybody. An empty
// socket is munge's own default. Throws Error when munge cannot do it.
std::unique_ptr<Credentials> munge_credentials(uid_t uid, const std::string& socket, Makers makers = Makers::same_user);

}  // namespace placement
