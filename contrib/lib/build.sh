# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Builds this source tree without touching it: a copy in .work/src, the build in .work/build, the
# installation in .work/inst. Times of files are kept, so a second build does only what changed.
# shellcheck source=contrib/lib/join.sh
. "${BASH_SOURCE[0]%/*}/join.sh"

# Files of the tree, relative to it: existing files that git knows or would add; without git all files.
tree_files() {
  (
    cd "$top" || exit 1
    if [ -e .git ] && git -c safe.directory='*' ls-files -co --exclude-standard 2>/dev/null; then exit; fi
    find . -name .git -prune -o -path ./.work -prune -o -path ./build -prune -o -type f -print | sed 's,^\./,,'
  ) | sort -u | while IFS= read -r file; do [ ! -e "$top/$file" ] || printf '%s\n' "$file"; done
}

copy_tree() {
  local files=$work/src.files gone
  mkdir -p "$work/src"
  tree_files >"$files.new"
  [ -s "$files.new" ] || die "no source files in $top"
  if [ -e "$files" ]; then
    comm -23 "$files" "$files.new" | while IFS= read -r gone; do rm -f "$work/src/$gone"; done
  fi
  tar -C "$top" -c -T "$files.new" | tar -C "$work/src" -x || die "cannot copy the source tree to $work/src"
  mv "$files.new" "$files"
}

quietly() {  # what command...: its output goes to a log, whose end is shown if it fails
  local log=$work/log/$1.log
  shift
  mkdir -p "$work/log"
  if ! "$@" >"$log" 2>&1 </dev/null; then
    grep -nE '(^|[^a-z])(error|Error)[: ]|\*\*\*' "$log" | tail -n 20 >&2
    echo "--- the end of $log:" >&2
    tail -n 20 "$log" >&2
    return 1
  fi
}

newer_than() {  # file other...: the file is missing or older than one of the others
  local file=$1 other
  shift
  [ -e "$file" ] || return 0
  for other in "$@"; do [ "$other" -nt "$file" ] && return 0; done
  return 1
}

prepare_source() {  # leaves a copy of this tree with a configure in $source_tree, and Slurm's source in $slurm_source
  case $top in
    *[!A-Za-z0-9_/.,+~@%:-]*) die "the path '$top' has a character that autoconf refuses (a space, perhaps): clone to another place" ;;
  esac
  slurm_source=${SP_SLURM_SOURCE:-}
  [ -n "$slurm_source" ] || slurm_source=$("$top/contrib/slurm-source" "$work/slurm") || return 1
  source_tree=$work/src
  copy_tree
  if newer_than "$work/src/configure" "$work/src/configure.ac" "$work/src/Makefile.am" "$work"/src/m4/sp_*.m4; then
    quietly autoreconf autoreconf -fi "$work/src" || return 1
  fi
}

configure_in() {  # directory prefix option...
  local directory=$1 prefix=$2
  shift 2
  mkdir -p "$directory"
  newer_than "$directory/config.status" "$source_tree/configure" || return 0
  # By itself configure prefers bash to dash, in which libtool takes twice the time.
  (cd "$directory" && CONFIG_SHELL=/bin/sh quietly configure "$source_tree/configure" --prefix="$prefix" --with-slurm="${SP_SLURM_PREFIX:-/usr}" \
    ${SP_SLURM_PREFIX:+--enable-untested-slurm} --with-slurm-source="$slurm_source" "$@") || return 1
}

# Does the checks of "make distcheck" with one compilation less: everything is built from the tarball, and give_back_build() checks
# the build at the end.
prepare_tarball() {  # directory: leaves in $source_tree what "make dist" packs, unpacked below it
  local directory=$1
  if [ -e "$directory" ]; then chmod -R u+w "$directory" && rm -rf "$directory" || return 1; fi
  prepare_source && configure_in "$directory/dist" "$directory/dist-inst" || return 1
  quietly dist make -C "$directory/dist" dist || return 1
  tarball=$(echo "$directory"/dist/slurm-placement-*.tar.xz)
  tar -C "$directory" -xf "$tarball" && source_tree=$directory/$(basename "$tarball" .tar.xz) && chmod -R a-w "$source_tree"
}

# Checks four conditions. The build wrote nothing into the tree of the tarball. The build can make an equal tarball. "make uninstall"
# removes all files of "make install". "make distclean" removes all files of the build.
give_back_build() {  # directory of prepare_tarball, build directory
  local stage=$1/stage packed again
  packed=$(tar -tf "$tarball" | sed 's,/$,,' | sort)
  same_files "the tree of the tarball after the build" "$packed" "$(cd "$1" && find "$(basename "$source_tree")" | sort)" || return 1
  tar -C "$1" -df "$tarball" | grep -v ': Mode differs$' && return 1
  again=$2/$(basename "$source_tree")
  make -C "$2" distdir && same_files "a tarball of the tarball" "$(cd "$source_tree" && find . -type f | sort)" \
    "$(cd "$again" && find . -type f | sort)" && chmod -R u+w "$again" && rm -rf "$again" || return 1
  make -C "$2" install DESTDIR="$stage" && make -C "$2" uninstall DESTDIR="$stage" || return 1
  same_files "what make uninstall leaves" "" "$(find "$stage" ! -type d)" || return 1
  make -C "$2" distclean && same_files "what make distclean leaves" "" "$(find "$2" ! -type d)"
}

same_files() {  # what, names that should be there, names that are
  [ "$2" = "$3" ] && return
  echo "error: $1:"
  diff <(echo "$2") <(echo "$3")
}

make_in() {  # log directory target...
  local log=$1
  shift
  with_progress "$work/log/$log.log" '^  (CC|CXX|CCLD|CXXLD|PPFC) ' "compiled and linked" quietly "$log" make -j "$(nproc)" -C "$@"
}

# Prints the sum of totals of automake's test driver, such as "# PASS:  3". The driver prints them twice if a test fails, so the last ones count.
total() {  # log words
  awk -v words="^($2):$" '$1 == "#" && $2 ~ words { last[$2] = $3 } END { for (word in last) sum += last[word]; print sum + 0 }' "$1"
}

build() {  # builds in $build_directory; the caller tests or installs
  build_directory=$work/build
  prepare_source && build_prepared
}

configure_build() { configure_in "$build_directory" "$work/inst" --enable-werror CFLAGS="${CFLAGS--O2}" CXXFLAGS="${CXXFLAGS--O2}"; }

build_prepared() {  # arguments of make
  configure_build || return 1
  sed -n '/slurm-placement [0-9]/,/^$/p' "$work/log/configure.log" 2>/dev/null
  prepare_compile_flags && make_in make "$build_directory" "${compile_flags[@]}" "$@"
}

# Leaves in the array $compile_flags the arguments of make for the product. Headers are precompiled, and the sources of a library are
# compiled together, unless $precompile=no. Warnings are then no errors, because GCC 12 warns about code of std::string. With
# $compare_types=yes, the objects also have the compiler's representation, for contrib/check-odr. The linker uses only the code.
prepare_compile_flags() {
  local -a types=()
  [ "${compare_types:-no}" = no ] || types=(-flto -ffat-lto-objects)
  if [ "${precompile:-yes}" = yes ]; then
    compile_together "$work/precompiled" "$build_directory" -Wno-error "${types[@]}" || return 1
  else
    compile_flags=("CXXFLAGS=$(flags_of "$build_directory" CXXFLAGS) ${types[*]}")
  fi
  compile_flags+=("CFLAGS=$(flags_of "$build_directory" CFLAGS) ${types[*]}" "$link_code")
}

# Sets $compile_flags for the unit tests: precompiled headers, and no optimization, because most of their time is compiling.
prepare_test_flags() {  # test...: those to build; all of them if none is named
  compile_with_headers "$work/precompiled-tests" "$build_directory" -O0 -U_FORTIFY_SOURCE &&
    { [ "${precompile:-yes}" = no ] || join_tests "$build_directory" "$@"; } && compile_flags+=("$link_code")
}

link_code='LDFLAGS=-Xcompiler -fno-lto'  # -Xcompiler, as libtool would leave the option out of a shared library

flags_of() { sed -n "s/^$2 = //p" "$1/Makefile"; }  # build directory, CFLAGS or CXXFLAGS: as configure left them

# configure does not get these flags, because its tests cannot use the precompiled headers and would read their text. The same applies to unit
# tests that compile something.
compile_with_headers() {  # directory of the headers, build directory, more flags: sets $compile_flags to the arguments of make
  local headers=$1 flags
  flags="$(flags_of "$2" CXXFLAGS) ${*:3}"
  # shellcheck disable=SC2086
  compile_standard_headers "$headers" $flags || return 1
  compile_flags=("CXXFLAGS=$flags -include $headers/standard.hpp")
}

install_build() { quietly install make -C "$build_directory" install; }

compile_together() { compile_with_headers "$@" && join_sources "$2"; }  # arguments of compile_with_headers

# Builds and installs the parts that contrib/try shows: plugins, agent, monitor, placectl and the profiler. It uses the directory and flags of
# contrib/check, so the second of the two commands compiles only the remaining files.
build_to_show() {  # leaves in $prefix where it is installed
  prefix=$work/inst build_directory=$work/build
  prepare_source && build_prepared bin_PROGRAMS=tools/placectl lib_LTLIBRARIES=libplacement-profile.la \
    pkglib_LTLIBRARIES='select_cons_tres.la loadmatrix.la nodestate.la' \
    install-binPROGRAMS install-sbinPROGRAMS install-libLTLIBRARIES install-pkglibLTLIBRARIES
}

# Most of the time of a build without optimization goes to headers of the standard library. The common ones are compiled once, with the
# options of the build: for position-independent code, and for programs. If the options of a file differ, GCC reads the text of the
# headers. Clang would stop, but it accepts one form for both kinds of code.
compile_standard_headers() {  # directory option...: makes DIR/standard.hpp and its compiled forms, by $compiler [g++]
  local header=$1/standard.hpp compiled=$1/standard.hpp.gch/plain clang=no name
  shift
  if [[ ${compiler:-g++} == *clang* ]]; then clang=yes compiled=$header.pch; fi
  mkdir -p "${compiled%/*}"
  for name in algorithm array chrono cmath cstdint cstdio cstdlib cstring fstream functional limits map memory \
    numeric optional set span sstream stdexcept string string_view unordered_map utility vector; do
    echo "#include <$name>"
  done >"$header.new"
  if cmp -s "$header.new" "$header" && [ -e "$compiled" ]; then return; fi
  mv "$header.new" "$header"
  set -- "${compiler:-g++}" "$@" -pthread -fvisibility=hidden -x c++-header "$header"
  if [ $clang = no ]; then
    quietly headers "$@" -fPIC -DPIC -o "$header.gch/position-independent" || return 1
  fi
  quietly headers "$@" -o "$compiled"
}
