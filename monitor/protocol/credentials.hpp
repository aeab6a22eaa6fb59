// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "monitor/protocol/messages.hpp"

namespace placement::protocol {

// Credentials decide which process may start a session. A credential proves who made it, and only one user can read it.
class Credentials {
 public:
  struct Decoded {
    Refusal refused = Refusal::none;
    Bytes payload{};  // these two are set only if the credential is accepted
    uid_t maker{};    // the user who made the credential
  };

  virtual ~Credentials() = default;
  // Returns a credential that contains `payload`. Returns none when the service fails; why() then gives the reason.
  virtual std::optional<std::string> encode(ByteView payload) = 0;
  // Returns the payload and the maker of `credential`, or the reason why it is not accepted.
  virtual Decoded decode(const std::string& credential) = 0;
  // Returns the reason for which the most recent failed call failed.
  virtual std::string why() const = 0;
};

// If a service does not answer, each request makes the caller wait. After a failure, this class stops requests for
// several times as long, so that the caller has time for its other work. Times are in seconds of steady_s().
class ServiceSilence {
 public:
  // Returns whether the service may be asked at the time `now_s`.
  bool may_ask(double now_s) const { return !(now_s < until_s_); }
  // Records that a request made at `asked_s` failed at `now_s`. Requests then stop for 5 times this wait, 1 s to 30 s.
  void failed(double asked_s, double now_s);
  // Records that the service answered, so that it may be asked at once.
  void answered() { until_s_ = 0; }

 private:
  double until_s_ = 0;
};

// The users whose credentials are accepted: only the user that the credentials are for, or any user.
enum class Makers : std::uint8_t { same_user, anybody };

// Returns credentials made by munge, encrypted, that only the user `uid` can read. decode() accepts those of `makers`.
// An empty `socket` is munge's default. Throws Error if munge does not support this.
std::unique_ptr<Credentials> munge_credentials(uid_t uid, const std::string& socket, Makers makers = Makers::same_user);

}  // namespace placement::protocol
