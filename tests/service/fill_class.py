"""Gives the students of a course submissions, gradings and comments without grading each: fill_class.py COURSE. Those that
were graded are the samples: a copy has a sample's files and report."""
import hashlib
import json
import os
import random
import shutil
import sqlite3
import sys
import time

chance = random.Random(408)
course = sys.argv[1]
now = int(time.time())
DAY = 86400

# Which assignment's gradings an assignment shows, how many of ten students handed in, and when.
PLAN = {"lab1": ("lab1", 97, -40), "lab2": ("lab1", 95, -33), "lab3": ("lab1", 93, -26), "lab4": ("lab1", 91, -19),
        "lab5": ("lab1", 88, -12), "lab6": ("lab6", 40, 0), "m1": ("m1", 92, -1), "m2": ("m1", 30, 0)}


def rows_of(database, query, *values):
    found = database.execute(query, values)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row)) for row in found]


def insert(database, table, row):
    database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))


def copy_file(source, to):
    os.makedirs(os.path.dirname(os.path.join(course, to)), exist_ok=True)
    shutil.copy(os.path.join(course, source), os.path.join(course, to))


def scaled(value, factor, is_time=False):
    """Of a report: its times, and nothing else, times the factor."""
    if isinstance(value, dict):
        return {key: scaled(one, factor, is_time or key.endswith("_time") and key != "process_time")
                for key, one in value.items()}
    if isinstance(value, list):
        return [scaled(one, factor, is_time) for one in value]
    return value * factor if is_time and isinstance(value, float) else value


def copy_report(source, to):
    """As of a faster or slower program. Returns its SHA-256."""
    with open(os.path.join(course, source), encoding="utf-8") as file:
        report = scaled(json.load(file), chance.lognormvariate(0.3, 0.4))
    text = json.dumps(report).encode()
    os.makedirs(os.path.dirname(os.path.join(course, to)), exist_ok=True)
    with open(os.path.join(course, to), "wb") as file:
        file.write(text)
    return hashlib.sha256(text).hexdigest()


def roster():
    with open(os.path.join(course, "roster.csv"), encoding="utf-8") as file:
        titles, *lines = [line.rstrip("\n").split(",") for line in file]
    return [dict(zip(titles, line)) for line in lines]


def add_copy(database, sample, assignment, owner, person, at):
    """A submission of this owner with the files and the grading of the sample."""
    digest = hashlib.sha256(f"{assignment} {owner} {at}".encode()).hexdigest()
    file = f"submissions/{assignment}/{owner.replace(' ', '-')}/{digest[:12]}{os.path.splitext(sample['file'])[1]}"
    copy_file(sample["file"], file)
    number = database.execute("SELECT MAX(id) + 1 FROM submission").fetchone()[0]
    insert(database, "submission", {**sample, "id": number, "assignment": assignment, "owner": owner, "sha256": digest,
                                    "file": file, "handed_in": at, "added": at, "added_by": person})
    hand_in = rows_of(database, "SELECT * FROM hand_in WHERE submission = ?", sample["id"])[0]
    insert(database, "hand_in", {**hand_in, "submission": number, "person": person, "key": digest, "queued": at,
                                 "started": at + 4, "ended": at + 15})
    for attempt in rows_of(database, "SELECT * FROM attempt WHERE submission = ?", sample["id"]):
        del attempt["id"]
        result = f"results/filled/{number}/report.json"
        digest_of_result = copy_report(attempt["result"], result)
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at + 4))
        insert(database, "attempt", {**attempt, "submission": number, "result": result, "result_sha256": digest_of_result,
                                    "started": started})
    return number


def fill(database, students, samples):
    for assignment, (of, percent, day) in PLAN.items():
        teams = set()
        for student in students:
            owner = f"team {student['team']}" if assignment == "m2" and student["team"] else student["login"]
            if student["login"] in ("ada", "nora") or owner in teams or chance.randrange(100) >= percent:
                continue
            teams.add(owner)
            # Most who fail try again.
            skill = chance.random()
            at = now + day * DAY - int(abs(chance.gauss(0, 1.4)) * DAY) - 4000
            tries = []
            while not tries or (tries[-1] != 0 and chance.random() < 0.3 + skill / 2 and len(tries) < 4):
                tries.append(0 if chance.random() < skill else chance.randrange(1, len(samples[of])))
            for number, kind in enumerate(tries):
                add_copy(database, samples[of][kind], assignment, owner, student["login"],
                         at - (len(tries) - number) * 1800)


def main():
    students = roster()
    with sqlite3.connect(os.path.join(course, "course.db")) as database:
        samples = {}
        for sample in rows_of(database, "SELECT * FROM submission WHERE id IN (SELECT submission FROM attempt) ORDER BY id"):
            if not sample["assignment"].startswith("practice."):
                samples.setdefault(sample["assignment"], []).append(sample)
                day = PLAN[sample["assignment"]][2]
                database.execute("UPDATE submission SET handed_in = handed_in + ? WHERE id = ?",
                                 ((day - 1) * DAY, sample["id"]))
        fill(database, students, samples)


main()
