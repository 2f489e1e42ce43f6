"""A roster of 240 students in four sections and teams of two; ada has handed in all, nora nothing."""
FIRST = ("Ada Grace Alan Barbara Edsger Frances John Radia Niklaus Margaret Dennis Hedy Ken Shafi Leslie Adele Donald Lynn "
         "Robin Karen Tony Sophie Guido Anita").split()
LAST = ("Lovelace Hopper Turing Liskov Dijkstra Allen Backus Perlman Wirth Hamilton Ritchie Lamarr Thompson Goldwasser Lamport "
        "Goldberg Knuth Conway Milner Jones Hoare Wilson Rossum Borg").split()
print("id,login,name,email,section,team,extension")
number = 0
for i in range(10):
    for j, first in enumerate(FIRST):
        last = LAST[(j + 5 * i) % len(LAST)]
        login = f"{first.lower()}{i or ''}"
        name = f"{first} {last}"
        if number == 7:
            name = "María-José Fernández de la Cruz y Villanueva"
        if number == 12:
            login, name = "nora", "Nora Newcomer"
        extension = "m1=2 d" if number % 37 == 5 else ""
        print(f"{665000000 + 7919 * number},{login},{name},{login}@example.edu,{'ABCD'[number % 4]},t{number // 2},{extension}")
        number += 1
