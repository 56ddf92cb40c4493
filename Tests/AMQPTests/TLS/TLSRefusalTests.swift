import Foundation
import TestSupport
import Testing

@testable import AMQP

/// Each thing that can be wrong has one error of its own, against real listeners.
@Suite("What is wrong with an encrypted connection", .timeLimit(.minutes(10)))
struct TLSRefusalTests {
  @Test("a broker's certificate that another authority has signed is not trusted")
  func otherAuthority() async throws {
    var url = try await TLSBroker.make().url
    let others = try await Certificates()
    url.tls.caFile = others.path("ca.pem")
    let expected = TLSProblem.untrusted(certificate: "/CN=localhost", caFile: others.path("ca.pem"))
    #expect(try await Broker(url: url).problem() == expected)
    #expect(expected.description.contains("not signed by an authority of \(others.path("ca.pem"))"))
  }

  @Test("without a CA file the system's authorities count, and a broker of one's own is not theirs")
  func systemsAuthorities() async throws {
    var url = try await TLSBroker.make().url
    url.tls.caFile = nil
    let problem = try await Broker(url: url).problem()
    #expect([.noAuthorities, .untrusted(certificate: "/CN=localhost", caFile: nil)].contains(problem), "\(problem)")
  }

  @Test("a certificate that has expired is told with the moment")
  func expired() async throws {
    let problem = try await problem(of: try await Certificates(validity: ("20200101000000Z", "20200201000000Z")))
    guard case .expired(_, at: "2020-02-01T00:00:00Z") = problem else {
      Issue.record("\(problem)")
      return
    }
    #expect(problem.description.contains("expired at 2020-02-01T00:00:00Z"))
  }

  @Test("a certificate that is not valid yet is told with the moment")
  func notYetValid() async throws {
    let problem = try await problem(of: try await Certificates(validity: ("20980101000000Z", "20990101000000Z")))
    guard case .notYetValid(_, from: "2098-01-01T00:00:00Z") = problem else {
      Issue.record("\(problem)")
      return
    }
    #expect(problem.description.contains("valid from 2098-01-01T00:00:00Z only"))
  }

  @Test("a certificate for other names is told with these names")
  func otherName() async throws {
    let certificates = try await Certificates(hosts: ["rabbitmq", "10.1.2.3"])
    let expected = TLSProblem.wrongName(asked: "localhost", names: "DNS:rabbitmq, IP Address:10.1.2.3")
    #expect(try await problem(of: certificates) == expected)
    #expect(expected.description.contains("not for localhost, but for DNS:rabbitmq, IP Address:10.1.2.3"))
  }

  @Test("an address is looked for among the certificate's addresses, not among its names")
  func otherAddress() async throws {
    let problem = try await problem(of: try await Certificates(hosts: ["localhost"]), host: "127.0.0.1")
    #expect(problem == .wrongName(asked: "127.0.0.1", names: "DNS:localhost"))
  }

  @Test("a plain port does not speak TLS")
  func plainPort() async throws {
    let node = try await TLSBroker.node(.everybody)
    var url = try BrokerURL(node.url)
    (url.isSecure, url.tls.caFile) = (true, node.tls?.ca)
    #expect(try await Broker(url: url).problem() == .notTLS)
  }

  @Test("a port for TLS does not speak plain AMQP")
  func securePort() async throws {
    var url = try await TLSBroker.make().url
    url.isSecure = false
    #expect(try await Broker(url: url).problem() == .onlyTLS)
  }

  @Test("a server that knows nothing later than TLS 1.1 is not talked to")
  func oldVersion() async throws {
    let problem = try await problem(of: try await Certificates(), "-tls1_1", "-cipher", "ALL@SECLEVEL=0")
    guard case .noCommonVersion = problem else {
      Issue.record("\(problem)")
      return
    }
    #expect(problem.description.contains("neither TLS 1.2 nor anything later"))
  }

  @Test("TLS 1.2 is enough: its server is refused for its certificate alone")
  func tls12() async throws {
    let certificates = try await Certificates(hosts: ["rabbitmq"])
    #expect(try await problem(of: certificates, "-tls1_2") == .wrongName(asked: "localhost", names: "DNS:rabbitmq"))
  }

  @Test("a listener that accepts and says nothing runs into the time limit, and trying again may help")
  func silence() async throws {
    let server = try SilentServer()
    var url = BrokerURL(isSecure: true, host: "127.0.0.1", port: server.port)
    url.tls.caFile = try await TLSBroker.node(.everybody).tls?.ca
    let error = await #expect(throws: AMQPError.self) {
      try await Broker(url: url).connect { $0.handshakeTimeout = .seconds(1) }
    }
    #expect(error?.isTransient == true && error?.description.contains("time") == true, "\(String(describing: error))")
    withExtendedLifetime(server) {}
  }

  private func problem(
    of certificates: Certificates, host: String = "localhost", _ options: String...
  ) async throws -> TLSProblem {
    let server = try await TLSServer(certificates, options)
    var url = BrokerURL(isSecure: true, host: host, port: server.port)
    url.tls.caFile = certificates.path("ca.pem")
    defer { withExtendedLifetime(server) {} }
    return try await Broker(url: url).problem()
  }
}
