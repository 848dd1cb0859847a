#pragma once
// The module of zstd's own package has the same header.
#include <zstd.h>
