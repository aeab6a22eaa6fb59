// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <pwd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace placement {

// Returns the ID of the user `name` on this host; nothing if there is no user. Searches /etc/passwd first, because a
// static program may be unable to load the host's NSS modules.
inline std::optional<uid_t> number_of_user(const std::string& name) {
  const std::unique_ptr<FILE, int (*)(FILE*)> local(std::fopen("/etc/passwd", "re"), &std::fclose);
  const passwd* user = nullptr;
  while (local && (user = fgetpwent(local.get())) && name != user->pw_name) {
  }
  if (!user) user = getpwnam(name.c_str());
  return user ? std::optional(user->pw_uid) : std::nullopt;
}

}  // namespace placement
