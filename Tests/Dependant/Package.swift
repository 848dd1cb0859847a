// swift-tools-version: 6.2
import PackageDescription

let isTraced = Context.environment["WITH_TRACING"] != nil

// An app that records: `check` sees which packages it resolves. Where REPLAY_URL is set, it depends on the version that is
// tagged there, as apps do.
let replay: Package.Dependency =
  if let url = Context.environment["REPLAY_URL"] {
    .package(url: url, exact: "0.0.1")
  } else {
    .package(
      name: "swift-replay", path: Context.environment["REPLAY_PATH"] ?? "../..",
      traits: isTraced ? ["Tracing"] : [])
  }

let package = Package(
  name: "Dependant",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [replay],
  targets: [
    .executableTarget(
      name: "Dependant",
      dependencies: [.product(name: "Projection", package: "swift-replay")]
        + (isTraced ? [.product(name: "ReplayTracing", package: "swift-replay")] : [])),
    .testTarget(
      name: "DependantTests",
      dependencies: [
        "Dependant",
        .product(name: "ReplayTesting", package: "swift-replay"),
        .product(name: "ReplayAnalysis", package: "swift-replay"),
      ]
    ),
  ]
)
