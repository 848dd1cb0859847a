// swift-tools-version: 6.2
import PackageDescription

// The log, the session and the analyses again, optimised, without the targets that need swift-syntax, and
// without the libraries that the benchmarks compare with: so CI builds them in a minute. The folders are
// links to those of the product's package. Its compiler plug-in is used as it was built there; see the
// Makefile.
let package = Package(
  name: "Instructions",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-algorithms", from: "1.2.1"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .systemLibrary(name: "CTicks"),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd"),
    .target(
      name: "EventLog",
      dependencies: [
        "CTicks",
        "CZstd",
        .product(name: "Algorithms", package: "swift-algorithms"),
        .product(name: "OrderedCollections", package: "swift-collections"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]
    ),
    .target(name: "Invalidation", dependencies: ["EventLog"]),
    .target(
      name: "Projection",
      dependencies: [
        "EventLog",
        "Invalidation",
        .product(name: "Algorithms", package: "swift-algorithms"),
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]
    ),
    .target(
      name: "ReplayAnalysis",
      dependencies: [
        "EventLog",
        "Invalidation",
        .product(name: "Algorithms", package: "swift-algorithms"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]
    ),
    // Its workloads are links to those of the benchmarks.
    .executableTarget(
      name: "instructions", dependencies: ["CCallgrind", "EventLog", "Projection", "ReplayAnalysis"]),
    // Requests to callgrind, which cost nothing if the program runs without it.
    .systemLibrary(name: "CCallgrind"),
  ],
  swiftLanguageModes: [.v6]
)
