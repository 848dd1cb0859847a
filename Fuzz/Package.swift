// swift-tools-version: 6.2
import PackageDescription

// The folders of the log are links to those of the package above, so that none of this needs swift-syntax.
let package = Package(
  name: "Fuzz",
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
    .executableTarget(name: "fuzz", dependencies: ["EventLog"]),
  ],
  swiftLanguageModes: [.v6]
)

// The commands take minutes more to build than the log: they and what they link are built for their target alone.
if Context.environment["FUZZ_TOOL"] != nil {
  package.dependencies += [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
  ]
  package.targets += [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
    .target(name: "Invalidation", dependencies: ["EventLog"]),
    .target(
      name: "ReplayAnalysis",
      dependencies: [
        "EventLog",
        "Invalidation",
        .product(name: "Algorithms", package: "swift-algorithms"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]
    ),
    .target(
      name: "ReplayTool",
      dependencies: [
        "CSQLite",
        "CZlib",
        "EventLog",
        "Invalidation",
        "ReplayAnalysis",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "OrderedCollections", package: "swift-collections"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Yams", package: "Yams"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      resources: [.embedInCode("Page")]
    ),
  ]
  for target in package.targets where target.name == "fuzz" {
    target.dependencies.append("ReplayTool")
    target.swiftSettings = [.define("TOOL")]
  }
}
