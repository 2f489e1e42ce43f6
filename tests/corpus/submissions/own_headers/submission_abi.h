#pragma once
#define OPGRADE_ABI_VERSION 99
struct opgrade_submission { int abi_version; };
