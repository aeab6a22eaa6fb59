#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Only plugins/compat depends on the version of Slurm. No other source checks Slurm's version or includes a header of Slurm's source
# tree. Exceptions: each plugin exports its version, and placectl run reads the version of the running Slurm from its configuration.
set -u
cd "${srcdir:-.}" || exit 99
sources() { find . \( -path ./.work -o -path ./.git -o -path ./tests -o -path ./plugins/compat \) -prune -o -type f \( -name '*.c' -o -name '*.cpp' -o -name '*.h' -o -name '*.hpp' -o -name '*.S' \) -print; }
count=$(sources | wc -l)
[ "$count" -gt 100 ] || { echo "only $count sources were found in $PWD"; exit 1; }
found=$(sources | xargs grep -nE 'SLURM_VERSION|SLURM_BEFORE|#[[:space:]]*include[[:space:]]*["<](src/|slurm/slurm_version)' |
  grep -vE 'plugin_version = SLURM_VERSION_NUMBER;[[:space:]]*\\?$|spank_get_item\(.*S_SLURM_VERSION|config_value\(.*"SLURM_VERSION"\)')
[ -z "$found" ] || { printf 'these lines belong in plugins/compat:\n%s\n' "$found"; exit 1; }
