#define Op_Time 0.001
#define steady_clock system_clock_that_stands_still
