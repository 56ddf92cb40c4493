import Foundation
import JobModel
import NIOCore
import NIOHTTP1
import NIOPosix
import Teller

/// Asks a process over HTTP whether it is ready.
package enum HealthProbe {
  /// How long an answer may take: longer than a server waits for a process that hangs.
  package static let limit: Duration = .seconds(5)
  /// The largest answer that is read, in bytes.
  private static let bodyLimit = 64 * 1024

  /// Asks `/ready`.
  ///
  /// - Parameters:
  ///   - address: of the process.
  ///   - limit: how long the answer may take; longer on a busy machine.
  /// - Returns: the report of the process, ready or not.
  /// - Throws: `HealthProbeError`, for people: nobody listens, no answer, another program's answer.
  package static func ask(
    _ address: HealthAddress, within limit: Duration = limit
  ) async throws(HealthProbeError) -> HealthDocument {
    let late = { @Sendable in HealthProbeError("it does not answer within \(limit.inWords)") }
    do {
      let (status, body) = try await JobModel.within(limit, orThrow: late) { try await exchange(with: address) }
      guard status == .ok || status == .serviceUnavailable,
        let document = try? JSONDecoder().decode(HealthDocument.self, from: Data(body.readableBytesView))
      else { throw HealthProbeError("it answers \(status.code), and not as Teller does: is it another program?") }
      return document
    } catch let error as HealthProbeError {
      throw error
    } catch {
      throw HealthProbeError(reason(of: error))
    }
  }

  private static func exchange(with address: HealthAddress) async throws -> (HTTPResponseStatus, ByteBuffer) {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(.seconds(limit.components.seconds))
      .connect(host: address.host, port: address.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
            wrappingChannelSynchronously: channel)
        }
      }
    var answer: (HTTPResponseStatus, ByteBuffer)?
    do {
      try await channel.executeThenClose { inbound, outbound in
        let headers = HTTPHeaders([("host", address.description), ("connection", "close")])
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/ready", headers: headers)
        // Both parts at once: the server answers the head and closes, perhaps before this end has sent the end.
        try await outbound.write(contentsOf: [.head(head), .end(nil)])
        answer = try await response(inbound)
      }
    } catch  where answer != nil {
      // The server closes the connection after its answer, perhaps before this end does.
    }
    guard let answer else { throw HealthProbeError("it closed the connection without an answer") }
    return answer
  }

  private static func response(
    _ parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>
  ) async throws -> (HTTPResponseStatus, ByteBuffer) {
    var status: HTTPResponseStatus?
    var body = ByteBuffer()
    for try await part in parts {
      switch part {
      case .head(let head): status = head.status
      case .body(var bytes):
        guard body.readableBytes + bytes.readableBytes <= bodyLimit else {
          throw HealthProbeError("its answer is larger than \(bodyLimit) bytes")
        }
        body.writeBuffer(&bytes)
      case .end:
        if let status { return (status, body) }
      }
    }
    throw HealthProbeError("it closed the connection without an answer")
  }

  private static func reason(of error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError where error.connectionErrors.isEmpty: "there is no such machine"
    case let error as NIOConnectionError: error.connectionErrors.first.map { reason(of: $0.error) } ?? "\(error)"
    case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
    case is CancellationError: "it was not waited for"
    case is HTTPParserError: "it does not speak HTTP"
    default: "\(error)"
    }
  }
}

/// Why the probe does not know whether a process is ready.
package struct HealthProbeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// For people.
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
