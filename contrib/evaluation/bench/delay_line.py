#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Delays every frame between two network interfaces, in both directions, and loses some of them: what netem
does, for kernels without it. Which are lost is the same in each run. Frames keep the kernel's notes on checksums (virtio header), so that veth pairs work."""
import collections
import os
import random
import select
import socket
import sys
import time

SOL_PACKET, PACKET_IGNORE_OUTGOING, PACKET_VNET_HDR, ETH_P_ALL = 263, 23, 15, 3


def opened(interface):
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    end.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    end.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    end.bind((interface, ETH_P_ALL))
    end.setblocking(False)
    return end


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: delay_line.py INTERFACE INTERFACE MILLISECONDS [PERCENT-LOST]")
    ends = [opened(sys.argv[1]), opened(sys.argv[2])]
    delay_ns = int(float(sys.argv[3]) * 1e6)
    loss = float(sys.argv[4]) / 100 if len(sys.argv) == 5 else 0
    chance = random.Random(1)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))  # what is late here counts as delay
    except PermissionError:
        pass
    waiting = collections.deque()  # (when, to which end, frame), in the order of time
    while True:
        now = time.monotonic_ns()
        while waiting and waiting[0][0] <= now:
            _, end, frame = waiting.popleft()
            try:
                ends[end].send(frame)
            except OSError:
                pass
        left = (waiting[0][0] - now) / 1e9 if waiting else None
        # Sleeps end late: the last fraction of a millisecond is waited for awake.
        if left is not None and left < 3e-4:
            left = 0
        elif left is not None:
            left -= 2e-4
        for end in select.select(ends, [], [], left)[0]:
            try:
                while True:
                    frame = end.recv(70000)
                    if chance.random() < loss:
                        continue
                    waiting.append((time.monotonic_ns() + delay_ns, 1 - ends.index(end), frame))
            except BlockingIOError:
                pass


if __name__ == "__main__":
    main()
