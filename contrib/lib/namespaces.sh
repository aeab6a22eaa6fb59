# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

# Prints why neither a private cluster nor a root can be made here, and the remedy; nothing when they can.
namespace_obstacle() {
  local reason
  if [ "$(id -u)" != 0 ]; then
    echo "only root can make namespaces: run it as root or with sudo"
    return
  fi
  reason=$(LC_ALL=C unshare --mount --uts --ipc --pid --fork mount -t proc proc /proc 2>&1) && return
  case $reason in
    *"root filesystem propagation"*)
      echo "the root directory here is no mount point (${reason##*unshare: }), so there can be no private mounts: outside of it" \
        "say \"mount --bind DIR DIR\" before \"chroot DIR\"; contrib/root makes roots in which this works"
      ;;
    *) echo "this machine or container gives no new namespaces (${reason:-unshare failed}): start the container with --privileged, or take a machine of your own" ;;
  esac
}

need_namespaces() {
  local obstacle
  obstacle=$(namespace_obstacle)
  [ -z "$obstacle" ] || die "$obstacle"
}
