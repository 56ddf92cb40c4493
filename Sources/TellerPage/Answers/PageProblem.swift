import AMQP
import JobModel
import JobTransport
import Teller

/// Why a request is not answered as it wants: a short word for programs, and a sentence for people.
struct PageProblem: Error, Hashable, Sendable {
  /// The status of HTTP.
  let status: Int
  let code: String
  let message: String
  /// How long to wait before the next try.
  var wait: Duration?

  /// The answer's body.
  var document: Document { Document(error: Document.Content(code: code, message: message)) }

  /// How a problem is told.
  struct Document: Encodable, Hashable {
    var error: Content
    struct Content: Encodable, Hashable {
      var code: String
      var message: String
    }
  }
}

extension PageProblem {
  static let signIn = PageProblem(status: 401, code: "sign_in", message: "sign in with your token")
  static let notFound = PageProblem(status: 404, code: "not_found", message: "there is nothing at this address")
  static let otherMethod = PageProblem(
    status: 405, code: "invalid", message: "this address is not for this method: questions are GET, changes are POST")
  static let malformed = PageProblem(status: 400, code: "invalid", message: "the address is not written as it must be")
  static let viewer = forbidden("only operators may do this, and you may look; sign in with an operator's token")
  static let readOnly = forbidden("this page is for looking alone; change it with `teller`, or at another page")
  /// Of a person who would be an operator on another page.
  static let noPayloadsHere = forbidden("this page is for looking alone, and shows no payloads; `teller show` does")
  static let noPayloads = forbidden("this page shows no payloads and no results; `teller show` does")
  static let ending = PageProblem(status: 503, code: "no_broker", message: "the page is about to end; try again soon")

  static func forbidden(_ message: String) -> PageProblem {
    PageProblem(status: 403, code: "forbidden", message: message)
  }

  static func invalid(_ message: String) -> PageProblem { PageProblem(status: 400, code: "invalid", message: message) }

  static func tooLarge(limit: Int) -> PageProblem {
    PageProblem(status: 413, code: "too_large", message: "at most \(limit) bytes are read: send less at once")
  }

  static func tooMany(_ message: String, wait: Duration) -> PageProblem {
    PageProblem(status: 429, code: "too_many", message: message, wait: wait)
  }

  static let otherHost = PageProblem(
    status: 421, code: "forbidden",
    message: "the page is not served by this name; ask for it by its own name, or start it with --host and this name")
}

extension PageProblem {
  /// The problem for any error of a question or an action.
  init(_ error: any Error) {
    switch error {
    case let problem as PageProblem: self = problem
    case let refusal as PageRefusal: self.init(status: 409, code: refusal.code, message: refusal.message)
    case let error as TellerError: self.init(teller: error)
    case JobError.rejected(_, let failure): self.init(refused: failure)
    case let error as AMQPError: self.init(amqp: error)
    case let error as PutBackStopped: self.init(status: 503, code: "no_broker", message: error.description)
    case let error as Unreadable: self = .invalid("the body cannot be read: \(error)")
    case let error as DecodingError: self = .invalid("the body is not what it must be: \(error.inWords)")
    case is CancellationError: self = .ending
    default:
      let message = "something that should not happen; the page's log may tell more"
      self.init(status: 500, code: "internal", message: message)
    }
  }

  private init(refused failure: JobFailure) {
    let isMissing = failure.code == JobFailure.Code.notFound
    self.init(status: isMissing ? 404 : 409, code: failure.code, message: failure.message)
  }

  private init(teller error: TellerError) {
    switch error {
    case .refused(let failure): self.init(refused: failure)
    case .unknownJob: self.init(status: 404, code: "not_found", message: error.description)
    case .invalid, .payloadTooLarge, .messageRefused: self = .invalid(error.description)
    case .noCoordinator, .noCoordinatorEver, .timedOut:
      self.init(status: 503, code: "no_coordinator", message: error.description)
    case .brokerRefused:
      self = .forbidden("the broker does not let the page's user do this; give it the role \"operator\"")
    case .brokerUnavailable, .brokerBlocked, .encryptionFailed, .submissionsFull, .notRunning, .closed:
      self.init(status: 503, code: "no_broker", message: error.description)
    case .incomplete, .unexpectedResult, .notUnderstood, .eventsMissing:
      self.init(status: 500, code: "internal", message: error.description)
    }
  }

  /// Of the queue of rejected messages, which is read without the coordinator.
  private init(amqp error: AMQPError) {
    let queue = Topology.Queue.rejected
    switch error {
    case _ where error.saysQueueIsInUse:
      self.init(status: 409, code: JobFailure.Code.busy, message: "somebody else reads \(queue) now; try again soon")
    case .channelClosed(code: AMQPError.accessRefusedCode, _):
      self = .forbidden("the broker does not let the page's user read \(queue); give it the role \"operator\"")
    case .channelClosed(code: 404, _):
      let message = "there is no \(queue): no coordinator has run on this broker"
      self.init(status: 503, code: "no_coordinator", message: message)
    default: self.init(status: 503, code: "no_broker", message: error.description)
    }
  }
}

extension DecodingError {
  /// What is wrong, and where.
  fileprivate var inWords: String {
    switch self {
    case .keyNotFound(let key, _): "\"\(key.stringValue)\" is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "\(DecodingError.place(context)) has another form"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty ? "it is not JSON" : "\(DecodingError.place(context)): \(context.debugDescription)"
    @unknown default: "it is not understood"
    }
  }

  private static func place(_ context: Context) -> String {
    context.codingPath.isEmpty ? "it" : "\"\(context.codingPath.map(\.stringValue).joined(separator: "."))\""
  }
}
