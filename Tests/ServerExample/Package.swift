// swift-tools-version: 6.2
import PackageDescription

// A server of a user's kind, in a package of its own: it sees what every user of Teller sees.
let package = Package(
  name: "server-example",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "teller", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(
      name: "server",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Teller", package: "teller"),
        .product(name: "TellerHealth", package: "teller"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      path: "Sources/Server")
  ],
  swiftLanguageModes: [.v6]
)
