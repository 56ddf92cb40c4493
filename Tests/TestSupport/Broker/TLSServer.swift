import Foundation

/// Certificates made by `Deploy/tls`, for as long as this value exists.
package struct Certificates: Sendable {
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - hosts: The names and addresses that the server's certificate is for.
  ///   - validity: When they are valid, such as `20200101000000Z` to `20200201000000Z`; `nil`: for a year from now.
  /// - Throws: ``NotMade`` with what the script said.
  package init(hosts: [String] = ["localhost", "127.0.0.1"], validity: (from: String, until: String)? = nil)
    async throws
  {
    folder = try TemporaryFolder()
    let moments = validity.map { ["--from", $0.from, "--until", $0.until] } ?? []
    let script = try RunningProcess.launch(
      PackageFolder.url.appending(path: "Deploy/tls"),
      arguments: [folder.url.path] + hosts.flatMap { ["--host", $0] } + moments)
    let status = try await script.waitForExit(within: patience)
    guard status == 0 else { throw NotMade(reason: script.text(of: .standardError).joined(separator: "\n")) }
  }

  /// Runs `Deploy/tls` once more for the same folder.
  ///
  /// - Returns: Its exit status, and what it said.
  /// - Throws: `TimeLimitExceeded`.
  package func makeAgain() async throws -> (status: Int32, text: String) {
    let script = try RunningProcess.launch(
      PackageFolder.url.appending(path: "Deploy/tls"), arguments: [folder.url.path])
    let status = try await script.waitForExit(within: patience)
    return (status, script.text(of: .standardError).joined(separator: "\n"))
  }

  /// One of the files, such as `ca.pem`.
  package func path(_ name: String) -> String { folder.appending(name).path }

  /// What `Deploy/tls` said instead of making certificates.
  package struct NotMade: Error { package let reason: String }
}

/// OpenSSL's own server as a real process: for certificates and versions of TLS that a broker would not start with. It
/// speaks no AMQP.
package final class TLSServer: Sendable {
  /// Where it listens, on 127.0.0.1.
  package let port: UInt16
  private let process: RunningProcess

  /// - Parameters:
  ///   - certificates: Its own.
  ///   - options: Further options of `openssl s_server`.
  /// - Throws: `ProcessEnded` when it does not start.
  package init(_ certificates: Certificates, _ options: [String] = []) async throws {
    process = try RunningProcess.launch(
      URL(filePath: "/usr/bin/env"),
      arguments: [
        "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificates.path("server.pem"), "-key",
        certificates.path("server.key"),
      ] + options)
    let line = try await process.waitForLine(containing: "ACCEPT ", within: patience)
    port = UInt16(line.split(separator: ":").last ?? "") ?? 0
  }
}
