// swift-tools-version: 6.2
import PackageDescription

// The log and the session again, without the targets that need swift-syntax, as in Torture: the folders are links to those
// of the package above, and its compiler plug-in is taken as it was built there, see the Makefile. Of `replay` this program
// knows the command line only.
let package = Package(
  name: "Precision",
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
      ],
      exclude: ["README.md"]
    ),
    .target(name: "Invalidation", dependencies: ["EventLog"], exclude: ["README.md"]),
    .target(
      name: "Projection",
      dependencies: [
        "CTicks",
        "EventLog",
        "Invalidation",
        .product(name: "Algorithms", package: "swift-algorithms"),
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      exclude: ["Coding", "Driving", "Engine", "Following", "Recorded"].map { "\($0)/README.md" }
    ),
    .executableTarget(name: "precision", dependencies: ["EventLog", "Projection"]),
  ],
  swiftLanguageModes: [.v6]
)
