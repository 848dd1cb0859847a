// A stand-in for the module Combine, to type-check by: `.ci/apple`.

@_exported import OpenCombine
