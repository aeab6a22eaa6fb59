# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The values, names and options of a message can be tested without its sentence.

# A misspelt function ends the test, which would pass otherwise.
command_not_found_handle() {
  echo "FAIL: $1: command not found"
  kill $$
}

# has_words TEXT WORDS: whether the text has these words in this order, with any other words between them. A word is compared without a
# parenthesis before it, and without punctuation behind it.
has_words() {
  local - word asked at=0
  set -f
  read -ra asked <<<"$2"
  for word in $1; do
    [ $at -lt ${#asked[@]} ] || break
    bare_word "$word"
    word=$bare
    bare_word "${asked[at]}"
    [ "$word" != "$bare" ] || at=$((at + 1))
  done
  [ $at = ${#asked[@]} ]
}

bare_word() {  # sets $bare
  bare=${1#(}
  bare=${bare%[,;:]}
  bare=${bare%)}
}
