# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
# Steps of ranks that use the process manager, for the tests of hundreds and thousands of ranks.

# Writes m: each rank has traffic with some others at random.
random_matrix() {  # ranks
  awk -v n="$1" 'BEGIN { srand(5); print "np " n; for (r = 0; r < n; r++) for (k = 0; k < 3; k++) {
    other = int(rand() * n); if (other != r) print r, other, 1 + int(rand() * 1000) } }' >m
}

# Writes m: a grid 8 ranks wide whose ranks are in random order.
shuffled_matrix() {  # ranks
  [ $(($1 % 8)) -eq 0 ] || { random_matrix "$1"; return; }
  "$SP_TEST_BIN/halo" --grid "8x$(($1 / 8))" --bytes 1000 --seed 5 --matrix m
}

client() {
  [ -e pmi_ranks ] && return
  local pmix=()
  if pkg-config --exists pmix; then read -ra pmix <<<"-DPMIX $(pkg-config --cflags --libs pmix)"; fi
  gcc -Wall -Wextra -Werror -O1 -o pmi_ranks "$SP_TOP/tests/cluster/pmi_ranks.c" "${pmix[@]}"
}

# Runs a step of ranks that use the process manager. Checks that all ranks ran, and that each has read what its neighbour published.
# Checks that the map names the node of each rank, and that srun predicted the length of the map. If the step has its own job and up
# to 128 ranks, checks that the nodes of the ranks are those in the record of the job. For more ranks, the record has no room, and the nodes
# must be those of $PLACEMENT_RANKS, unless MPI cannot read the map of that order. Sets `map` and `how`.
ranks_agree() {  # 1|2|x ranks options of srun...
  local protocol=$1 ranks=$2 type=pmi2
  shift 2
  [ "$protocol" = x ] && type=pmix
  client
  rm -f planned explained
  srun -v --mpi=$type -n "$ranks" "$@" ./pmi_ranks "$protocol" >out 2>err || fail "srun $*: $(tail -n 5 err)"
  map=$(awk '$1 == 0 { print $5 }' out)
  how=$(sed -n 's/.* best order .*--mpi=[^ ]*: //p' err)
  local job
  job=$(sed -n 's/.*placement: step \([0-9]*\)\..*/\1/p' err | head -n 1)
  [ -z "$job" ] || [ -n "${SLURM_JOB_ID:-}" ] || [ "$ranks" -gt 128 ] || "$SP_PREFIX/bin/placectl" explain --json "$job" >explained
  case " $* " in *' -m TOFA'* | *' -m NLA'*) rm -f planned ;; esac  # they only start their search with the planned ranks
  local policy=none
  case " $* " in *' -m '*) policy=yes ;; esac
  python3 - "$protocol" "$ranks" $policy <<'END' || fail "srun $*: map $map, $(grep placement: err)"
import json, os, re, sys
protocol, ranks, policy = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "yes"
rows = sorted((int(rank), int(size), node, next_node, map) for rank, size, node, next_node, map in (line.split() for line in open("out")))
assert [row[0] for row in rows] == list(range(ranks)) and {row[1] for row in rows} == {ranks}, "ranks are missing"
node_of = [row[2] for row in rows]
assert all(row[3] == node_of[(row[0] + 1) % ranks] for row in rows), "a rank has read another node for its neighbour"
def node_of_rank(text):
    nodes = {}
    for node, listed in zip(sorted(set(node_of), key=lambda node: int(node[1:])), text.split(";"), strict=True):
        for part in listed.split(","):
            first, _, last = part.partition("-")
            nodes |= {rank: node for rank in range(int(first), int(last or first) + 1)}
    return nodes
if os.path.exists("explained"):
    (decision,) = [one for one in json.load(open("explained"))["decisions"] if one["for_start"]]
    (planned,) = [term[len("ranks: "):] for term in decision["terms"] if term.startswith("ranks: ")]
    on_record = node_of_rank(planned)
    assert [on_record[rank] for rank in range(ranks)] == node_of, "the record has other nodes"
elif protocol == "x" and ranks > 128 and os.path.exists("planned"):
    planned = node_of_rank(open("planned").read().strip().partition(".")[2])
    assert [planned[rank] for rank in range(ranks)] == node_of, "the plan has other nodes"
assert not policy or re.search(r"placement: step \d+\.\d+ by [A-Z]", open("err").read()), "the step ran as under stock Slurm"
told = [int(bytes) for bytes in re.findall(r"MPI .* map of (\d+) bytes", open("err").read())]
if protocol == "x":
    hash_of = {node: 0 for node in node_of}
    for node in hash_of:
        for byte in ",".join(str(r) for r in range(ranks) if node_of[r] == node).encode():
            hash_of[node] = (hash_of[node] * 31 + byte) % 2**32
    assert all(int(peers) == hash_of[node] for rank, _, node, _, peers in rows), "PMIx has other peers"
else:
    (map,) = {row[4] for row in rows}
    nodes = []
    for first, count, block in re.findall(r"\((\d+),(\d+),(\d+)\)", map):
        nodes += [node for node in range(int(first), int(first) + int(count)) for _ in range(int(block))]
    assert len(nodes) == ranks and len(set(zip(nodes, node_of))) == len(set(nodes)) == len(set(node_of)), "the map is false"
    assert told == ([len(map)] if policy else []), f"srun has told {told} bytes, MPI got {len(map)}"
    assert not told or len(map) <= 673, "MPICH cannot read the map"
END
}
