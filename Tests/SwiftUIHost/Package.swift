// swift-tools-version: 6.2
import PackageDescription

// ReplayUI on a stand-in for SwiftUI, and its tests, for systems without SwiftUI. The folders of the sources
// are links to those of the package above, so that its targets find the stand-in, which no app must ever
// find. It also avoids building swift-syntax again: the compiler plug-in is used as it was built there, see
// the Makefile.
let package = Package(
  name: "SwiftUIHost",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-algorithms", from: "1.2.1"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
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
        "EventLog",
        "Invalidation",
        .product(name: "Algorithms", package: "swift-algorithms"),
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      exclude: ["Coding", "Driving", "Engine", "Following", "Recorded"].map { "\($0)/README.md" }
    ),
    .target(
      name: "ReplayAnalysis",
      dependencies: [
        "EventLog",
        "Invalidation",
        .product(name: "Algorithms", package: "swift-algorithms"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      exclude: ["README.md"]
    ),
    .target(name: "SwiftUI", dependencies: ["OpenCombine"]),
    .target(
      name: "ReplayUI", dependencies: ["OpenCombine", "Projection", "SwiftUI"], exclude: ["README.md"]),
    .testTarget(
      name: "ReplayUITests",
      dependencies: ["EventLog", "OpenCombine", "Projection", "ReplayAnalysis", "ReplayUI", "SwiftUI"]),
  ],
  swiftLanguageModes: [.v6]
)

// Only tests are built here, so what must hold is checked (`invariant`).
for target in package.targets where ["EventLog", "Invalidation", "Projection"].contains(target.name) {
  target.swiftSettings = [.define("REPLAY_CHECKS")]
}
