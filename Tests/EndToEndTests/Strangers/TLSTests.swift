import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("Everything over TLS", .timeLimit(.minutes(10)))
struct TLSTests {
  private static let node = Task { try await BrokerNode.start(tls: .everybody) }

  @Test("coordinator, worker and commands work over amqps, with the broker's URL from a file")
  func everything() async throws {
    let (system, tls) = try await Self.system { "tls: {ca: \($0.ca)}\n" }
    let file = system.folder.appending("broker-url")
    try Data("\(system.brokerURL)\n".utf8).write(to: file)
    let fromFile = ["TELLER_BROKER_URL": "", "TELLER_BROKER_URL_FILE": file.path]
    _ = try await system.startCoordinator(environment: fromFile)
    // A worker reads no teller.yaml.
    let workers = fromFile.merging(["TELLER_BROKER_CA": tls.ca]) { $1 }
    _ = try await system.startWorker("work=2", environment: workers)
    let submitted = try await system.run(
      "teller", ["submit", "echo", "--payload", #"{"a": 1}"#, "--wait", "--within", "80s"])
    #expect(submitted.status == 0, "\(submitted.errors) \(system.logs)")
    let ids = try await system.submit(300, #"{"kind": "noop"}"#)
    let waited = try await system.run("teller", ["wait", "--within", "80s"] + ids)
    #expect(waited.status == 0, "\(waited.errors) \(system.logs)")
    #expect(!system.logs.contains(try #require(URL(string: tls.url)?.password)))
  }

  @Test("a CA file that is not the broker's is one clear line, and the exit code of a broker that cannot be reached")
  func otherAuthority() async throws {
    let (system, _) = try await Self.system { _ in "" }
    let others = try await Certificates()
    let errors = try await Self.errors(
      of: system, "teller", ["status"], 69, ["TELLER_BROKER_CA": others.path("ca.pem")])
    #expect(errors.contains("not signed by an authority of \(others.path("ca.pem"))"), "\(errors)")
    let worker = try await Self.errors(
      of: system, "bank", ["worker", "--department", "work=1"], 69, ["TELLER_BROKER_CA": others.path("ca.pem")])
    #expect(worker.contains("not signed by an authority"), "\(worker)")
  }

  @Test("where the system knows no authorities, and none is named, that is said")
  func noAuthorities() async throws {
    let (system, _) = try await Self.system { _ in "" }
    let nowhere = ["SSL_CERT_FILE": "/nowhere/file", "SSL_CERT_DIR": "/nowhere/folder"]
    let errors = try await Self.errors(of: system, "teller", ["status"], 69, nowhere)
    #expect(errors.contains("this system has no certificates of authorities"), "\(errors)")
  }

  @Test("amqp:// to another machine is refused before anything is sent, unless that is allowed")
  func plain() async throws {
    let system = try TellerSystem(brokerURL: "amqp://teller:s3cret@broker.invalid/")
    let refusal = "amqp:// to broker.invalid is not encrypted: use amqps://, or allow it with "
    for (product, arguments) in [
      ("teller", ["status"]), ("teller", ["coordinator"]), ("bank", ["worker", "--department", "work=1"]),
      ("bank", ["day"]),
    ] {
      let errors = try await Self.errors(of: system, product, arguments, 78)
      let way = product == "teller" ? "--insecure, TELLER_INSECURE=1 or `insecure: true`" : "TELLER_INSECURE=1"
      #expect(errors.contains(refusal + way) && !errors.contains("s3cret"), "\(product) \(arguments): \(errors)")
    }
    let allowed = try await Self.errors(of: system, "teller", ["status", "--insecure"], 69)
    #expect(!allowed.contains("not encrypted"))
    let byVariable = try await Self.errors(of: system, "teller", ["status"], 69, ["TELLER_INSECURE": "1"])
    #expect(!byVariable.contains("not encrypted"))
  }

  /// A system in a virtual host of its own, reached over TLS.
  private static func system(
    more: (BrokerTLSNode) -> String
  ) async throws -> (TellerSystem, BrokerTLSNode) {
    let node = try await node.value
    let tls = try #require(node.tls)
    let system = try TellerSystem(brokerURL: tls.url(of: try await node.makeVirtualHost()), more: more(tls))
    return (system, tls)
  }

  /// What a command says that ends with that status.
  private static func errors(
    of system: TellerSystem, _ product: String, _ arguments: [String], _ status: Int32,
    _ environment: [String: String] = [:]
  ) async throws -> String {
    let process = try system.launch(product, arguments, environment: environment)
    process.closeInput()
    #expect(try await process.waitForExit(within: TellerSystem.limit) == status)
    return process.text(of: .standardError).joined(separator: "\n")
  }
}
