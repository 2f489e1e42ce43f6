#!/usr/bin/env bash
# term.sh <build folder> <project root>: what the weeks of a term need, on a served course: a backup while students hand in,
# its restoration, the export and the removal of a student, of whom a search of the folder finds nothing. Then the times of
# the pages, which are printed, not judged. OPGRADE_LONG_TESTS=1: 200 students with 2,000 hand-ins; pages with 1,000 students.
set -euo pipefail
build=$(realpath "${1:?usage: term.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: term.sh <build folder> <project root>}")
students=12 each=3 more=20
if [[ ${OPGRADE_LONG_TESTS:-} == 1 ]]; then students=200 each=10 more=1000; fi
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset http_proxy https_proxy HTTPS_PROXY OPGRADE_TOKEN
make_course "$root" 1
sed -i '1s/$/,email/; 2,$s/$/,/' course/roster.csv
start_server --listen 127.0.0.1:0 --interval 0
OPGRADE_TOKEN=$(token_of s1) opgrade submit "$root/tests/corpus/submissions/good" --server "$url" --quiet >/dev/null
kill -TERM "$server"
wait "$server"

# grow <first student> <last> <hand-ins of each>: students who handed in and were graded as s1 was.
grow() {
  for ((s = $1; s <= $2; ++s)); do printf '9%06d,learner%dq,Learner %dq,learner%d@example.edu\n' "$s" "$s" "$s" "$s"; done >roster.more
  /usr/bin/python3 - "$@" <<'END'
import hashlib, os, shutil, sqlite3, sys
first, last, each = map(int, sys.argv[1:])
os.chdir("course")
db = sqlite3.connect("course.db")
def row(table, where): return dict(zip([c[1] for c in db.execute(f"PRAGMA table_info({table})")], db.execute(f"SELECT * FROM {table} WHERE {where}").fetchone()))
def add(table, values): db.execute(f"INSERT INTO {table} ({','.join(values)}) VALUES ({','.join('?' * len(values))})", list(values.values()))
submission, hand_in, attempt = row("submission", "id = 1"), row("hand_in", "submission = 1"), row("attempt", "submission = 1")
id = db.execute("SELECT MAX(id) FROM submission").fetchone()[0]
at = db.execute("SELECT MAX(id) FROM attempt").fetchone()[0]
for student in range(first, last + 1):
    login = f"learner{student}q"
    for n in range(each):
        id, at = id + 1, at + 1
        file = f"submissions/m1/{login}/{n}.tar"
        result = attempt["result"].replace("/m1/s1/1/", f"/m1/{login}/{id}/")
        for old, new in ((submission["file"], file), (attempt["result"], result)):
            os.makedirs(os.path.dirname(new), exist_ok=True)
            shutil.copyfile(old, new)
        add("submission", submission | {"id": id, "owner": login, "file": file, "added_by": login, "handed_in": submission["handed_in"] + n})
        add("hand_in", hand_in | {"submission": id, "person": login, "key": f"grown-{id}"})
        add("attempt", attempt | {"id": at, "submission": id, "result": result})
        add("event", {"submission": id, "at": 1, "kind": "queued", "text": '{"event":"queued"}'})
        add("audit", {"at": 1, "who": login, "address": "192.0.2.1", "action": "submit", "subject": f"m1 {id} of {login}"})
    add("token", {"person": login, "role": "student", "sha256": hashlib.sha256(f"token of {login}".encode()).hexdigest(), "made": 1})
db.commit()
END
  cat roster.more >>course/roster.csv
  rm roster.more
}
grow 1 "$students" "$each"
said=$(opgrade course verify course) || { echo "$said"; exit 1; }
echo "$said"
start_server --listen 127.0.0.1:0 --interval 0 --workers 0

# as <login> <path> <curl's arguments>
as() { curl -fsS -H "Authorization: Bearer token of $1" "$url$2" "${@:3}"; }
tar -C "$root/tests/corpus/submissions/good" -czf good.tar.gz cpu-new-forward.cc
for ((i = 1; i <= 10; ++i)); do
  as "learner${i}q" "/api/submissions?assignment=m1" -H "Idempotency-Key: while-$i-more" --data-binary @good.tar.gz >/dev/null
done & helpers+=($!)
time opgrade course backup course backup
wait "${helpers[0]}"
helpers=()
time opgrade course restore backup restored
for copy in backup restored course; do
  opgrade course verify "$copy" || { echo "$copy is not whole"; exit 1; }
done

gone=learner12q
opgrade course export-student course "$gone" exported
[[ $(find exported -name '*.tar' | wc -l) == "$each" ]] || { echo "the export lacks archives"; exit 1; }
opgrade course remove-student course "$gone" | tail -n 1 | grep -q 'nothing was removed'
grep -rqF "$gone" course || { echo "the search finds nothing before the removal"; exit 1; }
time opgrade course remove-student course "$gone" --yes
for word in "$gone" 9000012 'Learner 12q' learner12@example.edu; do
  ! grep -rlF "$word" course || { echo "'$word' is found"; exit 1; }
  ! find course -name "*$word*" | grep . || { echo "'$word' is in a name"; exit 1; }
done
said=$(opgrade course verify course) || { echo "$said"; exit 1; }
[[ $(as "$gone" /api/me -o /dev/null -w '%{http_code}' || true) == 401 ]] || { echo "the token still opens the service"; exit 1; }
[[ $(as learner1q "/api/history?assignment=m1" | grep -o '"id":' | wc -l) == $((each + 1)) ]] || { echo "others lost something"; exit 1; }
kill -TERM "$server"
wait "$server"

((students >= more)) || grow "$((students + 1))" "$more" "$each"
start_server --listen 127.0.0.1:0 --interval 0 --workers 0
sam=$(token_of sam)
# page <token> <path>: the median of 9
page() {
  for _ in {1..9}; do
    curl -fsS -o page.html -w '%{time_total}\n' -H "Authorization: Bearer $1" "$url$2"
  done | sort -n | awk -v path="$2" 'NR == 5 { printf "%-32s %6.1f ms\n", path, 1000 * $1 }'
}
curl -fsS -o page.html -w "the first page of the class: %{time_total} s\n" -H "Authorization: Bearer $sam" "$url/staff"
echo "pages of a class of $more:"
for path in /staff /staff/submissions /staff/submissions?disputed=on /staff/extensions /staff/students/learner1q /staff/gradebook/plain /api/health; do
  page "$sam" "$path"
done
for path in / /assignments/m1 /submissions/2 /api/history /api/me; do page "token of learner1q" "$path"; done
