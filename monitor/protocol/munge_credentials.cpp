// SPDX-License-Identifier: GPL-2.0-or-later
#include <munge.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <type_traits>

#include "common/util/error.hpp"
#include "monitor/protocol/credentials.hpp"
#include "monitor/protocol/sockets.hpp"

namespace placement::protocol {

namespace {

using Context = std::unique_ptr<std::remove_pointer_t<munge_ctx_t>, void (*)(munge_ctx_t)>;

class MungeCredentials : public Credentials {
 public:
  MungeCredentials(uid_t uid, const std::string& socket, Makers makers)
      : uid_(uid),
        makers_(makers),
        context_(munge_ctx_create(), munge_ctx_destroy) {
    if (context_ == nullptr) throw Error("munge: no memory for a context");
    // The payload is a key, so these options are set here instead of left to the defaults of munged.conf.
    set(munge_ctx_set(context_.get(), MUNGE_OPT_CIPHER_TYPE, MUNGE_CIPHER_AES256), "cipher");
    set(munge_ctx_set(context_.get(), MUNGE_OPT_MAC_TYPE, MUNGE_MAC_SHA256), "MAC");
    set(munge_ctx_set(context_.get(), MUNGE_OPT_ZIP_TYPE, MUNGE_ZIP_NONE), "compression");
    set(munge_ctx_set(context_.get(), MUNGE_OPT_UID_RESTRICTION, uid), "restriction to a user");
    if (!socket.empty()) set(munge_ctx_set(context_.get(), MUNGE_OPT_SOCKET, socket.c_str()), "socket");
  }

  std::optional<std::string> encode(ByteView payload) override {
    char* text = nullptr;
    const double asked_s = steady_s();
    if (!silence_.may_ask(asked_s)) return std::nullopt;
    const munge_err_t error = munge_encode(&text, context_.get(), payload.data(), static_cast<int>(payload.size()));
    const std::unique_ptr<char, void (*)(void*)> owner(text, std::free);
    watch(error, asked_s);
    if (error == EMUNGE_SUCCESS) return std::string(text);
    note(error);
    return std::nullopt;
  }

  Decoded decode(const std::string& credential) override {
    const double asked_s = steady_s();
    if (!silence_.may_ask(asked_s)) return {Refusal::no_service, {}, {}};
    // Decoding overwrites the options of the context with those of the credential, so it uses a copy.
    const Context context(munge_ctx_copy(context_.get()), munge_ctx_destroy);
    if (context == nullptr) return {Refusal::no_service, {}, {}};
    void* payload = nullptr;
    int length = 0;
    uid_t uid = 0;
    gid_t gid = 0;
    const munge_err_t error = munge_decode(credential.c_str(), context.get(), &payload, &length, &uid, &gid);
    const std::unique_ptr<void, void (*)(void*)> owner(payload, std::free);
    watch(error, asked_s);
    uid_t only_for = 0;
    const bool restricted = error == EMUNGE_SUCCESS &&
                            munge_ctx_get(context.get(), MUNGE_OPT_UID_RESTRICTION, &only_for) == EMUNGE_SUCCESS &&
                            only_for == uid_;
    Decoded decoded{refusal_of(error), {}, uid};
    if (decoded.refused == Refusal::none && ((uid != uid_ && makers_ == Makers::same_user) || !restricted)) {
      why_ = "the credential is of user " + std::to_string(uid);
      return {Refusal::wrong_user, {}, {}};
    }
    if (decoded.refused != Refusal::none) {
      note(error);
      return decoded;
    }
    const auto* bytes = static_cast<const std::uint8_t*>(payload);
    if (length > 0) decoded.payload.assign(bytes, bytes + length);
    return decoded;
  }

  std::string why() const override { return why_; }

 private:
  static Refusal refusal_of(munge_err_t error) {
    switch (error) {
      case EMUNGE_SUCCESS: return Refusal::none;
      case EMUNGE_CRED_EXPIRED:
      case EMUNGE_CRED_REWOUND: return Refusal::clock_skew;
      case EMUNGE_CRED_REPLAYED: return Refusal::replayed;
      case EMUNGE_CRED_UNAUTHORIZED: return Refusal::wrong_user;
      case EMUNGE_SOCKET:
      case EMUNGE_SNAFU:
      case EMUNGE_NO_MEMORY: return Refusal::no_service;
      default: return Refusal::bad_credential;
    }
  }
  // Records whether munged answered. libmunge retries for some seconds before it reports EMUNGE_SOCKET.
  void watch(munge_err_t error, double asked_s) {
    if (error == EMUNGE_SOCKET)
      silence_.failed(asked_s, steady_s());
    else
      silence_.answered();
  }
  void note(munge_err_t error) { why_ = std::string("munge: ") + munge_strerror(error); }
  static void set(munge_err_t error, const char* what) {
    if (error != EMUNGE_SUCCESS) throw Error(std::string("munge: ") + what + ": " + munge_strerror(error));
  }

  uid_t uid_;
  Makers makers_;
  Context context_;
  ServiceSilence silence_;
  std::string why_;
};

}  // namespace

void ServiceSilence::failed(double asked_s, double now_s) {
  constexpr double times_the_wait = 5, least_s = 1, most_s = 30;
  until_s_ = now_s + std::clamp(times_the_wait * (now_s - asked_s), least_s, most_s);
}

std::unique_ptr<Credentials> munge_credentials(uid_t uid, const std::string& socket, Makers makers) {
  return std::make_unique<MungeCredentials>(uid, socket, makers);
}

}  // namespace placement::protocol
