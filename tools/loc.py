#!/usr/bin/env python3
"""Counts lines of code of a revision, without blank lines and comments.

    tools/loc.py [REVISION] [FOLDER...] [--by]

FOLDER: grader, tools and packaging unless given. --by prints a line for each folder two levels deep.
"""
import argparse
import collections
import subprocess

SLASH_COMMENTS = {"cpp", "cc", "hpp", "h", "cu", "cuh", "c", "js", "css", "in"}
HASH_COMMENTS = {"sh", "py", "cmake", "txt", "yaml", "yml", "sql", "html", "toml", ""}


def git(*arguments, text_in=None):
    run = subprocess.run(["git", *arguments], input=text_in, capture_output=True, check=True)
    return run.stdout


def lines_with_slash_comments(text):
    count, in_comment = 0, False
    for line in map(str.strip, text.split("\n")):
        if in_comment:
            if "*/" not in line:
                continue
            in_comment, line = False, line.split("*/", 1)[1].strip()
        if line.startswith("/*"):
            in_comment = "*/" not in line
            if in_comment or line.endswith("*/"):
                continue
        count += bool(line) and not line.startswith("//")
    return count


def lines_with_hash_comments(text):
    return sum(1 for line in map(str.strip, text.split("\n")) if line and not line.startswith("#"))


def ending_of(path):
    name = path.rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[1] if "." in name else ""


def contents(blobs):
    """The bytes of each blob, from one git process."""
    data = git("cat-file", "--batch", text_in="\n".join(blobs).encode() + b"\n")
    at = 0
    for _ in blobs:
        end = data.index(b"\n", at)
        size = int(data[at:end].split()[2])
        yield data[end + 1 : end + 1 + size]
        at = end + size + 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument("folders", nargs="*", default=["grader", "tools", "packaging"])
    parser.add_argument("--by", action="store_true")
    options = parser.parse_args()

    listed = git("ls-tree", "-r", "-z", options.revision, "--", *options.folders).decode()
    files = [entry.split("\t") for entry in listed.split("\0") if entry]
    total = collections.Counter()
    for (meta, path), data in zip(files, contents([meta.split()[2] for meta, _ in files])):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        ending = ending_of(path)
        if ending in SLASH_COMMENTS:
            count = lines_with_slash_comments(text)
        elif ending in HASH_COMMENTS:
            count = lines_with_hash_comments(text)
        else:
            continue
        total["/".join(path.split("/")[:2])] += count
    if options.by:
        for folder, count in sorted(total.items()):
            print(f"{count:7} {folder}")
    print(f"{sum(total.values()):7} total")


main()
