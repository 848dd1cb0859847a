#pragma once
// The static-only API is not needed: the functions that a distribution's libzstd exports are enough.
#include <zstd.h>
#include <zstd_errors.h>
