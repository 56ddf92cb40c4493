import JobModel
import JobTransport

@testable import Bookkeeping

/// What was told, by sort.
extension [Outgoing] {
  var assignments: [Assignment] {
    compactMap { if case .assignment(let assignment) = $0 { assignment } else { nil } }
  }
  var replies: [Reply.Content] {
    compactMap { item in
      switch item {
      case .reply(_, let reply), .acceptance(_, let reply): reply.content
      default: nil
      }
    }
  }
  /// The replies to one queue.
  func replies(to address: ReplyAddress) -> [Reply.Content] {
    compactMap { item in
      switch item {
      case .reply(address.replyTo, let reply), .acceptance(address.replyTo, let reply): reply.content
      default: nil
      }
    }
  }
  var voidChanges: [VoidChange] {
    compactMap { if case .void(_, let change) = $0 { change } else { nil } }
  }
  var void: [ReleaseID] { voidChanges.flatMap(\.void) }
  var forgotten: [ReleaseID] { voidChanges.flatMap(\.forgotten) }
  var fences: [Int] {
    compactMap { if case .fence(let number) = $0 { number } else { nil } }
  }
  var queuesToMake: [JobQueue] {
    compactMap { if case .makeQueue(let queue) = $0 { queue } else { nil } }
  }
  var queuesToRemove: [JobQueue] {
    compactMap { if case .removeQueue(let queue) = $0 { queue } else { nil } }
  }
  var probes: [Int] {
    compactMap { if case .probe(_, let number, _) = $0 { number } else { nil } }
  }
  var verdicts: [Verdict] {
    compactMap { if case .verdict(_, let answer) = $0 { answer.verdict } else { nil } }
  }
  var welcomes: [Welcome] {
    compactMap { if case .welcome(_, let welcome) = $0 { welcome } else { nil } }
  }
  var staffings: [Staffing] {
    compactMap { if case .staffing(_, let staffing) = $0 { staffing } else { nil } }
  }
  var adopted: [ReleaseID] {
    compactMap { if case .adopted(_, let release) = $0 { release } else { nil } }
  }
  var recorded: [ReleaseID] {
    compactMap { if case .recorded(_, let release) = $0 { release } else { nil } }
  }
  var refused: [RefusedMessage] {
    compactMap { if case .refused(_, let refused) = $0 { refused } else { nil } }
  }
  var stops: [ReleaseID] {
    compactMap { if case .stop(_, let release) = $0 { release } else { nil } }
  }
  var reranked: [JobPlace] {
    compactMap { if case .reranked(let document, _) = $0 { document } else { nil } }
  }
  var failures: [JobFailure] {
    compactMap { if case .failure(let failure, _) = $0 { failure } else { nil } }
  }
}

extension [Outgoing] {
  /// What the answers to one queue say beside their type.
  func decided(to address: ReplyAddress) -> [DecidedPart?] {
    compactMap { item in
      switch item {
      case .reply(address.replyTo, let reply), .acceptance(address.replyTo, let reply):
        switch reply.content {
        case .accepted, .duplicate: reply.decided
        case .rejected, .outcome: DecidedPart??.none
        }
      default: DecidedPart??.none
      }
    }
  }

  /// The codes of the rejections to one queue.
  func rejections(to address: ReplyAddress) -> [String] {
    replies(to: address).compactMap { if case .rejected(let failure) = $0 { failure.code } else { nil } }
  }
}
