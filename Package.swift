// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// libzstd, which is module `libzstd` or `CZstd` accordingly. Apple's systems have none that an app may link, so where the
// manifest runs on macOS it is built from its own package; elsewhere it is the system's library. REPLAY_ZSTD, the path of a
// copy of that package, builds it from there on any system.
#if os(macOS)
  let zstdPackage: Package.Dependency? =
    Context.environment["REPLAY_ZSTD"].map { .package(name: "zstd", path: $0) }
    ?? .package(url: "https://github.com/facebook/zstd", from: "1.5.6")
#else
  let zstdPackage: Package.Dependency? =
    Context.environment["REPLAY_ZSTD"].map { .package(name: "zstd", path: $0) }
#endif
let zstd: Target.Dependency = zstdPackage == nil ? "CZstd" : .product(name: "libzstd", package: "zstd")

let package = Package(
  name: "swift-replay",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "EventLog", targets: ["EventLog"]),
    .library(name: "Projection", targets: ["Projection"]),
    .library(name: "ReplayTesting", targets: ["ReplayTesting"]),
    .library(name: "ReplayUI", targets: ["ReplayUI"]),
    .library(name: "ReplayTracing", targets: ["ReplayTracing"]),
    .library(name: "ReplayAnalysis", targets: ["ReplayAnalysis"]),
  ],
  traits: [
    .trait(name: "Tracing", description: "The product ReplayTracing, and the packages that it needs."),
    // Off for apps, which then do not resolve these packages; `make` turns it on for the tests here.
    .default(enabledTraits: Context.environment["REPLAY_TRACING"] == nil ? [] : ["Tracing"]),
  ],
  dependencies: [
    // What an app links.
    .package(url: "https://github.com/apple/swift-algorithms", from: "1.2.1"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    // What the compiler plug-in needs. A range, so that it resolves beside the macros of other packages.
    .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0"),
    // What only those resolve who turn the trait on.
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    // What only the command-line tool needs; an app does not resolve it (`Tests/Dependant`).
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
  ],
  targets: [
    // One way only: zstd, CTicks <- EventLog <- Invalidation <- Projection, and
    // Invalidation <- ReplayAnalysis <- ReplayTool <- replay, and zstd <- Parquet <- ReplayTool; the tool and what it imports know nothing of sessions.
    // The processor's counter, for the clock of events.
    .systemLibrary(name: "CTicks"),
    .target(
      name: "EventLog",
      dependencies: [
        "CTicks",
        zstd,
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
        "RecordedMacros",
        .product(name: "Algorithms", package: "swift-algorithms"),
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      exclude: ["Coding", "Driving", "Engine", "Following", "Recorded"].map { "\($0)/README.md" }
    ),
    // Views as projections. Where there is no SwiftUI it is empty; Tests/SwiftUIHost has it on a stand-in.
    .target(name: "ReplayUI", dependencies: ["EventLog", "Projection"], exclude: ["README.md"]),
    // Spans and log lines of other packages as actions and marks.
    .target(
      name: "ReplayTracing",
      dependencies: [
        "EventLog",
        "Projection",
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Tracing"])),
        .product(
          name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
      ]
    ),
    // For other people's tests.
    .target(name: "ReplayTesting", dependencies: ["EventLog", "Projection", "ReplayAnalysis"]),
    .macro(
      name: "RecordedMacros",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
      ]
    ),
    // Writes databases.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    // Packs what a page holds.
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // Answers questions about a log, for the tool, a page or a service to show. It prints nothing.
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
    // Writes tables that others read. It knows nothing of logs.
    .target(name: "Parquet", dependencies: [zstd]),
    // The tool is a library and a main program of one line, so that tests can run it in process.
    .target(
      name: "ReplayTool",
      dependencies: [
        "CSQLite",
        "CZlib",
        "EventLog",
        "Invalidation",
        "Parquet",
        "ReplayAnalysis",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "OrderedCollections", package: "swift-collections"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Yams", package: "Yams"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      exclude: ["README.md"],
      // The page and the skill, in the program itself: an installed tool is one file.
      resources: [.embedInCode("Page"), .embedInCode("Skill")]
    ),
    .executableTarget(name: "replay", dependencies: ["ReplayTool"]),

    // Small real apps; their recorded runs are SampleLogs.
    .target(
      name: "SampleApps", dependencies: ["EventLog", "Mailbox", "Projection"], path: "Examples/SampleApps"),
    // A mail app, which is also an oracle's program and a benchmark.
    .target(name: "Mailbox", dependencies: ["Projection"], path: "Examples/Mailbox"),
    // A small framework of views, as a host of hosted projections: that of the article on hosts.
    .target(name: "TextHost", dependencies: ["Projection"], path: "Examples/TextHost"),
    // Another, with state, focus and keys, and an app on it for the terminal.
    .target(name: "Terminal", dependencies: ["Projection"], path: "Examples/Terminal"),
    .executableTarget(
      name: "terminal-app", dependencies: ["Projection", "Terminal"], path: "Examples/TerminalApp"),
    .executableTarget(
      name: "record-sample",
      dependencies: [
        "EventLog",
        "Projection",
        "SampleApps",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/record-sample"
    ),
    .executableTarget(name: "quickstart", dependencies: ["Projection"], path: "Examples/Quickstart"),
    // Logs of many sessions, of which one class of devices has a fault in one version; see `make fleet`.
    .executableTarget(
      name: "fleet-sessions",
      dependencies: [
        "EventLog",
        "Mailbox",
        "Projection",
        "SampleApps",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Fleet/Generator"
    ),
    // How often `fleet diff` is wrong; see `make fleet-statistics`.
    .executableTarget(
      name: "fleet-statistics", dependencies: ["ReplayAnalysis"], path: "Fleet/Statistics"),
    // As the tool, a library and a main program of one line.
    .target(
      name: "EditingTraceTool",
      dependencies: [
        "EventLog",
        "Projection",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/EditingTrace/Tool"
    ),
    .executableTarget(
      name: "editing-trace", dependencies: ["EditingTraceTool"], path: "Examples/EditingTrace/Main"),

    // Bugs as programs, by which the analyses are scored; see `make cases`.
    .executableTarget(
      name: "cases", dependencies: ["EventLog", "Projection", "ReplayAnalysis"], path: "Cases"),

    // Tests.
    .testTarget(
      name: "OracleTests",
      dependencies: [
        "EventLog", "Invalidation", "LogGenerator", "Projection", "ReplayAnalysis", "ReplayTesting",
      ]),
    .testTarget(
      name: "InvalidationTests",
      dependencies: ["EventLog", "Invalidation", "LogGenerator"],
      exclude: ["Golden"]),
    .testTarget(
      name: "EventLogTests", dependencies: ["EventLog", "LogGenerator", "PythonReader", "log-child"]),
    // Random numbers, sessions and folders for tests, and what they compare in every recorded log.
    .target(name: "LogGenerator", dependencies: ["EventLog", "Invalidation"], path: "Tests/LogGenerator"),
    // The second reader of logs, as a process that tests ask.
    .target(
      name: "PythonReader", path: "Tests/PythonReader",
      exclude: ["evlog.py", "frames.py", "xxh64.py", "columns.py", "events.py", "lines.py", "state.py"]),
    // A process that tests kill while it records.
    .executableTarget(name: "log-child", dependencies: ["EventLog"], path: "Tests/LogChild"),
    // The forms of actions, in a program: some exist only at its top level.
    .executableTarget(name: "action-forms", dependencies: ["Projection"], path: "Tests/ActionForms"),
    // A recorded class that tests subclass from another module.
    .target(name: "OpenModels", dependencies: ["Projection"], path: "Tests/OpenModels"),
    .testTarget(
      name: "ProjectionTests",
      dependencies: [
        "Invalidation", "LogGenerator", "OpenModels", "Projection", "ReplayAnalysis", "ReplayTesting",
        "action-forms",
      ]),
    .testTarget(
      name: "DrivingTests",
      dependencies: ["EventLog", "LogGenerator", "Projection", "ReplayAnalysis", "ReplayTesting"]),
    // Compiled as Xcode compiles a new app.
    .testTarget(
      name: "FirstContactTests", dependencies: ["Projection", "ReplayTesting"],
      swiftSettings: [.enableUpcomingFeature("MemberImportVisibility"), .defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "ReplayTracingTests",
      dependencies: [
        "EventLog", "LogGenerator", "Projection", "ReplayTracing",
        .product(
          name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])
        ),
      ]),
    .testTarget(name: "ReplayTestingTests", dependencies: ["EventLog", "Projection", "ReplayTesting"]),
    // What `replay test` prints of the samples; `TestGoldenTests` compares.
    .testTarget(name: "GeneratedTests", dependencies: ["Projection", "ReplayTesting", "SampleApps"]),
    .testTarget(
      name: "SampleTests",
      dependencies: [
        zstd, "EventLog", "LogGenerator", "Mailbox", "Projection", "ReplayAnalysis", "ReplayTesting",
        "SampleApps", "EditingTraceTool", "Terminal", "TextHost",
      ]),
    .testTarget(
      name: "ReplayAnalysisTests",
      dependencies: ["EventLog", "Invalidation", "LogGenerator", "ReplayAnalysis"]),
    .testTarget(
      name: "ParquetTests", dependencies: ["LogGenerator", "Parquet", "PythonReader"], exclude: ["tables.py"]),
    .testTarget(
      name: "ReplayToolTests",
      dependencies: [
        "EventLog", "LogGenerator", "Parquet", "Projection", "PythonReader", "ReplayAnalysis", "ReplayTool",
        "SampleApps",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: [
        "Golden/Files", "Agents/client.py", "Export/exports.py", "Export/trace.py", "Lint/sarif.py",
        "Report/page.py", "Fleet/questions.py",
      ]),
    .testTarget(
      name: "RecordedMacrosTests",
      dependencies: [
        "RecordedMacros",
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

if let zstdPackage {
  package.dependencies.append(zstdPackage)
} else {
  package.targets.append(
    .systemLibrary(
      name: "CZstd",
      pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]
    ))
}

// `make docs` alone needs the plug-in that runs DocC, and no app should resolve it.
if Context.environment["REPLAY_DOCS"] != nil {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

let recording = package.targets.filter { ["EventLog", "Invalidation", "Projection"].contains($0.name) }

// On CI a warning in our own code is an error; elsewhere a newer compiler's warnings stop nobody.
if Context.environment["CI"] != nil {
  for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
  }
}

// Tests of the compiler plug-in link it, and SwiftPM then builds for the plug-in's host whatever is tested beside them: all of
// this package twice. So they are tested by themselves, by `make test-macros`, which sets the variable.
let testsMacros = Context.environment["REPLAY_MACROS"] != nil
package.targets.removeAll { $0.type == .test && ($0.name == "RecordedMacrosTests") != testsMacros }

// Debug builds of this package itself check what must hold (`invariant`): `make` sets the variable, and no app does.
// What tests ask for minutes is optimised in them, with its traps: unoptimised, three quarters of the tests' time were
// generic code of the standard library's that was not specialised.
if Context.environment["REPLAY_CHECKS"] != nil {
  for target in recording {
    target.swiftSettings =
      (target.swiftSettings ?? []) + [.define("REPLAY_CHECKS", .when(configuration: .debug))]
  }
  let asked = ["ReplayAnalysis", "Parquet", "LogGenerator", "OracleTests"]
  for target in package.targets where asked.contains(target.name) {
    target.swiftSettings =
      (target.swiftSettings ?? []) + [.unsafeFlags(["-O"], .when(configuration: .debug))]
  }
}

// An app under development records all day, and what records must not slow it down: these are optimised in its debug builds
// too. SwiftPM accepts such flags in packages of tools version 6.2 and later. With REPLAY_UNOPTIMISED set there are none, so
// that a debugger can step through them.
if Context.environment["REPLAY_UNOPTIMISED"] == nil {
  for target in recording {
    target.swiftSettings =
      (target.swiftSettings ?? []) + [
        .unsafeFlags(["-O"], .when(configuration: .debug))
      ]
  }
}
