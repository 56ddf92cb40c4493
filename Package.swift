// swift-tools-version: 6.2
import PackageDescription

// Every dependency says what it spares us; its build time is paid by everyone who builds Teller.
let dependencies: [Package.Dependency] = [
  // Commands, flags, help pages and shell completions of `teller` and `bank`.
  .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  // Deque: windows, confirms and waiting lists are queues.
  .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
  // Timers as asynchronous sequences: presence, leases, watches.
  .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
  // Logging that a user's application can route to its own backend.
  .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  // SQLite with one writer, read-only readers and migrations: the ledger.
  .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  // YAML with line numbers in its errors: teller.yaml. Only the coordinator's settings need it: the commands, and
  // TellerCoordinator.
  .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  // A worker and a client are services among a server's others: started together, drained together. Its signals as an
  // asynchronous sequence, too: the drain on SIGTERM.
  .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  // Metrics that a user's application can route to its own backend.
  .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
  // Spans that a user's application can route to its own backend: a request, its job and the job's run are one trace.
  .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
  // HTTP for /health and /ready, with its limits and time-outs. Dear, with what it brings along: a first debug build
  // takes a minute longer on two free cores (100 s of CPU), and Swift 6.2. Only TellerHealth needs it: a worker may do
  // without.
  .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
  // The HTTP client of `teller webhooks`, and of `teller doctor`: TLS, limits on time, and a connection to exactly the address that was checked.
  // It brings BoringSSL along. Only Webhooks needs it, and of all products only `teller` has that: a worker, a client or a
  // coordinator of a user has none of it. The example `store` uses it, too: it reads a picture part by part, and stops at
  // its limit, where URLSession on Linux hands out an answer only when it is whole.
  .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
  // What Hummingbird is made of, by name: a timeout of its server, and the one HTTP request of `teller health`.
  .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  // The fields of requests and answers, and the parts of a request, as Hummingbird has them: the page closes connections that
  // are too slow or too large. Hummingbird is made of both.
  .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
  // `swift package generate-documentation` and `preview-documentation`, while somebody writes a page. No target uses it, so
  // a package that depends on Teller neither fetches nor builds it, and neither does a build of Teller build it.
  .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
]

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let asyncAlgorithms = Target.Dependency.product(name: "AsyncAlgorithms", package: "swift-async-algorithms")
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
// SQLite itself, as GRDB is built on it: for the statements that run for every job.
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
// The page's own encryption, of what Hummingbird is made of and the HTTP client of `teller webhooks` has brought along.
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let inMemoryTracing = Target.Dependency.product(name: "InMemoryTracing", package: "swift-distributed-tracing")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
// What a test has counted.
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let nio = ["NIOCore", "NIOHTTP1", "NIOPosix"].map { Target.Dependency.product(name: $0, package: "swift-nio") }
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

// A process dies at a named point of the flow when a test asks for it; release builds hold nothing of it.
let faultPoints = SwiftSetting.define("FAULT_POINTS", .when(configuration: .debug))

let package = Package(
  name: "teller",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Teller", targets: ["Teller"]),
    .library(name: "TellerHealth", targets: ["TellerHealth"]),
    // The page for browsers, with screens of a user's own: BoringSSL comes along with it.
    .library(name: "TellerPage", targets: ["TellerPage"]),
    // A product of its own: a worker or a client needs no SQLite, no YAML and no HTTP.
    .library(name: "TellerCoordinator", targets: ["TellerCoordinator"]),
    .library(name: "TellerTesting", targets: ["TellerTesting"]),
    .executable(name: "teller", targets: ["TellerCLI"]),
    .executable(name: "bank", targets: ["BankExample"]),
    .executable(name: "store", targets: ["StoreExample"]),
  ],
  dependencies: dependencies,
  targets: [
    .systemLibrary(
      name: "CRabbitMQ", pkgConfig: "librabbitmq", providers: [.apt(["librabbitmq-dev"]), .brew(["rabbitmq-c"])]),
    // librabbitmq speaks TLS by it, and has no words for what is wrong with a certificate.
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    // SHA-1 of the same OpenSSL, for the ids of a plan's steps (UUIDv5), and HMAC-SHA256, by which webhooks are signed:
    // swift-crypto would take everyone a minute and a half to build, for that alone.
    .systemLibrary(name: "CDigest", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    // One function of SQLite that Swift does not see; GRDB brings the others. Without pkg-config, as GRDB does it: both
    // must be the same SQLite.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    // What has to be done before a program's first line, threads that say when they cannot be started, and a log that
    // waits for no reader.
    .target(name: "CProcess"),
    .target(name: "Processes", dependencies: ["CProcess", collections], swiftSettings: settings),
    .target(name: "AMQP", dependencies: ["COpenSSL", "CRabbitMQ", "Processes", collections], swiftSettings: settings),
    .target(name: "JobModel", dependencies: ["CDigest"], swiftSettings: settings),
    // Services that share the life of a worker, a client or a coordinator: what these have in common.
    .target(
      name: "Hosting", dependencies: ["JobModel", "Processes", asyncAlgorithms, collections, logging, metrics],
      swiftSettings: settings
    ),
    // The rules of the coordinator and its workers, without disk, broker or clock: what decides can reach nothing else.
    .target(name: "Decisions", dependencies: ["JobModel", collections], swiftSettings: settings),
    .target(
      name: "JobTransport", dependencies: ["AMQP", "JobModel", asyncAlgorithms, logging],
      swiftSettings: settings + [faultPoints]),
    .target(name: "Ledger", dependencies: ["CSQLite", "JobModel", "Processes", grdb, sqlite], swiftSettings: settings),
    .target(
      name: "Bookkeeping",
      dependencies: ["Decisions", "JobModel", "JobTransport", "Ledger", collections, logging, metrics],
      swiftSettings: settings + [faultPoints]),
    .target(
      name: "Coordinator",
      dependencies: [
        "AMQP", "Bookkeeping", "Decisions", "Hosting", "JobModel", "JobTransport", "Ledger", asyncAlgorithms,
        collections, logging, metrics,
      ],
      swiftSettings: settings + [faultPoints]),
    .target(
      name: "Teller",
      dependencies: [
        "AMQP", "Decisions", "Hosting", "JobModel", "JobTransport", "Processes", asyncAlgorithms, collections,
        lifecycle,
        logging, metrics, tracing, unixSignals,
      ],
      swiftSettings: settings + [faultPoints]),
    .target(
      name: "TellerHealth",
      dependencies: ["JobModel", "Processes", "Teller", hummingbird, hummingbirdCore, lifecycle, logging, metrics]
        + nio,
      swiftSettings: settings),
    // What browsers get of the page: files as they are, put into the program by `#embed`. That compiles in no time, where a
    // large literal of Swift takes minutes, and a bundle of resources is a folder that has to be carried along.
    .target(name: "CPage", exclude: ["web"]),
    // The page: an HTTP server that is a client of the coordinator, and nothing more.
    .target(
      name: "TellerPage",
      dependencies: [
        "AMQP", "CPage", "Decisions", "JobModel", "JobTransport", "Teller", "TellerHealth", collections, httpTypes,
        hummingbird, hummingbirdCore, hummingbirdTLS, lifecycle, logging, nioHTTPTypes,
      ] + nio,
      swiftSettings: settings),
    // teller.yaml, for the command and for TellerCoordinator: who links Teller alone has none of it.
    .target(
      name: "CoordinatorSettings",
      dependencies: ["AMQP", "Decisions", "JobModel", "JobTransport", "Teller", "TellerHealth", yams],
      swiftSettings: settings),
    // The coordinator for programs of users, who add services of their own to it. The command runs the same.
    .target(
      name: "TellerCoordinator",
      dependencies: [
        "AMQP", "Coordinator", "CoordinatorSettings", "Hosting", "JobModel", "JobTransport", "Ledger", "Processes",
        "Teller", "TellerHealth", lifecycle, logging,
      ],
      swiftSettings: settings),
    // Delivers notifications to the receivers of other people, over HTTP: `teller webhooks`. A module of its own, for the
    // HTTP client that it brings along.
    .target(
      name: "Webhooks",
      dependencies: ["Decisions", "JobModel", "Processes", "Teller", "TellerHealth", asyncHTTPClient, logging] + nio,
      swiftSettings: settings),
    // For the tests of users: a coordinator, a ledger and a worker in the process of a test, on a real broker.
    .target(
      name: "TellerTesting",
      dependencies: ["AMQP", "Bookkeeping", "Coordinator", "Decisions", "JobModel", "JobTransport", "Teller", logging],
      swiftSettings: settings),
    .executableTarget(
      name: "TellerCLI",
      dependencies: [
        "AMQP", "CoordinatorSettings", "Decisions", "JobModel", "JobTransport", "Ledger", "Processes", "Teller",
        "TellerCoordinator", "TellerHealth", "TellerPage", "Webhooks", argumentParser, asyncHTTPClient, logging,
        unixSignals,
      ] + nio,
      swiftSettings: settings),
    // The files of the bank's screen.
    .target(name: "CBankPage", exclude: ["web"]),
    .executableTarget(
      name: "BankExample",
      dependencies: [
        "CBankPage", "Teller", "TellerHealth", "TellerPage", argumentParser, asyncAlgorithms, lifecycle, logging,
        unixSignals,
      ],
      exclude: ["teller.yaml"], packageAccess: false, swiftSettings: settings),
    // With a shop over HTTP of its own, to play with: by the same Hummingbird that TellerHealth has.
    .executableTarget(
      name: "StoreExample",
      dependencies: ["Teller", argumentParser, asyncAlgorithms, asyncHTTPClient, hummingbird, logging] + nio,
      exclude: ["teller.yaml"], packageAccess: false, swiftSettings: settings),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    // A test's own connections to the broker.
    .target(
      name: "BrokerSupport", dependencies: ["AMQP", "TestSupport"], path: "Tests/BrokerSupport", swiftSettings: settings
    ),
    // A server over HTTP that does as a test wants, byte by byte.
    .target(name: "HTTPSupport", dependencies: nio, path: "Tests/HTTPSupport", swiftSettings: settings),
    // The time limits of a client in a test.
    .target(
      name: "ClientSupport", dependencies: ["Teller", "TestSupport"], path: "Tests/ClientSupport",
      swiftSettings: settings),
    // A coordinator and workers as real processes, for the tests that watch them together.
    .target(
      name: "SystemSupport", dependencies: ["TestSupport"], path: "Tests/SystemSupport", swiftSettings: settings),
    // Services that write down what they are told, and hang, throw or wait as a test wants them to.
    .target(
      name: "HostingSupport", dependencies: ["Hosting", "JobModel", "TestSupport", logging],
      path: "Tests/HostingSupport", swiftSettings: settings),
    // Two ledgers side by side, for the tests of what is to make them equal.
    .target(
      name: "LedgerSupport", dependencies: ["TestSupport", grdb], path: "Tests/LedgerSupport", swiftSettings: settings),
    // What must hold after every fault, as values: what was wanted of a system, and what is there afterwards.
    .target(
      name: "AuditSupport", dependencies: ["JobModel", grdb], path: "Tests/AuditSupport", swiftSettings: settings),
    // Schedules: the books, a worker's decisions and the codecs with a broker that is a value, in one thread, by a seed.
    .target(
      name: "Simulator",
      dependencies: [
        "AMQP", "AuditSupport", "Bookkeeping", "Coordinator", "Decisions", "JobModel", "JobTransport", "Ledger",
        "Teller", "TestSupport", grdb, logging, metrics,
      ],
      path: "Tests/Simulator", swiftSettings: settings),
    .executableTarget(
      name: "simulate", dependencies: ["Simulator", argumentParser], path: "Tests/Simulate", swiftSettings: settings),
    // A bookkeeper on a real ledger, with what it tells in the test's hands. It looks inside, as tests do: a release has
    // it as little as them.
    .testTarget(
      name: "BooksSupport",
      dependencies: [
        "AMQP", "Bookkeeping", "Decisions", "JobModel", "JobTransport", "Ledger", "TestSupport", collections, grdb,
        logging, metrics,
      ],
      path: "Tests/BooksSupport", swiftSettings: settings),
    // A worker whose handlers do what end-to-end tests need: nothing, waiting, failing, dying.
    .executableTarget(
      name: "testbench", dependencies: ["DroppingTracer", "Teller", "TellerHealth", argumentParser],
      path: "Tests/TestBench",
      packageAccess: false, swiftSettings: settings),
    // The program of the page FirstJob, as a user would write it.
    .executableTarget(
      name: "first-handler", dependencies: ["Teller"], path: "Tests/FirstHandler", packageAccess: false,
      swiftSettings: settings),
    // The templates of Deploy/new-service are a program that works, with a test: they are compiled and tested as they are.
    .executableTarget(
      name: "greeter", dependencies: ["Teller", "TellerHealth"], path: "Deploy/service/Sources/greeter",
      packageAccess: false),
    .testTarget(
      name: "greeter-tests", dependencies: ["greeter", "TellerTesting"], path: "Deploy/service/Tests",
      packageAccess: false),
    // The Swift of the pages, a folder for each page, as a user would write it: a test holds that each block stands here.
    // Nothing depends on it, so the tests that it shows are compiled and not run.
    .target(
      name: "PageExamples",
      dependencies: [
        "Teller", "TellerCoordinator", "TellerHealth", "TellerPage", "TellerTesting", lifecycle, logging, metrics,
        tracing,
        unixSignals,
      ],
      path: "Tests/PageExamples", packageAccess: false),
    // Makes spans and drops them: what tracing costs, without an exporter.
    .target(
      name: "DroppingTracer", dependencies: [tracing], path: "Tests/Benchmarks/tracer", packageAccess: false,
      swiftSettings: settings),
    // The producer of Deploy/bench, and one who watches.
    .executableTarget(
      name: "benchprobe", dependencies: ["AMQP", "DroppingTracer", "JobTransport", "Teller", argumentParser, logging],
      path: "Tests/Benchmarks/probe", swiftSettings: settings),
    .testTarget(
      name: "AMQPTests", dependencies: ["AMQP", "BrokerSupport", "SystemSupport", "TestSupport"],
      swiftSettings: settings),
    .testTarget(name: "JobModelTests", dependencies: ["JobModel", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "HostingTests",
      dependencies: ["Hosting", "HostingSupport", "JobModel", "Processes", "TestSupport", logging, metricsTestKit],
      swiftSettings: settings),
    .testTarget(
      name: "DecisionsTests", dependencies: ["Decisions", "JobModel", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "JobTransportTests",
      dependencies: ["JobTransport", "AMQP", "BrokerSupport", "JobModel", "SystemSupport", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "LedgerTests", dependencies: ["Ledger", "LedgerSupport", "JobModel", "TestSupport", grdb],
      swiftSettings: settings),
    .testTarget(
      name: "SimulatorTests",
      dependencies: [
        "Simulator", "AMQP", "AuditSupport", "Bookkeeping", "BrokerSupport", "Decisions", "JobModel", "JobTransport",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "BookkeepingTests",
      dependencies: [
        "AMQP", "Bookkeeping", "BooksSupport", "Decisions", "Ledger", "LedgerSupport", "JobModel", "JobTransport",
        "TestSupport", collections, grdb, logging, metrics, metricsTestKit,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CoordinatorTests",
      dependencies: [
        "AMQP", "Bookkeeping", "BooksSupport", "BrokerSupport", "ClientSupport", "Coordinator", "Decisions", "Hosting",
        "HostingSupport", "Ledger", "JobModel", "JobTransport", "Teller", "TestSupport", logging, metricsTestKit,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "TellerTests",
      dependencies: [
        "Teller", "AMQP", "BrokerSupport", "Decisions", "Hosting", "HostingSupport", "JobModel", "JobTransport",
        "Processes", "SystemSupport", "TestSupport", inMemoryTracing, lifecycle, logging, metricsTestKit, tracing,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "TellerHealthTests",
      dependencies: ["TellerHealth", "JobModel", "TestSupport", lifecycle, logging, metrics] + nio,
      swiftSettings: settings),
    .testTarget(
      name: "TellerPageTests",
      dependencies: [
        "TellerPage", "AMQP", "BrokerSupport", "Decisions", "HostingSupport", "JobModel", "JobTransport", "Teller",
        "TellerHealth", "TellerTesting", "TestSupport", asyncHTTPClient, hummingbirdTLS, lifecycle, logging,
      ] + nio,
      swiftSettings: settings),
    .testTarget(
      name: "TellerCoordinatorTests",
      dependencies: [
        "TellerCoordinator", "Coordinator", "Hosting", "HostingSupport", "JobModel", "Teller", "TellerHealth",
        "TestSupport", lifecycle, logging,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CoordinatorSettingsTests",
      dependencies: ["CoordinatorSettings", "AMQP", "Decisions", "JobModel", "Teller", "TellerHealth", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "WebhooksTests",
      dependencies: [
        "Webhooks", "Decisions", "HTTPSupport", "JobModel", "Processes", "Teller", "TellerHealth", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "TellerCLITests",
      dependencies: [
        "TellerCLI", "AMQP", "BrokerSupport", "CoordinatorSettings", "Decisions", "HTTPSupport", "JobModel",
        "JobTransport", "Ledger", "Teller",
        "TellerHealth", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "BankExampleTests",
      dependencies: ["BankExample", "CoordinatorSettings", "Decisions", "TellerTesting", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "StoreExampleTests",
      dependencies: [
        "StoreExample", "ClientSupport", "CoordinatorSettings", "HTTPSupport", "SystemSupport", "Teller",
        "TellerTesting", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "TellerTestingTests",
      dependencies: [
        "TellerTesting", "AMQP", "Bookkeeping", "BrokerSupport", "JobModel", "JobTransport", "Teller", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PagesTests",
      dependencies: [
        "BankExample", "ClientSupport", "CoordinatorSettings", "StoreExample", "SystemSupport", "Teller", "TellerCLI",
        "TestSupport",
        argumentParser,
        yams,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["AMQP", "BrokerSupport", "JobModel", "JobTransport", "Ledger", "SystemSupport", "TestSupport"],
      exclude: ["Browser", "Clients"], swiftSettings: settings),
    .testTarget(
      name: "FaultTests",
      dependencies: [
        "AuditSupport", "ClientSupport", "JobModel", "SystemSupport", "Teller", "TestSupport", grdb, logging,
      ], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6],
  // `#embed` is of C23.
  cLanguageStandard: .c2x
)
