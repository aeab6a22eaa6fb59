#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Communication matrix of a time-independent SimGrid trace (smpirun -trace-ti).

  contrib/evaluation/lib/ti_trace.py TRACE >MATRIX

TRACE is the index file, which names one file per rank, or a directory or .tar.zst that holds it. The matrix has the bytes
that each pair of ranks exchanges, point to point and within collective operations; placectl reads it. A trace does not
name communicators: as SMPI's own replay does, each collective operation is taken for one of all ranks. Its messages are
those of one common algorithm: binomial trees (bcast, reduce), recursive doubling (allreduce), a ring (allgather), a chain
(scan), otherwise one message per pair (gather and scatter with their root, alltoall, reducescatter). What the trace does
not tell is listed on standard error.
"""
import os
import subprocess
import sys
import tempfile

# Bytes of the predefined types by the number that SMPI 3.32 gives them; MPI_PACKED is 57.
SIZES = dict(enumerate([8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8,
                        8, 16, 16, 8, 8, 8, 16, 16, 4, 4, 8, 16, 8, 16, 32]))
SIZES[57] = 1

SENDS = {prefix + kind + "send" for prefix in ("", "i") for kind in ("", "s", "b", "r")}
WITHOUT_DATA = {"init", "finalize", "compute", "sleep", "location", "comm_size", "comm_split", "comm_dup", "recv", "irecv",
                "wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome", "probe", "iprobe",
                "barrier", "ibarrier"}


class TraceError(Exception):
    """What is wrong with a trace, with the name of the file and the line."""


def index_of(path, work):
    """The index file; an archive is unpacked in the directory `work`."""
    if path.endswith(".tar.zst"):
        subprocess.run(["tar", "--zstd", "-xf", os.path.abspath(path), "-C", work], check=True)
        path = work
    if os.path.isdir(path):
        found = sorted(f for f in os.listdir(path) if os.path.isfile(os.path.join(path, f)))
        found = [f for f in found if os.path.isdir(os.path.join(path, f + "_files"))]
        if len(found) != 1:
            raise TraceError(f"{path}: {len(found)} index files of traces with a folder; name one")
        path = os.path.join(path, found[0])
    return os.path.abspath(path)


class Trace:
    """traffic[a, b], a <= b: the bytes that ranks a and b send each other; remarks: what the trace does not contain."""

    def __init__(self, index):
        self.folder, self.index = os.path.split(index)
        with open(index) as lines:
            files = [line.strip() for line in lines if line.strip()]
        self.ranks = len(files)
        if not files:
            raise TraceError(f"{index}: lists no file of a rank")
        self.traffic = {}
        self.remarks = set()
        self.default_bytes = 1
        for name in files:
            self.read(os.path.join(self.folder, name))

    def read(self, path):
        with open(path) as lines:
            for number, line in enumerate(lines, 1):
                words = line.split()
                if not words:
                    continue
                try:
                    self.action(int(words[0]), words[1].lower(), words[2:])
                except (IndexError, ValueError) as error:
                    raise TraceError(f"{path}:{number}: cannot read the action '{line.strip()}': {error}") from error

    def add(self, rank, other, size):
        if not 0 <= rank < self.ranks:
            raise ValueError(f"rank {rank} does not exist")
        if other < 0:  # MPI_PROC_NULL
            return
        if other >= self.ranks:
            raise ValueError(f"rank {other} does not exist")
        pair = (min(rank, other), max(rank, other))
        self.traffic[pair] = self.traffic.get(pair, 0) + size

    def bytes_of(self, words, at):
        """Bytes of an element whose type is words[at], where the line goes on so far."""
        if at >= len(words):
            return self.default_bytes
        kind = int(words[at])
        if kind not in SIZES:
            self.remarks.add("the size of derived datatypes is not in the trace: their elements count as one byte")
            return 1
        return SIZES[kind]

    def action(self, rank, name, words):
        if name in WITHOUT_DATA:
            if name == "init" and words:
                self.default_bytes = 8
        elif name in SENDS:
            self.add(rank, int(words[0]), int(float(words[2])) * self.bytes_of(words, 3))
        elif name in ("sendrecv", "isendrecv", "sendrecv_replace", "isendrecv_replace"):
            self.add(rank, int(words[1]), int(float(words[0])) * self.bytes_of(words, 4))
        elif name == "start":  # its size is in bytes; a receiver has its own rank there
            if int(words[0]) != rank:
                self.add(rank, int(words[0]), int(float(words[2])))
        elif name == "startall":
            self.remarks.add("messages of MPI_Startall are not in the trace: they are left out")
        else:
            collective = COLLECTIVES.get(name) or COLLECTIVES.get(name.removeprefix("i"))
            if collective is None:
                raise ValueError(f"the action {name} is not known")
            collective(self, rank, words)

    # ---- what one rank sends in each collective operation; in trees, what it exchanges with its parent

    def tree(self, rank, root, size):
        place = (rank - root) % self.ranks
        if place > 0:
            self.add(rank, ((place & (place - 1)) + root) % self.ranks, size)

    def bcast(self, rank, words):
        root = int(words[1]) if len(words) > 1 else 0
        self.tree(rank, root, int(float(words[0])) * self.bytes_of(words, 2))

    def reduce(self, rank, words):
        root = int(words[2]) if len(words) > 2 else 0
        self.tree(rank, root, int(float(words[0])) * self.bytes_of(words, 3))

    def allreduce(self, rank, words):
        size = int(float(words[0])) * self.bytes_of(words, 2)
        doubling = 1 << (self.ranks.bit_length() - 1)  # further ranks send their part to one of the first, and get the result
        if rank >= doubling:
            self.add(rank, rank - doubling, 2 * size)
            return
        step = 1
        while step < doubling:
            self.add(rank, rank ^ step, size)
            step *= 2

    def alltoall(self, rank, words):
        size = int(float(words[0])) * self.bytes_of(words, 2)
        for other in range(self.ranks):
            if other != rank:
                self.add(rank, other, size)

    def alltoallv(self, rank, words):
        size = self.bytes_of(words, 2 * self.ranks + 2)
        for other in range(self.ranks):
            if other != rank:
                self.add(rank, other, int(words[1 + other]) * size)

    def rooted(self, rank, root, size):
        if rank != root:
            self.add(rank, root, size)

    def gather(self, rank, words):
        self.rooted(rank, int(words[2]) if len(words) > 2 else 0, int(float(words[0])) * self.bytes_of(words, 3))

    def scatter(self, rank, words):
        self.rooted(rank, int(words[2]) if len(words) > 2 else 0, int(float(words[1])) * self.bytes_of(words, 4))

    def gatherv(self, rank, words):
        root = self.ranks + 1
        self.rooted(rank, int(words[root]) if len(words) > root else 0, int(float(words[0])) * self.bytes_of(words, root + 1))

    def scatterv(self, rank, words):
        root = self.ranks + 1
        self.rooted(rank, int(words[root]) if len(words) > root else 0,
                    int(float(words[self.ranks])) * self.bytes_of(words, root + 2))

    def allgather(self, rank, words):
        if self.ranks > 1:
            self.add(rank, (rank + 1) % self.ranks, (self.ranks - 1) * int(float(words[0])) * self.bytes_of(words, 2))

    def allgatherv(self, rank, words):
        counts = [int(word) for word in words[1:self.ranks + 1]]
        after = (rank + 1) % self.ranks
        if self.ranks > 1:
            self.add(rank, after, (sum(counts) - counts[after]) * self.bytes_of(words, self.ranks + 1))

    def reducescatter(self, rank, words):
        size, counts = self.bytes_of(words, self.ranks + 1), [int(words[other]) for other in range(self.ranks)]
        if not any(counts):
            self.remarks.add("the sizes of MPI_Reduce_scatter_block are not in the trace: its messages are left out")
            return
        for other in range(self.ranks):
            if other != rank:
                self.add(rank, other, counts[other] * size)

    def scan(self, rank, words):
        if rank > 0:
            self.add(rank, rank - 1, int(float(words[0])) * self.bytes_of(words, 2))

    def write_matrix(self, out):
        out.write(f"{self.ranks} {len(self.traffic)}\n")
        for (a, b), size in sorted(self.traffic.items()):
            out.write(f"{a} {b} {max(1, size)}\n")


COLLECTIVES = {"bcast": Trace.bcast, "reduce": Trace.reduce, "allreduce": Trace.allreduce, "alltoall": Trace.alltoall,
               "alltoallv": Trace.alltoallv, "gather": Trace.gather, "gatherv": Trace.gatherv, "scatter": Trace.scatter,
               "scatterv": Trace.scatterv, "allgather": Trace.allgather, "allgatherv": Trace.allgatherv,
               "reducescatter": Trace.reducescatter, "scan": Trace.scan, "exscan": Trace.scan}


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.stderr.write(__doc__)
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    with tempfile.TemporaryDirectory() as work:
        try:
            trace = Trace(index_of(sys.argv[1], work))
        except (TraceError, OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"ti_trace.py: {error}")
        for remark in sorted(trace.remarks):
            print(f"ti_trace.py: {trace.index}: {remark}", file=sys.stderr)
        trace.write_matrix(sys.stdout)


if __name__ == "__main__":
    main()
