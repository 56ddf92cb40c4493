import AsyncHTTPClient
import Decisions
import Foundation
import JobModel
import NIOCore
import NIOPosix
import Teller

/// Why there is no answer. No case has the path of the address, which may be a secret.
enum DeliveryProblem: Error, Hashable, Sendable {
  /// No address of the receiver may be connected to.
  case forbidden(IPAddress, AddressKind)
  /// There is no connection, or it broke; for people.
  case unreachable(String)
  /// The answer has not come in time.
  case late(Duration)

  /// As the job's failure.
  func failure(of webhook: Webhook) -> RetryLater {
    let receiver = "webhook \"\(webhook.name)\": \(webhook.address)"
    return switch self {
    case .forbidden(let address, let kind):
      RetryLater(
        code: "webhook_forbidden",
        message: "\(receiver) is not reached: \(address) is \(kind.words), and \"allow\" does not have it",
        after: .zero)
    case .unreachable(let reason):
      RetryLater(code: "webhook_unreachable", message: "\(receiver): \(reason)", after: .zero)
    case .late(let limit):
      RetryLater(
        code: "webhook_late", message: "\(receiver) has not answered within \(limit.inWords)", after: .zero)
    }
  }

  /// The problem behind an error of the HTTP client. Its own text may have the address: only what is known is told.
  init(_ error: any Error, within limit: Duration) {
    switch error {
    case let error as DeliveryProblem: self = error
    case let error as ImpossibleStatus: self = .unreachable("\(error)")
    case let error as HTTPClientError where error == .deadlineExceeded: self = .late(limit)
    case let error as HTTPClientError where error == .connectTimeout:
      self = .unreachable("there is no connection in time")
    case let error as HTTPClientError where error == .remoteConnectionClosed:
      self = .unreachable("it closed the connection before it answered")
    case is ChannelError, is NIOConnectionError, is IOError: self = .unreachable(Self.reason(error))
    // The errors of TLS are of a package that only the client names.
    case _ where "\(type(of: error))".contains("SSL"):
      self = .unreachable(
        "TLS failed: it speaks none, or its certificate has another name, or no authority that this system trusts")
    default: self = .unreachable("the request failed (\(type(of: error)))")
    }
  }

  /// What the system says where no connection is made.
  private static let refusals: Set<CInt> = [
    ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, EADDRNOTAVAIL, EAFNOSUPPORT,
  ]

  /// Whether no connection was made, so that nothing was sent.
  static func isWithoutConnection(_ error: any Error) -> Bool {
    switch error {
    case let error as HTTPClientError: error == .connectTimeout
    case let error as IOError: refusals.contains(error.errnoCode)
    default: error is NIOConnectionError
    }
  }

  private static func reason(_ error: any Error) -> String {
    let cause = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
    guard let error = cause as? IOError else { return "there is no connection" }
    return String(cString: strerror(error.errnoCode))
  }
}
