#!/usr/bin/env python3
"""older_glibc.py LIMIT FILE: what an ELF file asks of a glibc newer than LIMIT, such as 2.34, it asks of LIMIT or an older
version instead, so that an older loader accepts the file. Prints the names of the symbols, which another library must then
provide; an error if the file is no 64-bit little-endian ELF file.

The loader refuses a file whose version needs (.gnu.version_r) name a version that the machine's libc lacks. It finds the
symbols themselves in any library that defines them without a version."""
import re
import struct
import sys

VERNEED, VERSYM, DYNSYM = 0x6FFFFFFE, 0x6FFFFFFF, 11


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


def needs(data, offset, strings):
    """(place of the entry, its version) of each version that is needed of one library."""
    _, count, _, first, _ = struct.unpack_from("<HHIII", data, offset)
    place = offset + first
    for _ in range(count):
        _, _, _, name, step = struct.unpack_from("<IHHII", data, place)
        yield place, glibc(text_at(data, strings + name))
        place += step


def replace_newer(data, limit):
    """The indices of the versions that are newer."""
    table = list(sections(data))
    indices = set()
    for kind, offset, _, link in table:
        if kind != VERNEED:
            continue
        while True:
            versions = [(place, version) for place, version in needs(data, offset, table[link][1]) if version]
            newer = [place for place, version in versions if version > limit]
            if newer:
                place = max((version, place) for place, version in versions if version <= limit)[1]
                digest, _, _, name, _ = struct.unpack_from("<IHHII", data, place)
            for place in newer:
                struct.pack_into("<I", data, place, digest)
                struct.pack_into("<I", data, place + 8, name)
                indices.add(struct.unpack_from("<H", data, place + 6)[0])
            (following,) = struct.unpack_from("<I", data, offset + 12)
            if following == 0:
                break
            offset += following
    return indices


def names_of(data, indices):
    table = list(sections(data))
    versions = next((offset for kind, offset, _, _ in table if kind == VERSYM), None)
    for kind, offset, length, link in table:
        if kind != DYNSYM or versions is None:
            continue
        for number in range(length // 24):
            (index,) = struct.unpack_from("<H", data, versions + 2 * number)
            if index & 0x7FFF in indices:
                (name,) = struct.unpack_from("<I", data, offset + 24 * number)
                yield text_at(data, table[link][1] + name)


def main():
    limit = tuple(map(int, sys.argv[1].split(".")))
    with open(sys.argv[2], "r+b") as file:
        data = bytearray(file.read())
        if data[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"error: {sys.argv[2]} is no 64-bit little-endian ELF file")
        indices = replace_newer(data, limit)
        print("\n".join(sorted(set(names_of(data, indices)))), end="\n" if indices else "")
        file.seek(0)
        file.write(data)


main()
