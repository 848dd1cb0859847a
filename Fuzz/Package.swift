// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-replay", path: "..")],
  targets: [
    .executableTarget(
      name: "fuzz", dependencies: [.product(name: "EventLog", package: "swift-replay")])
  ],
  swiftLanguageModes: [.v6]
)
