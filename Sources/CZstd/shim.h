#pragma once
// The static-only section is not used: what a distribution's libzstd exports is enough.
#include <zstd.h>
#include <zstd_errors.h>
