// swift-tools-version: 6.2
import PackageDescription

// The log, the session and their tests again, without the targets that need swift-syntax: so they are built in a
// minute with other flags, optimised or under the thread sanitizer. The folders are links to those of the package above;
// its compiler plug-in is taken as it was built there, see the Makefile.
let package = Package(
  name: "Torture",
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
    .executableTarget(name: "log-child", dependencies: ["EventLog"], path: "Sources/LogChild"),
    .target(
      name: "PythonReader",
      exclude: ["evlog.py", "frames.py", "xxh64.py", "columns.py", "events.py", "lines.py", "state.py"]),
    .target(name: "LogGenerator", dependencies: ["EventLog", "Invalidation"]),
    .testTarget(
      name: "EventLogTests", dependencies: ["EventLog", "LogGenerator", "PythonReader", "log-child"]),
    .testTarget(
      name: "ProjectionTests", dependencies: ["EventLog", "Invalidation", "LogGenerator", "Projection"],
      sources: [
        "Engine/StressTests.swift", "Following", "History/LayoutRestoringTests.swift",
        "Session/ActionTreeTests.swift",
        "Support/CheckedLog.swift", "Support/RestoreModels.swift",
      ]),
    .testTarget(
      name: "OracleTests", dependencies: ["EventLog", "LogGenerator", "Projection"], sources: ["Actors"]),
  ],
  swiftLanguageModes: [.v6]
)

// Only tests are built here, so what must hold is checked (`invariant`).
for target in package.targets where ["EventLog", "Invalidation", "Projection"].contains(target.name) {
  target.swiftSettings = [.define("REPLAY_CHECKS")]
}

// If only the log is of interest, the session is not built.
if Context.environment["LOG_ONLY"] != nil {
  package.targets.removeAll { ["Projection", "ProjectionTests", "OracleTests"].contains($0.name) }
}
