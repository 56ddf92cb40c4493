import Foundation
import TestSupport
import Testing

@testable import AMQP

@Suite("A broker that asks for a certificate", .timeLimit(.minutes(10)))
struct TLSGuestTests {
  @Test("one that its authority has signed is let in")
  func letIn() async throws {
    var url = try await TLSBroker.make(.clients).url
    let tls = try #require(try await TLSBroker.node(.clients).tls)
    (url.tls.certificateFile, url.tls.keyFile) = (tls.certificate, tls.key)
    let connection = try await Broker(url: url).connect()
    try await connection.declare(QueueDeclaration("q"))
    try await connection.put("a", into: "q")
    await connection.close()
  }

  @Test("without one the broker's wish is told")
  func none() async throws {
    let broker = try await TLSBroker.make(.clients)
    #expect(try await broker.problem() == .certificateWanted)
  }

  @Test("one of another authority is refused as such")
  func other() async throws {
    var url = try await TLSBroker.make(.clients).url
    let others = try await Certificates()
    (url.tls.certificateFile, url.tls.keyFile) = (others.path("client.pem"), others.path("client.key"))
    let problem = try await Broker(url: url).problem()
    guard case .certificateRefused(path: others.path("client.pem"), _) = problem else {
      Issue.record("\(problem)")
      return
    }
  }

  @Test("the same over TLS 1.2, where the broker says so earlier", arguments: [false, true])
  func tls12(hasCertificate: Bool) async throws {
    let (certificates, others) = (try await Certificates(), try await Certificates())
    let server = try await TLSServer(
      certificates, ["-tls1_2", "-Verify", "2", "-verify_return_error", "-CAfile", certificates.path("ca.pem")])
    var url = BrokerURL(isSecure: true, host: "localhost", port: server.port)
    url.tls.caFile = certificates.path("ca.pem")
    if hasCertificate {
      (url.tls.certificateFile, url.tls.keyFile) = (others.path("client.pem"), others.path("client.key"))
    }
    let problem = try await Broker(url: url).problem()
    switch problem {
    case .certificateWanted: #expect(!hasCertificate)
    case .certificateRefused(path: others.path("client.pem"), _): #expect(hasCertificate)
    default: Issue.record("\(problem)")
    }
    withExtendedLifetime(server) {}
  }
}
