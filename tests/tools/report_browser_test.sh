#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Shows a page of placectl report in a headless browser, at the width of a desktop and of a telephone, light and dark. Each section is
# present, and the printed page has its tables open. PLACECTL names the program. Skipped without chromium.
set -u
placectl=${PLACECTL:?} source=$(cd "${srcdir:-.}" && pwd -P)
browser=$(command -v chromium) || { echo "SKIP: there is no chromium"; exit 77; }
work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
export SLURM_CONF=$work/none HOME=$work

fail() {
  failures=$((failures + 1))
  printf 'FAIL: %s\n' "$*"
}
show() {  # options; a proxy that does not answer is the only way to a network
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --proxy-server=127.0.0.1:9 --user-data-dir="$work/profile" \
    --hide-scrollbars "$@" "file://$work/report.html" 2>browser.log
}

"$placectl" report -t 2:4 --node 2x8 --sacct "${EXAMPLE_LOG:?}" --replay-jobs 30 -o report.html || fail "placectl report: exit code $?"
show --dump-dom >dom.html || { tail -n 3 browser.log; echo "SKIP: this chromium shows no page here"; exit 77; }
for id in advice cluster network decisions gains room replay; do
  grep -q "<section id=\"$id\"" dom.html || fail "the browser has no section $id"
done
python3 "$source/tests/tools/report_page.py" dom.html >parsed || fail "the page as the browser has it: $(cat parsed)"

# The size of a PNG is in its bytes 16 to 23; a page of one colour would be a tenth as long.
for window in 1280,2000 500,3000; do
  show --window-size=$window --screenshot="$work/light.png"
  show --window-size=$window --screenshot="$work/dark.png" --blink-settings=preferredColorScheme=0
  for picture in light dark; do
    [ "$(od -A n -t u1 -j 18 -N 2 $picture.png | awk '{ print $1 * 256 + $2 }')" = "${window%,*}" ] || fail "$picture at $window: another width"
    [ "$(stat -c %s $picture.png)" -gt 50000 ] || fail "$picture at $window: only $(stat -c %s $picture.png) bytes"
  done
  cmp -s light.png dark.png && fail "at $window light and dark are the same"
done
show --no-pdf-header-footer --print-to-pdf="$work/report.pdf"
pages=$(grep -ac '/Type */Page$\|/Type */Page[^s]' report.pdf)
[ "$pages" -ge 2 ] || fail "on paper it has $pages pages"
echo "$failures failures"
[ $failures = 0 ]
