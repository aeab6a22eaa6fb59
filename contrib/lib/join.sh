# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Compiles the C++ sources of a library or program together, a few thousand lines at a time. This takes a third of the processor time,
# because most of a compilation goes to headers and templates that the sources share. Only the build directories of contrib/ and of
# "make dist-client" are changed: configure and make by themselves compile each file alone. Therefore names in anonymous namespaces are
# unique in a library.

joined_lines=2500  # with more, a processor waits at the end, and a compilation takes more memory

join_sources() {  # build directory, after configure_in: lets its Makefile include the rules of joined.mk
  local directory=$1 objects
  mkdir -p "$directory/joined"
  make -s -C "$directory" Makefile >/dev/null 2>&1  # which is generated again if a list of sources has changed
  sed -i '/^include joined\.mk$/d' "$directory/Makefile"
  # shellcheck disable=SC2016
  objects=$(make -s -C "$directory" --eval 'variable = $(subst /,_,$(subst -,_,$(subst .,_,$1)))
    print-objects:; @:$(foreach target,$(EXTRA_LTLIBRARIES) $(pkglib_LTLIBRARIES) $(lib_LTLIBRARIES) $(bin_PROGRAMS) $(sbin_PROGRAMS),$(info \
      $(call variable,$(target)) $($(call variable,$(target))_OBJECTS)))' print-objects) || return 1
  awk -v source="$source_tree" -v build="$directory" -v limit=$joined_lines -f "$top/contrib/lib/replace.awk" -f "$top/contrib/lib/join.awk" \
    <<<"$objects" >"$directory/joined.mk" && sed -i '1i include joined.mk' "$directory/Makefile"
}

# After join_sources: the same for the unit tests that consist of one source.
join_tests() {  # build directory
  local directory=$1 tests
  sed -i '/^include joined-tests\.mk$/d' "$directory/Makefile"
  # shellcheck disable=SC2016
  tests=$(make -s -C "$directory" --eval 'variable = $(subst /,_,$(subst -,_,$(subst .,_,$1)))
    print-tests:; @:$(foreach test,$(check_PROGRAMS:$(EXEEXT)=),$(if $(filter-out $(test).$(OBJEXT),$($(call variable,$(test))_OBJECTS)),,$(info \
      $(test) $(if $($(call variable,$(test))_CPPFLAGS)$($(call variable,$(test))_CXXFLAGS),yes,no) $($(call variable,$(test))_LDADD))))' print-tests) ||
    return 1
  awk -v source="$source_tree" -v build="$directory" -v limit=$joined_lines -f "$top/contrib/lib/replace.awk" \
    -f "$top/contrib/lib/join-tests.awk" <<<"$tests" \
    >"$directory/joined-tests.mk" && sed -i '1i include joined-tests.mk' "$directory/Makefile"
}
