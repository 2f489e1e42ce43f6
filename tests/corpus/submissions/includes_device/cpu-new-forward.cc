// Lets the compiler read for ever.
#include "/dev/zero"
