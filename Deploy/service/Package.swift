// swift-tools-version: 6.2
import PackageDescription

// The checkout of Teller. Once you use Teller by its address, write in the place of the dependency below:
//   .package(url: "https://git.example.com/teller.git", from: "1.0.0")
// The build of the image sets TELLER_CHECKOUT: the checkout is in another place there.
let checkout = Context.environment["TELLER_CHECKOUT"] ?? "@checkout@"

let package = Package(
  name: "greeter",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "teller", path: checkout)],
  targets: [
    .executableTarget(
      name: "greeter",
      dependencies: [
        .product(name: "Teller", package: "teller"),
        // GET /health, /ready and /metrics.
        .product(name: "TellerHealth", package: "teller"),
      ]),
    .testTarget(
      name: "greeter-tests",
      dependencies: ["greeter", .product(name: "TellerTesting", package: "teller")],
      path: "Tests"),
  ]
)
