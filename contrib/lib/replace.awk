# SPDX-License-Identifier: GPL-2.0-or-later
# For join.awk and join-tests.awk: writes a file if its text differs, because make looks at its time.

function replace(file, text,    line, old) {
  while ((getline line < file) > 0) old = old line "\n"
  close(file)
  if (old != text) printf "%s", text > file
  close(file)
}
