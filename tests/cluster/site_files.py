#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares our readers of slurm.conf, topology.conf, topology.yaml and gres.conf with Slurm's.

Each seed makes the files of a site, with everything that the manuals allow. A slurmctld of its own reads them, and
what scontrol then prints must agree with "placectl check-config --json": nodes, their order, sockets, cores, threads
and usable cores, the nodes of partitions, switches and levels, blocks and rings. slurmd -G prints the GPUs of one
node. The switches as a topology.yaml, as printed by scontrol, and by Topology= of the nodes must give one tree.

slurmctld, slurmd and scontrol are those of PATH. From 23.11 on, some seeds have topology/block, or an order of nodes by
switch or block. From 25.05 on, some have rings, slurmctld reads a topology.yaml for some seeds, and nodes name their
switch or block by Topology=.

If slurmctld refuses the files, nothing is compared, and placectl must read or refuse them. The last line has the number
of seeds of each outcome.
"""
import argparse
import contextlib
import glob
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

version = (0, 0)  # of the Slurm in PATH


# ---- names

def expand(spec):
    """Returns the names of a host list as Slurm expands it: in "a[1-2]b[1-2]" the last bracket counts fastest."""
    names = []
    for part in re.findall(r'(?:[^,\s\[]|\[[^\]]*\])+', spec):
        heads = ['']
        for piece in re.split(r'(\[[^\]]*\])', part):
            if not piece.startswith('['):
                heads = [head + piece for head in heads]
                continue
            tails = []
            for item in piece[1:-1].split(','):
                low, _, high = item.partition('-')
                tails += [str(number).zfill(len(low)) for number in range(int(low), int(high or low) + 1)]
            heads = [head + tail for head in heads for tail in tails]
        names += heads
    return names


class Names:
    """Makes host lists of names that no other list has."""

    def __init__(self, rng):
        self.rng = rng
        self.known = set()

    def spec(self):
        while True:
            spec = self.candidate()
            names = expand(spec)
            if len(set(names)) == len(names) and not self.known & set(names):
                self.known |= set(names)
                return spec

    def candidate(self):
        rng = self.rng
        prefix = rng.choice(['n', 'node', 'cn-', 'gpu0x', 'rack1-', 'nid', 'ip-10-0-0-', 'Tiger', 'c01n', 'a.b', 'x_'])
        first = rng.randrange(0, 12)
        last = first + rng.randrange(0, 5)
        width = rng.choice([0, 0, 2, 3, 4])
        span = f'{str(first).zfill(width)}-{str(last).zfill(width)}'
        return rng.choice([
            lambda: f'{prefix}[{span}]',
            lambda: f'{prefix}[{span}]',
            lambda: f'{prefix}{first}',
            lambda: f'{prefix}[{first},{first + 2}-{first + 3},{first + 20}]',
            lambda: f'{prefix}[{first + 30},{span}]',
            lambda: f'{prefix}{rng.choice("pqr")}[1-2]s[{span}]',
            lambda: f'{prefix}u[0-1]v[8-9]w[{span}]',
            lambda: f'{prefix}[{span}],,{prefix}x{first}',
            lambda: f',{prefix}{first},{prefix}b[{span}],',
            lambda: f'{prefix}a,{prefix}b,{prefix}c',
        ])()


def some(rng, names, least=0):
    return rng.sample(names, rng.randint(min(least, len(names)), len(names)))


def listed(rng, names):
    """Returns a host list of names: single ones, and brackets where two neighbours differ in their last digits."""
    parts, rest = [], list(names)
    while rest:
        name = rest.pop(0)
        match = re.fullmatch(r'(.*?)(\d{1,3})', name)
        tails = [match[2]] if match else []
        while match and rest and rng.random() < 0.8:
            other = re.fullmatch(re.escape(match[1]) + r'(\d{1,3})', rest[0])
            if not other:
                break
            tails.append(other[1])
            rest.pop(0)
        parts.append(f'{match[1]}[{",".join(tails)}]' if len(tails) > 1 else name)
    return rng.choice([',', ',', ',', ',,']).join(parts) + rng.choice(['', '', '', ','])


# ---- text of configuration files

class Writer:
    """Writes lines of key=value pairs in all forms that Slurm's parser reads."""

    def __init__(self, rng, plain=False):
        self.rng = rng
        self.plain = plain
        self.end = '\r\n' if not plain and rng.random() < 0.15 else '\n'

    def key(self, key):
        return self.rng.choice([key, key, key, key.lower(), key.upper(), key.swapcase()])

    def value(self, value):
        rng = self.rng
        if ' ' in value or not value or '\t' in value:
            return f'"{value}"'
        if rng.random() < 0.15:
            return f'"{value}"'
        if len(value) > 3 and '\\' not in value and rng.random() < 0.08:
            cut = rng.randrange(1, len(value))
            return value[:cut] + '\\' + self.end + value[cut:]
        return value

    def pair(self, key, value):
        if self.plain:
            return f'{key}={value}' if value and ' ' not in value else f'{key}="{value}"'
        equals = self.rng.choice(['=', '=', '=', '=', ' = ', '= ', ' =', '\t='])
        return self.key(key) + equals + self.value(value)

    def line(self, pairs):
        rng = self.rng
        if self.plain:
            return ' '.join(self.pair(*pair) for pair in pairs) + '\n'
        text = rng.choice(['', '', '', '  ', '\t'])
        for number, pair in enumerate(pairs):
            if number:
                text += rng.choice([' ', ' ', ' ', '\t', '   ', ' \\' + self.end, '\\' + self.end + ' ',
                                    ' \\  ' + self.end + '\t'])
            text += self.pair(*pair)
        text += rng.choice(['', '', '', ' ', '\t', ' # a comment', '# with = and \\', '  ## "quoted" # twice'])
        return text + self.end

    def noise(self):
        rng = self.rng
        if self.plain or rng.random() < 0.7:
            return ''
        return rng.choice(['', '# NodeName=commented CPUs=3', '   ', '\t# indented', '#', '# ends in a backslash \\']) + self.end

    def text(self, lines):
        return ''.join(self.noise() + self.line(line) for line in lines)


# ---- the files of a site

def node_shape(rng):
    """Returns the pairs of a NodeName line behind its names."""
    boards, sockets, cores, threads = rng.choice([1, 1, 2]), rng.randint(1, 4), rng.randint(1, 8), rng.choice([1, 1, 2, 4])
    total = sockets * cores
    number = rng.choice([str, str, str, str, str, str, '0x{:x}'.format, '0{:o}'.format])
    threaded = [('CoresPerSocket', cores), ('ThreadsPerCore', threads)]
    pairs = rng.choice([
        [('CPUs', total)],
        [('Procs', total)],
        [('CPUs', total * threads), ('ThreadsPerCore', threads)],
        [('CPUs', total * threads)] + threaded,
        [('Sockets', sockets)] + threaded,
        [('Sockets', sockets), ('CPUs', total)] + threaded,
        [('Sockets', sockets), ('CPUs', total * threads)] + threaded,
        [('Boards', boards), ('SocketsPerBoard', sockets)] + threaded,
        [('Boards', boards), ('CoresPerSocket', cores)],
        [('SocketsPerBoard', sockets), ('Sockets', sockets + 1), ('CoresPerSocket', cores)],
        [('CPUs', total + 1), ('Sockets', sockets)] + threaded,
        [('CPUs', total), ('Sockets', sockets), ('Sockets', sockets + 1)],
        [('CoresPerSocket', 0), ('ThreadsPerCore', 0)],
        [('CPUs', 0), ('Sockets', sockets)] + threaded,
        [('ThreadsPerCore', 1)],
        [],
    ])
    pairs = [(key, number(value)) for key, value in pairs]
    for chance, key, values in (
            (0.25, 'CoreSpecCount', ['0', '1', '2', '5']),
            (0.25, 'CpuSpecList', ['0', '1', '0-1', '0,2', '3-4', '1,1', '0-200']),
            (0.35, 'State', ['UNKNOWN', 'IDLE', 'DOWN', 'DRAIN', 'drained', 'Fail', 'FUTURE', 'future', 'CLOUD', 'cloud',
                             'unknown', 'down']),
            (0.3, rng.choice(['Feature', 'Features']), ['big', 'big,fast', 'fast', 'slow']),
            (0.3, 'RealMemory', ['1000', '64000']),
            (0.2, 'Weight', ['1', '9']),
            (0.15, 'Reason', ['bad\\#1', 'x', 'two words'])):
        if rng.random() < chance:
            pairs.append((key, rng.choice(values)))
    rng.shuffle(pairs)
    return pairs


class Site:
    """The lines of the files of a site."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        names = Names(rng)
        self.specs = [names.spec() for _ in range(rng.randint(1, 5))]
        self.nodes = [name for spec in self.specs for name in expand(spec)]
        self.retired = expand(Names(random.Random(seed + 1)).spec()) if rng.random() < 0.4 else []
        self.retired = [name for name in self.retired if name not in self.nodes]
        self.cluster = rng.choice(['test', 'Test', 'HPC2'])
        self.switches = self.make_switches()
        self.kinds = random.Random(f'{seed} kind')  # its own, so that the files of old versions of Slurm do not change
        self.yaml = version >= (25, 5) and self.kinds.random() < 0.5
        self.kind = 'tree'
        if version >= (23, 11) and self.kinds.random() < 0.5:
            self.kind = self.kinds.choice(['block', 'block', 'ring', 'flat', 'torus3d'] if self.yaml else
                                          ['block', 'ring'] if version >= (26, 5) else ['block'])
        if self.kind != 'tree':
            self.switches = self.make_blocks()
        self.place_of_spec = {}  # the switch or block of Topology=
        leaves = [name for name, nodes, _ in self.switches if nodes is not None]
        if version >= (25, 5) and self.kind in ('tree', 'block') and self.kinds.random() < 0.3:
            self.place_of_spec = {spec: self.kinds.choice(leaves) for spec in self.specs if self.kinds.random() < 0.7}
        self.by_rank = version >= (23, 11) and not self.place_of_spec and self.kinds.random() < 0.3
        self.has_functions = version >= (24, 11) and self.kind != 'flat' and not self.place_of_spec and self.kinds.random() < 0.5
        self.has_nested = version < (23, 11) and self.kinds.random() < 0.02  # brackets in brackets, which Slurm refuses

    def make_blocks(self):
        """Returns blocks or rings as records of switches."""
        rng = self.kinds
        rest = rng.sample(self.nodes, len(self.nodes))
        if self.retired and rng.random() < 0.5:
            rest += self.retired
        count = rng.randint(1, 5)
        blocks = [(rng.choice([f'b{number}', f'B{number:02}']), rest[number::count], None) for number in range(count)]
        if self.kind == 'block' and version >= (25, 5):
            for number in range(rng.choice([0, 0, 1, 2])):
                blocks.insert(rng.randint(0, len(blocks)), (f'reserve{number}', [], None))
        least = min([len(nodes) for _, nodes, _ in blocks if nodes])
        size = rng.randint(1, max(1, least))
        self.sizes = rng.choice([[], [size], [size, 2 * size], [size, 4 * size], [size, 2 * size, 8 * size]])
        if version < (24, 5):  # it has no BlockSizes=
            self.sizes = []
        return blocks

    def node_lines(self):
        rng = self.rng
        lines = []
        for number, spec in enumerate(self.specs):
            while rng.random() < 0.25:
                lines.append([('NodeName', rng.choice(['DEFAULT', 'default']))] + node_shape(rng))
            pairs = node_shape(rng)
            pairs.insert(rng.randint(0, len(pairs)), ('NodeAddr', f'127.1.{number}.[1-{len(expand(spec))}]'))
            if spec in self.place_of_spec:
                pairs.append(('Topology', f'default:{self.place_of_spec[spec]}'))
            lines.append([('NodeName', spec)] + pairs)
        if self.has_nested:
            lines.append([('NodeName', self.kinds.choice(['o[1-[2-3]]', 'o[[1-2]]', 'o[1,p[2-3]]']))])
        return lines

    def other_lines(self):
        rng = self.rng
        down = [[('DownNodes', listed(rng, some(rng, self.nodes + self.retired, 1))),
                 ('State', rng.choice(['DOWN', 'DRAIN', 'FAIL', 'UNKNOWN', 'IDLE', 'nonsense'])), ('Reason', 'it is broken')]
                for _ in range(rng.choice([0, 0, 1, 2]))]
        if down and rng.random() < 0.3:
            del down[0][1]
        sets = []
        for name in ('seta', 'setb', 'set1')[:rng.choice([0, 1, 3])]:
            line = [('NodeSet', name)]
            if rng.random() < 0.6:
                line.append(('Feature', rng.choice(['big', 'fast', 'missing'])))
            if version >= (23, 11) and rng.random() < 0.2:
                line.append(('Nodes', rng.choice(['ALL', 'all'])))
            elif len(line) == 1 or rng.random() < 0.5:
                line.append(('Nodes', listed(rng, some(rng, self.nodes, 1))))
            sets.append(line)
        partitions = []
        for number in range(rng.randint(1, 4)):
            while rng.random() < 0.2:
                partitions.append([('PartitionName', 'DEFAULT'), ('Nodes', listed(rng, some(rng, self.nodes, 1)))])
            line = [('PartitionName', f'p{number}')]
            if rng.random() < 0.85:
                names = some(rng, self.nodes, 1)
                if sets and rng.random() < 0.5:
                    names = [rng.choice(sets)[0][1]] + names[:2]
                spaced = rng.choice([',', ',', ' ']).join(names)
                line.append(('Nodes', rng.choice(['ALL', 'all', listed(rng, names), listed(rng, names), spaced])))
                if self.has_functions and self.kinds.random() < 0.7:
                    line.append(('Nodes', self.function() + self.kinds.choice(['', ',' + self.nodes[0]])))
            partitions.append(line + rng.choice([[], [('State', 'UP')], [('MaxTime', '1-00:00:00')], [('Default', 'YES')]]))
        return down + sets + partitions

    def function(self):
        """Returns a function that slurmctld replaces by nodes."""
        word = 'torus' if self.kind == 'torus3d' else self.kinds.choice(['switch', 'block'])
        places = ['t'] if self.kind == 'torus3d' else [name for name, _, _ in self.switches]
        return self.kinds.choice([f'{word}{{{self.kinds.choice(places + ["missing"])}}}',
                                  f'{word}with{{{self.kinds.choice(self.nodes)}}}', 'feature{big}'])

    def make_switches(self):
        """Returns records (name, names of nodes or None, names of children or None)."""
        rng = self.rng
        rest = self.nodes + self.retired
        rng.shuffle(rest)
        if rng.random() < 0.3:
            rest = rest[:len(rest) // 2 + 1]
        records = []
        tops = []
        count = rng.randint(1, 5)
        for number in range(count):
            share = rest[number::count]
            if rng.random() < 0.05:
                share = share + [rng.choice(self.nodes)]  # on two switches, or twice on this one
            name = rng.choice([f'leaf{number}', f'L{number:02}', f'sw-{number}'])
            records.append((name, share, None))
            tops.append(name)
        for level in range(rng.choice([0, 1, 1, 2, 3])):
            if len(tops) < 2 and rng.random() < 0.7:
                break
            rng.shuffle(tops)
            above = []
            for number in range(rng.randint(1, max(1, len(tops) // 2))):
                children = tops[number::max(1, len(tops) // 2)]
                if not children:
                    continue
                if rng.random() < 0.1:
                    children = children + [rng.choice(records)[0]]
                records.append((f'up{level}x{number}', None, list(dict.fromkeys(children))))
                above.append(records[-1][0])
            used = {child for record in records for child in record[2] or []}
            tops = above + [top for top in tops if top not in used]
        rng.shuffle(records)
        return records

    def topology_lines(self, with_nodes=True):
        rng = self.rng
        lines = []
        if self.kind in ('block', 'ring'):
            lines = [[(self.kind.capitalize() + 'Name', name)] + ([('Nodes', listed(rng, nodes))] if nodes else [])
                     for name, nodes, _ in self.switches]
            if self.kind == 'block' and self.sizes:
                lines.append([('BlockSizes', ','.join(map(str, self.sizes)))])
            return lines
        for name, nodes, children in self.switches:
            line = [('SwitchName', name)]
            if nodes is not None:
                line.append(('Nodes', listed(rng, nodes) if with_nodes and nodes else ''))
            else:
                line.append(('Switches', listed(rng, children)))
            if rng.random() < 0.2:
                line += self.kinds.choice([1, 2]) * [('LinkSpeed', '100')]
            lines.append(line)
        return lines

    def gres_lines(self, directory):
        """Returns the lines of gres.conf for the nodes of the first list; its devices are files of `directory`."""
        rng = self.rng
        mine = expand(self.specs[0])
        lines, count, with_flags = [], 0, rng.random() < 0.2
        for _ in range(rng.randint(1, 3)):
            files = rng.randint(1, 3)
            span = f'[{count}-{count + files - 1}]' if files > 1 else f'{count}'
            line = [('Name', 'gpu'), (rng.choice(['File', 'Files']), f'{directory}/gpu{span}')]
            if rng.random() < 0.5:
                line.append((rng.choice(['Cores', 'CPUs']), '0'))
            if rng.random() < 0.5:
                links = [str(rng.randint(0, 4)) for _ in range(4)]
                links[count % 4] = '-1'
                line.append((rng.choice(['Links', 'Link']), rng.choice([',', ',', ',,']).join(links)))
            if with_flags:
                line.append(('Flags', 'nvidia_gpu_env'))
            if rng.random() < 0.7:
                line.insert(0, ('NodeName', listed(rng, mine)))
            lines.append(line)
            count += files
        if rng.random() < 0.3:
            lines.insert(0, [('NodeName', listed(rng, self.nodes)), ('Name', 'shmem'), ('Count', '4')])
        if rng.random() < 0.2:
            lines.append([('AutoDetect', 'off')])
        return lines, count

    def is_simple(self):
        """Whether these are switches, each node is in Nodes= of one of them, and each switch below at most one."""
        if self.kind != 'tree':
            return False
        nodes = [name for _, names, _ in self.switches for name in names or []]
        children = [name for _, _, names in self.switches for name in names or []]
        return len(set(nodes)) == len(nodes) and len(set(children)) == len(children)


# ---- writing

class Directory:
    """Writes files; some lines of a file go to files that it includes."""

    def __init__(self, path, rng, cluster):
        self.path, self.rng, self.cluster = path, rng, cluster
        os.makedirs(path, exist_ok=True)
        self.count = 0

    def write(self, name, text):
        with open(os.path.join(self.path, name), 'w', newline='') as file:
            file.write(text)

    def write_lines(self, name, head, lines, by_cluster):
        rng, writer = self.rng, Writer(self.rng)
        text, waiting = head.replace('\n', writer.end), list(lines)
        while waiting:
            take = rng.randint(1, len(waiting))
            part, waiting = waiting[:take], waiting[take:]
            if rng.random() < 0.8:
                text += writer.text(part)
                continue
            self.count += 1
            modifier = '%c' if by_cluster and rng.random() < 0.5 else ''
            included = f'part{self.count}_{modifier}.conf'
            text += rng.choice(['include', 'Include', 'INCLUDE']) + rng.choice([' ', '\t', '  ']) + included + writer.end
            self.write(included.replace('%c', self.cluster.lower()), Writer(rng).text(part))
        if rng.random() < 0.1:
            text = text.rstrip('\r\n')
        self.write(name, text)


def head_of_slurm_conf(site, directory, port):
    spec = site.rng.choice(['', '', 'SchedulerParameters=bf_window=10,spec_cores_first\n'])
    if site.by_rank and site.kind == 'tree':
        spec += 'TopologyParam=RouteTree,SwitchAsNodeRank\n'
    if site.by_rank and site.kind == 'block' and version >= (25, 11):
        spec += 'TopologyParam=BlockAsNodeRank\n'
    return f"""ClusterName={site.cluster}
SlurmctldHost={socket.gethostname()}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={port + 1}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.pid
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
TopologyPlugin=topology/{site.kind if site.kind in ('block', 'ring') else 'tree'}
ReturnToService=2
PrivateData=cloud
GresTypes=gpu,shmem
{spec}"""


def yaml_of(site):
    """Returns the switches, blocks or rings as a topology.yaml."""
    rng = site.rng
    word = {'tree': 'switch', 'block': 'block', 'ring': 'ring'}.get(site.kind)
    lines = ['- topology: default', '  cluster_default: true']
    if site.kind == 'flat':
        lines.append('  flat: true')
    elif site.kind == 'torus3d':
        lines += ['  torus3d:', '    toruses:', '      - name: t', f'        dims: {{x: {len(site.nodes)}, y: 1, z: 1}}',
                  f'        nodes: "{",".join(site.nodes)}"']
    else:
        lines += [f'  {site.kind}:', f'    {word}{"e" if word == "switch" else ""}s:']
    for name, nodes, children in site.switches if word else []:
        key, value = ('children', ','.join(children)) if nodes is None else ('nodes', ','.join(nodes))
        if not value:
            lines.append(f'      - {word}: {name}')
        elif rng.random() < 0.3:
            lines.append(f'      - {{{word}: {name}, {key}: "{value}"}}')
        else:
            quote = rng.choice(['', '"', "'"])
            lines += [f'      - {word}: {name}  # comment', f'        {key}: {quote}{value}{quote}']
    if site.kind == 'block' and site.sizes:
        lines.append(f'    block_sizes: {site.sizes}')
    other = ['- topology: other', '  cluster_default: false', '  flat: true']
    if site.yaml and rng.random() < 0.5:
        lines = other + lines if rng.random() < 0.5 else lines + other
    return '\n'.join(['---'] + lines) + '\n'


# ---- Slurm's answers

class Refused(Exception):
    pass


def slurm_version():
    text = subprocess.run(['slurmctld', '-V'], capture_output=True, text=True, check=True).stdout
    return tuple(int(number) for number in re.findall(r'\d+', text)[:2])


class Slurmctld:
    def __init__(self, directory):
        self.environment = dict(os.environ, SLURM_CONF=f'{directory}/slurm.conf')
        os.makedirs(f'{directory}/state', exist_ok=True)
        self.log = f'{directory}/slurmctld.log'
        with open(self.log, 'w') as log:
            self.process = subprocess.Popen(['slurmctld', '-D', '-i', '-f', f'{directory}/slurm.conf'], env=self.environment,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def __enter__(self):
        for _ in range(1000):
            if self.process.poll() is not None:
                with open(self.log, errors='replace') as log:
                    raise Refused(log.read())
            if 'UP' in self.scontrol('ping', check=False):
                return self
            time.sleep(0.03)
        self.process.kill()
        raise RuntimeError('slurmctld does not answer: ' + self.log)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def slurmd_gres(self, node):
        """Returns what slurmd prints of the node's GPUs; nothing where it refuses them."""
        run = subprocess.run(['slurmd', '-G', '-N', node], env=self.environment, capture_output=True, text=True, errors='replace')
        return run.stderr + run.stdout if run.returncode == 0 else None

    def scontrol(self, *words, check=True):
        run = subprocess.run(['scontrol', *words], env=self.environment, capture_output=True, text=True, errors='replace')
        if check and run.returncode != 0:
            raise RuntimeError(f'scontrol {words}: {run.stderr}')
        return run.stdout


def pairs_of(line):
    return dict(re.findall(r'(\S+?)=(\S*)', line))


def cores_of(text):
    cores = []
    for part in filter(None, text.split(',')):
        low, _, high = part.partition('-')
        cores += range(int(low), int(high or low) + 1)
    return cores


# ---- comparison

class Differences(Exception):
    pass


def expect(what, ours, slurms):
    if ours != slurms:
        raise Differences(f'{what}: we have {ours!r}, Slurm has {slurms!r}')


def compare_nodes(ours, text):
    slurms = [pairs_of(line) for line in text.splitlines() if line.startswith('NodeName=')]
    expect('order of the nodes', [node['name'] for node in ours], [node['NodeName'] for node in slurms])
    for node, slurm in zip(ours, slurms):
        name = node['name']
        total = node['sockets'] * node['cores_per_socket']
        expect(f'{name} sockets', node['sockets'], int(slurm['Sockets']))
        expect(f'{name} cores per socket', node['cores_per_socket'], int(slurm['CoresPerSocket']))
        expect(f'{name} threads per core', node['threads_per_core'], int(slurm['ThreadsPerCore']))
        cpus = int(slurm['CPUTot'])
        if cpus != node['sockets']:  # otherwise Slurm counts sockets as CPUs
            expect(f'{name} CPUs', total * node['cpus_per_core'], cpus)
        usable = cores_of(node['usable_cores'])
        state = slurm['State']
        if re.search('DOWN|DRAIN|FAIL|FUTURE|ERROR', state.replace('POWERED_DOWN', '')):
            expect(f'{name} usable cores in state {state}', usable, [])
            continue
        expect(f'{name} number of usable cores', len(usable), total - int(slurm.get('CoreSpecCount', 0)))
        if 'CPUSpecList' in slurm:
            taken = {cpu // node['cpus_per_core'] for cpu in cores_of(slurm['CPUSpecList'])}
            expect(f'{name} usable cores', usable, [core for core in range(total) if core not in taken])


def compare_partitions(ours, text):
    slurms = [pairs_of(line) for line in text.splitlines() if line.startswith('PartitionName=')]
    expect('partitions', [one['name'] for one in ours], [one['PartitionName'] for one in slurms])
    for one, slurm in zip(ours, slurms):
        nodes = [] if slurm['Nodes'] == '(null)' else expand(slurm['Nodes'])
        expect(f'nodes of partition {one["name"]}', sorted(expand(one['nodes'])), sorted(nodes))


def compare_switches(ours, text, known):
    """Compares the tree of switches, without those that hold no known node, which we leave out."""
    slurms = {}
    for line in text.splitlines():
        pairs = pairs_of(line)
        if 'SwitchName' in pairs:
            nodes = [] if pairs.get('Nodes', '') in ('', '(null)') else expand(pairs['Nodes'])
            children = expand(pairs['Switches']) if pairs.get('Switches', '(null)') != '(null)' else []
            slurms[pairs['SwitchName']] = (set(nodes) & set(known), children)
    full = {name: value for name, value in slurms.items() if value[0]}

    def level(name):
        children = [child for child in full[name][1] if child in full]
        return 1 + max(map(level, children)) if children else 0

    below = [set(expand(one['nodes'])) for one in ours]
    height = [0] * len(ours)
    for index, one in enumerate(ours):  # each is before its parent
        if one['parent'] >= 0:
            below[one['parent']] |= below[index]
            height[one['parent']] = max(height[one['parent']], height[index] + 1)
    expect('switches with nodes', sorted(one['name'] for one in ours), sorted(full))
    for index, one in enumerate(ours):
        expect(f'nodes of switch {one["name"]}', sorted(below[index]), sorted(full[one['name']][0]))
        expect(f'level of switch {one["name"]}', height[index], level(one['name']))


def compare_blocks(ours, text, known):
    """Compares blocks or rings, and the larger blocks that hold two blocks or more."""
    slurms = {}
    for line in text.splitlines():
        pairs = pairs_of(line)
        name = pairs.get('BlockName') or pairs.get('RingName') or pairs.get('AggregatedBlock')
        if name:
            nodes = pairs.get('Nodes', '(null)')
            slurms[frozenset(expand(name))] = set() if nodes in ('', '(null)') else set(expand(nodes)) & set(known)
    below = [set(expand(one['nodes'])) for one in ours]
    for index, one in enumerate(ours):
        if one['parent'] >= 0:
            below[one['parent']] |= below[index]
    mine = {frozenset(expand(one['name'])): below[index] for index, one in enumerate(ours) if one['name'] != 'all blocks'}
    single = lambda blocks: {name: nodes for name, nodes in blocks.items() if len(name) == 1 and nodes}
    expect('blocks', single(mine), single(slurms))
    for name, nodes in mine.items():
        expect(f'nodes of {sorted(name)}', nodes, slurms.get(name))
    larger = {frozenset(nodes) for name, nodes in slurms.items() if len(name) > 1 and nodes}
    expect('larger blocks', {nodes for nodes in larger if nodes not in map(frozenset, mine.values())}, set())


def compare_gpus(ours, text):
    slurms = [pairs_of(line) for line in text.splitlines() if ' Gres Name=gpu ' in line]
    slurms = [dict(slurm, File=file) for slurm in slurms for file in expand(slurm['File'])]
    expect('GPU files', [gpu['file'] for gpu in ours], [gpu['File'] for gpu in slurms])
    for gpu, slurm in zip(ours, slurms):
        expect(f'cores of {gpu["file"]}', gpu['cores'], slurm.get('Cores', '').replace('(null)', ''))
        links = [int(number) for number in slurm.get('Links', '').replace('(null)', '').split(',') if number]
        expect(f'links of {gpu["file"]}', gpu['links'], links)


class Reader:
    def __init__(self, placectl):
        self.placectl = placectl

    def read(self, directory):
        run = subprocess.run([self.placectl, 'check-config', '--json', '--slurm-conf', f'{directory}/slurm.conf'],
                             capture_output=True, text=True, errors='replace')
        if run.returncode < 0:
            raise RuntimeError(f'placectl ends by signal {-run.returncode}')
        if run.returncode != 0:
            raise Differences(f'placectl refuses what slurmctld accepts: {run.stderr.strip()}')
        return json.loads(run.stdout)


def switches_elsewhere(reader, site, directory, name, topology, slurm_conf=None):
    """Returns our switches for another file with the topology."""
    other = Directory(f'{directory}/{name}', site.rng, site.cluster)
    other.write(topology[0], topology[1])
    other.write('slurm.conf', slurm_conf or f'Include {directory}/slurm.conf\n')
    for included in glob.glob(f'{directory}/part*'):  # from Slurm 23.02 on relative to the directory of the first file
        shutil.copy(included, other.path)
    return reader.read(other.path)['switches']


def by_topology_key(site):
    """Returns a slurm.conf in which each node names its switch."""
    leaf = {name: switch for switch, names, _ in site.switches for name in names or []}
    lines = ['SlurmctldHost=localhost\n']
    for name in site.nodes:
        lines.append(f'NodeName={name}' + (f' Topology=default:{leaf[name]}' if name in leaf else '') + '\n')
    return ''.join(lines)


def named(switches):
    """Returns name, parent and nodes of each switch, in an order that does not depend on the file."""
    return sorted((one['name'], switches[one['parent']]['name'] if one['parent'] >= 0 else '', sorted(expand(one['nodes'])))
                  for one in switches)


def run_seed(seed, directory, port, reader):
    site = Site(seed)
    files = Directory(directory, site.rng, site.cluster)
    nodes, others = site.node_lines(), site.other_lines()
    gres, devices = site.gres_lines(directory)
    for number in range(devices):
        os.symlink('/dev/null', f'{directory}/gpu{number}')  # a device file
    for line in nodes:
        if line[0][1] == site.specs[0]:
            line.append(('Gres', f'gpu:{devices}'))
    files.write_lines('gres.conf', '', gres, False)
    files.write_lines('slurm.conf', head_of_slurm_conf(site, directory, port), nodes + others, True)
    if site.yaml:
        files.write('topology.yaml', yaml_of(site))
    else:
        files.write_lines('topology.conf', '', site.topology_lines(), False)
    with Slurmctld(directory) as slurmctld:
        shown_nodes = slurmctld.scontrol('-a', '-F', '-o', 'show', 'nodes')
        partitions = slurmctld.scontrol('-a', '-o', 'show', 'partition')
        topology = slurmctld.scontrol('show', 'topology')
        gpus = {node: slurmctld.slurmd_gres(node) for node in expand(site.specs[0])[:2]}
    ours = reader.read(directory)
    compare_nodes(ours['nodes'], shown_nodes)
    compare_partitions(ours['partitions'], partitions)
    for node in ours['nodes']:
        if gpus.get(node['name']):
            compare_gpus(node['gpus'], gpus[node['name']])
    if site.kind in ('flat', 'torus3d'):
        expect('switches', ours['switches'], [])
        return
    if site.kind in ('block', 'ring'):
        compare_blocks(ours['switches'], topology, site.nodes)
    elif site.is_simple():
        compare_switches(ours['switches'], topology, site.nodes)
    if site.place_of_spec or site.has_functions:  # these need the file that slurmctld reads
        return
    printed = switches_elsewhere(reader, site, directory, 'printed', ('topology.conf', topology))
    expect('switches', named(ours['switches']), named(printed))
    yaml = switches_elsewhere(reader, site, directory, 'yaml', ('topology.yaml', yaml_of(site)))
    expect('switches of topology.yaml', named(yaml), named(printed))
    if site.is_simple():
        plain = Writer(site.rng, plain=True).text(site.topology_lines(with_nodes=False))
        keyed = switches_elsewhere(reader, site, directory, 'keyed', ('topology.conf', plain), by_topology_key(site))
        expect('switches by Topology=', named(keyed), named(printed))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--placectl', default='placectl', help='the program to test')
    parser.add_argument('--seeds', default='1-25', help='a number or a range [%(default)s]')
    parser.add_argument('--port', type=int, default=17100, help='two free TCP ports from here on [%(default)s]')
    parser.add_argument('--keep', metavar='DIR', help='keep the files of seeds that differ in DIR')
    options = parser.parse_args()
    global version
    version = slurm_version()
    first, _, last = options.seeds.partition('-')
    reader = Reader(options.placectl)
    same = refused = 0
    different = []
    for seed in range(int(first), int(last or first) + 1):
        directory = tempfile.mkdtemp(prefix=f'site-{seed}-')
        try:
            run_seed(seed, directory, options.port, reader)
            same += 1
        except Refused as reason:
            refused += 1
            with contextlib.suppress(Differences):
                reader.read(directory)
            fatal = [line for line in str(reason).splitlines() if re.search('fatal|error', line)]
            print(f'seed {seed}: slurmctld refuses: {fatal[-2:]}', flush=True)
        except Differences as reason:
            different.append(seed)
            print(f'seed {seed}: {reason}', flush=True)
            if options.keep:
                shutil.copytree(directory, os.path.join(options.keep, str(seed)), dirs_exist_ok=True)
        shutil.rmtree(directory)
    print(f'{same} seeds agree, {len(different)} differ {different}, slurmctld refuses {refused}', flush=True)
    return 1 if different or same <= refused else 0


if __name__ == '__main__':
    sys.exit(main())
