# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Compiles the C++ sources of a library or program together, a few thousand lines at a time. This takes a third of the processor time,
# because most of a compilation goes to headers and templates that the sources share. Only the build directories of contrib/ and of
# "make dist-client" are changed: configure and make by themselves compile each file alone. Therefore names in anonymous namespaces are
# unique in a library.

joined_lines=2500  # with more, a processor waits at the end, and a compilation takes more memory

# Lets the Makefile include a file of rules, which is emptied. The Makefile keeps its time, because sources are made from it.
begin_rules() {  # build directory, name of the file
  : >"$1/$2"
  grep -qx "include $2" "$1/Makefile" ||
    { touch -r "$1/Makefile" "$1/joined/time" && sed -i "1i include $2" "$1/Makefile" && touch -r "$1/joined/time" "$1/Makefile"; }
}

join_sources() {  # build directory, after configure_in: lets its Makefile include the rules of joined.mk
  local directory=$1 objects
  mkdir -p "$directory/joined"
  make -s -C "$directory" Makefile >/dev/null 2>&1  # which is made anew if a list of sources has changed
  begin_rules "$directory" joined.mk || return 1
  # shellcheck disable=SC2016
  objects=$(make -s -C "$directory" --eval 'variable = $(subst /,_,$(subst -,_,$(subst .,_,$1)))
    print-objects:; @:$(foreach target,$(EXTRA_LTLIBRARIES) $(pkglib_LTLIBRARIES) $(lib_LTLIBRARIES) $(bin_PROGRAMS) $(sbin_PROGRAMS),$(info \
      $(call variable,$(target)) $($(call variable,$(target))_OBJECTS)))' print-objects) || return 1
  awk -v source="$source_tree" -v build="$directory" -v limit=$joined_lines -f "$top/contrib/lib/replace.awk" -f "$top/contrib/lib/join.awk" \
    <<<"$objects" >"$directory/joined.mk"
}

# After join_sources: the same for the unit tests that consist of one source.
join_tests() {  # build directory, test...: all of them if none is named
  local directory=$1 tests
  begin_rules "$directory" joined-tests.mk || return 1
  # shellcheck disable=SC2016
  tests=$(make -s -C "$directory" only="${*:2}" --eval 'variable = $(subst /,_,$(subst -,_,$(subst .,_,$1)))
    print-tests:; @:$(foreach test,$(or $(only),$(check_PROGRAMS:$(EXEEXT)=)),$(if $(filter-out $(test).$(OBJEXT),$($(call variable,$(test))_OBJECTS)),,$(info \
      $(test) $(if $($(call variable,$(test))_CPPFLAGS)$($(call variable,$(test))_CXXFLAGS),yes,no) $($(call variable,$(test))_LDADD))))' print-tests) ||
    return 1
  awk -v source="$source_tree" -v build="$directory" -v limit=$joined_lines -f "$top/contrib/lib/replace.awk" \
    -f "$top/contrib/lib/join-tests.awk" <<<"$tests" >"$directory/joined-tests.mk"
}
