#!/usr/bin/env python3
"""older_glibc.py LIMIT FILE: makes an ELF file start with glibc LIMIT, such as 2.28, although it was linked with a newer
one. Prints the names of the functions that came into another version or library of glibc since; an error if the file is
no 64-bit little-endian ELF file.

The loader refuses a file whose version needs (.gnu.version_r) name a version that the machine's libc lacks, so they name
the oldest one that the file knows. A symbol of a newer version is asked for without any version afterwards, which the
loader finds in whichever library has it, in its oldest form. (Source: elf/dl-version.c and elf/dl-lookup.c of glibc.)"""
import re
import struct
import sys

VERNEED, VERSYM, DYNSYM = 0x6FFFFFFE, 0x6FFFFFFF, 11
WITHOUT_VERSION = 1


def text_at(data, place):
    return data[place:data.index(b"\0", place)].decode()


def sections(data):
    (first,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    for index in range(count):
        _, kind, _, _, offset, length, link, _, _, _ = struct.unpack_from("<IIQQQQIIQQ", data, first + index * size)
        yield kind, offset, length, link


def glibc(name):
    """(2, 34) of GLIBC_2.34; None of other versions."""
    version = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", name)
    return version and tuple(map(int, version.groups()))


def needs(data):
    """(place of the entry, its version's name) of each version of a library that the file needs."""
    table = list(sections(data))
    for _, offset, _, link in (section for section in table if section[0] == VERNEED):
        step = None
        while step != 0:
            _, count, _, place, step = struct.unpack_from("<HHIII", data, offset)
            place += offset
            for _ in range(count):
                _, _, _, name, following = struct.unpack_from("<IHHII", data, place)
                yield place, text_at(data, table[link][1] + name)
                place += following
            offset += step


def replace_newer(data, limit):
    """The indices of the versions that are newer, by which the symbols name them."""
    versions = [(place, glibc(name)) for place, name in needs(data) if glibc(name)]
    newer = [place for place, version in versions if version > limit]
    if newer:
        _, oldest = min((version, place) for place, version in versions)
        digest, _, _, name, _ = struct.unpack_from("<IHHII", data, oldest)
    for place in newer:
        struct.pack_into("<I", data, place, digest)
        struct.pack_into("<I", data, place + 8, name)
    return {struct.unpack_from("<H", data, place + 6)[0] & 0x7FFF for place in newer}


def free_symbols(data, indices):
    """Takes the versions off the symbols, and yields the symbols' names."""
    table = list(sections(data))
    versions = next((offset for kind, offset, _, _ in table if kind == VERSYM), None)
    for _, offset, length, link in (section for section in table if section[0] == DYNSYM and versions is not None):
        for number in range(length // 24):
            (index,) = struct.unpack_from("<H", data, versions + 2 * number)
            if index & 0x7FFF in indices:
                struct.pack_into("<H", data, versions + 2 * number, WITHOUT_VERSION)
                (name,) = struct.unpack_from("<I", data, offset + 24 * number)
                yield text_at(data, table[link][1] + name)


def main():
    limit = tuple(map(int, sys.argv[1].split(".")))
    with open(sys.argv[2], "r+b") as file:
        data = bytearray(file.read())
        if data[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"error: {sys.argv[2]} is no 64-bit little-endian ELF file")
        names = set(free_symbols(data, replace_newer(data, limit)))
        print("".join(f"{name}\n" for name in sorted(names)), end="")
        file.seek(0)
        file.write(data)


main()
