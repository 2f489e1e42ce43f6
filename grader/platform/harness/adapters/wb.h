/* The names that programs of a course with data files use: they read `-i` files, write the `-o`
 * file and print. What they print decides nothing: the grader reads the output file.
 *
 * A file is text: a line with the extents ("n", or "rows columns"), then the values. An image is a
 * binary .ppm or .pgm, its values in [0, 1]. The grader's `-e` file holds zeros.
 *
 * The names are libwb's public ones, because a program that builds there must build here. Its
 * records of timers, log entries and readers are left out: no program of a student reads them. */
#pragma once

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

/* Programs use these names without std::. */
using std::cerr;
using std::cout;
using std::endl;
using std::exception;
using std::string;
using std::stringstream;
using std::vector;

#include "wb/types.h"
/* The other headers need the types. */
#include "wb/arguments.h"
#include "wb/compare.h"
#include "wb/data.h"
#include "wb/file.h"
#include "wb/image.h"
#include "wb/log.h"
#include "wb/memory.h"
#include "wb/path.h"
#include "wb/solution.h"
#include "wb/sort.h"
#include "wb/sparse.h"
#include "wb/text.h"
