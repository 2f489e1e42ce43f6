/// The acts of the probe that have files of their own; probe.cpp has the others and their names.
#pragma once

#include <string>
#include <vector>

using Arguments = std::vector<std::string>;

/// "name ok" or "name EPERM".
void show(const char* name, long result);

/// Sleeps until it is killed.
int wait_for_ever(const Arguments&);

// probe_escapes.cpp: ways out of a sandbox.
int network(const Arguments& a);
int calls(const Arguments& a);
int privileges(const Arguments& a);
int kill_others(const Arguments& a);
int leave_group(const Arguments& a);

// probe_counting.cpp: processes that count and shall be stopped.
int count(const Arguments& a);
int count_and_wake(const Arguments& a);
int count_and_fork(const Arguments& a);
int count_in_vfork(const Arguments& a);
int count_and_be_woken(const Arguments& a);
int wake_ups(const Arguments& a);
int count_without_leader(const Arguments& a);
int count_in_a_threads_child(const Arguments& a);
int count_under_odd_names(const Arguments& a);
int stay_in_a_call(const Arguments& a);
