// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Precision",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-replay", path: "..")],
  targets: [
    .executableTarget(
      name: "precision",
      dependencies: [
        .product(name: "EventLog", package: "swift-replay"),
        .product(name: "Projection", package: "swift-replay"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
