# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings of programs for SimGrid's replay, made once and kept for all parts: NAME.tar.zst next to the folders of the parts."""
import os
import shutil

from reproduce.runner import EVALUATION, PartError

LAMMPS_PACKAGES = ["lammps", "lammps-examples", "libsimgrid-dev", "libopenmpi-dev", "openmpi-bin", "gcc", "zstd"]
EXAMPLES = "/usr/share/lammps/examples"

# Lennard-Jones atoms that melt: 32,000 of them, as in LAMMPS' own benchmark of that name and in miniMD.
MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
run {steps}
"""

# A protein in water with the force field, long-range solver and constraints of LAMMPS' rhodopsin benchmark. That benchmark's data
# are not in Debian's packages; those of the example "peptide" are, and sixteen copies have 32,064 atoms where rhodopsin has 32,000.
RHODOPSIN = f"""units real
atom_style full
pair_style lj/charmm/coul/long 8.0 10.0 10.0
bond_style harmonic
angle_style charmm
dihedral_style charmm
improper_style harmonic
kspace_style pppm 0.0001
read_data {EXAMPLES}/peptide/data.peptide
replicate 4 2 2
neighbor 2.0 bin
neigh_modify delay 5 every 1
timestep 2.0
fix 1 all nvt temp 275.0 275.0 100.0 tchain 1
fix 2 all shake 0.0001 10 100 b 4 6 8 10 12 14 18 a 31
run {{steps}}
"""
INPUTS = {"melt": MELT, "rhodopsin": RHODOPSIN}


def lammps(run, kind, ranks, steps):
    """The time steps of LAMMPS, without its start and end."""
    name = f"{kind}-{ranks}-{steps}"
    archive = os.path.join(os.path.dirname(run.folder), f"{name}.tar.zst")
    if os.path.exists(archive):
        return archive
    if not shutil.which("lmp"):
        raise PartError("needs LAMMPS: install the package lammps")
    run.command("mpicc", "-O2", "-shared", "-fPIC", "-o", run.path("ti_recorder.so"), os.path.join(EVALUATION, "ti_recorder.c"))
    whole, part = run.path("whole-" + name), run.path(name)
    for folder in (whole, part):
        shutil.rmtree(folder + "_files", ignore_errors=True)
        os.makedirs(folder + "_files")
    run.write("in." + name, INPUTS[kind].format(steps=steps))
    run.command("mpirun", "--oversubscribe", "-n", ranks, "-x", "LD_PRELOAD=" + run.path("ti_recorder.so"), "-x", "TI_TRACE=" + whole,
                "lmp", "-in", "in." + name, "-log", "none", OMP_NUM_THREADS="1", OMPI_MCA_mpi_yield_when_idle="1",
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    keep_loop(whole, part)
    run.command("tar", "--zstd", "-cf", archive + ".new", name, name + "_files")
    os.replace(archive + ".new", archive)
    return archive


def keep_loop(whole, part):
    """LAMMPS has a barrier before and after its time steps. Writes the part between these two, of each rank."""
    with open(whole) as index:
        files = [os.path.basename(line.strip()) for line in index]
    chosen, lines_of_index = None, []
    for file in files:
        with open(os.path.join(whole + "_files", file)) as trace:
            lines = trace.read().splitlines()
        parts = [[]]
        for line in lines:
            if line.split()[1] == "barrier":
                parts.append([])
            else:
                parts[-1].append(line)
        if chosen is None:
            chosen = loop_of(parts)
        rank = lines[0].split()[0]
        with open(os.path.join(part + "_files", file), "w") as out:
            out.write("\n".join([f"{rank} init"] + parts[chosen] + [f"{rank} finalize"]) + "\n")
        lines_of_index.append(f"{os.path.basename(part)}_files/{file}\n")
    with open(part, "w") as out:
        out.writelines(lines_of_index)


def loop_of(parts):
    """The number of the part with the time steps: the last one in which messages are waited for."""
    with_messages = [k for k, part in enumerate(parts) if any(" wait " in line for line in part)]
    if not with_messages:
        raise PartError("the recording has no messages between two barriers")
    return with_messages[-1]


def white_hole(run):
    """A trace of the shape of NPB DT, class C, White Hole: rank 0 sends 28,317,448 doubles to each of four ranks, each rank to four
    others, and so on over 85 ranks. Each rank computes before it sends, and the last ones answer. Sizes and operations were
    measured on NPB 3.4 under SMPI 3.32; operations are means of the ranks of each level."""
    archive = os.path.join(os.path.dirname(run.folder), "white-hole-85.tar.zst")
    if os.path.exists(archive):
        return archive
    os.makedirs(run.path("white-hole_files"), exist_ok=True)
    ranks, inner, size = 85, 21, 8 * 28317448
    index = []
    for rank in range(ranks):
        children = [4 * rank + k for k in (4, 3, 2, 1)] if rank < inner else []
        lines = [f"{rank} init"]
        if rank == 0:
            lines.append("0 compute 6.2234e8")
        else:
            parent = (rank - 1) // 4
            tag = 84 - rank
            lines += [f"{rank} recv {parent} {tag} 1 6", f"{rank} compute 7.7e7", f"{rank} recv {parent} {tag} {size} 6"]
            lines.append(f"{rank} compute {2.34e9 if children else 1.4e8:.5g}")
        for child in children:
            lines += [f"{rank} send {child} {84 - child} 1 6", f"{rank} compute 16000", f"{rank} send {child} {84 - child} {size} 6",
                      f"{rank} compute 16000"]
        if rank >= inner:
            lines.append(f"{rank} send 0 {84 + rank} 1 6")
        if rank == 0:
            lines += [f"0 recv {leaf} {84 + leaf} 1 6" for leaf in range(inner, ranks)]
        lines.append(f"{rank} finalize")
        file = f"white-hole_files/rank-{rank}.txt"
        run.write(file, "\n".join(lines) + "\n")
        index.append(file + "\n")
    run.write("white-hole", "".join(index))
    run.command("tar", "--zstd", "-cf", archive + ".new", "white-hole", "white-hole_files")
    os.replace(archive + ".new", archive)
    return archive
