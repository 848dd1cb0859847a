// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-replay", path: ".."),
    // Other libraries, measured beside the product in one process.
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    // How those libraries are measured.
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    // The engine beside the standard library.
    .executableTarget(
      name: "bench",
      dependencies: [
        "BenchSupport",
        "CPeers",
        "BenchMailbox",
        "BenchTerminal",
        .product(name: "Projection", package: "swift-replay"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    // The log alone; it builds without the compiler plug-in.
    .executableTarget(
      name: "log-bench",
      dependencies: [
        "BenchSupport",
        "CPeers",
        .product(name: "EventLog", package: "swift-replay"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    // The folders are links to those of the package above. A module needs a name of its own among all packages.
    .target(name: "BenchMailbox", dependencies: [.product(name: "Projection", package: "swift-replay")]),
    .target(name: "BenchTerminal", dependencies: [.product(name: "Projection", package: "swift-replay")]),
    // Rounds, spreads, ratios and clocks.
    .target(
      name: "BenchSupport",
      dependencies: [.product(name: "Histogram", package: "hdrhistogram-swift")]
    ),
    // The processor's counter, the allocator's, and libzstd for the other libraries that compress.
    .systemLibrary(
      name: "CPeers",
      pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]
    ),
  ],
  swiftLanguageModes: [.v6]
)
