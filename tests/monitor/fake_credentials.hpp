// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <cstdio>
#include <set>

#include "monitor/protocol/credentials.hpp"

// A replacement for munge in tests: it has a user, a clock and a memory of decoded credentials, and needs no daemon.
struct FakeCredentials : placement::protocol::Credentials {
  struct Service {
    double now_s = 0;
    bool answers = true;
    std::set<std::string> decoded;
    int decodes = 0;
  };
  FakeCredentials(Service& of, unsigned user) : service(of), uid(user) {}

  std::optional<std::string> encode(placement::protocol::ByteView payload) override {
    if (!service.answers) return std::nullopt;
    std::string text = "FAKE:" + std::to_string(uid) + ":" + std::to_string(service.now_s + clock_ahead_s) + ":";
    char digits[3];
    for (const std::uint8_t byte : payload) {
      std::snprintf(digits, sizeof digits, "%02x", byte);
      text += digits;
    }
    return text;
  }
  Decoded decode(const std::string& credential) override {
    using placement::protocol::Refusal;
    ++service.decodes;
    if (!service.answers) return {Refusal::no_service, {}, {}};
    unsigned by = 0;
    double made_s = 0;
    int at = 0;
    if (std::sscanf(credential.c_str(), "FAKE:%u:%lf:%n", &by, &made_s, &at) < 2 || at == 0)
      return {Refusal::bad_credential, {}, {}};
    if (by != uid && !of_anybody) return {Refusal::wrong_user, {}, {}};
    if (made_s > service.now_s + 300 || made_s < service.now_s - 300) return {Refusal::clock_skew, {}, {}};
    if (!service.decoded.insert(credential).second) return {Refusal::replayed, {}, {}};
    Decoded decoded;
    decoded.maker = by;
    for (std::size_t i = static_cast<std::size_t>(at); i + 1 < credential.size(); i += 2)
      decoded.payload.push_back(static_cast<std::uint8_t>(std::stoi(credential.substr(i, 2), nullptr, 16)));
    return decoded;
  }
  std::string why() const override { return "the service does not answer"; }

  Service& service;
  unsigned uid;
  bool of_anybody = false;  // credentials of all users are accepted
  double clock_ahead_s = 0;
};
