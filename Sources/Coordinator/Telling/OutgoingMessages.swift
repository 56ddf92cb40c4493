package import AMQP
import Bookkeeping
import JobModel
import JobTransport

extension [Outgoing] {
  /// The messages that need no answer from the broker: all but assignments, fences, polls and queue changes.
  package var messages: [TransientPublishing] { packed.flatMap(\.messages) }
}

extension PackedOutgoing {
  fileprivate var messages: [TransientPublishing] {
    switch self {
    case .answers(let worker, let answers):
      FaultPoint.reached("claims.after-record-before-answer")
      return ControlCodec.encode(answers, to: worker)
    case .adopted(let worker, let releases):
      FaultPoint.reached("adoption.after-record-before-answer")
      return ControlCodec.encode(adopted: releases, to: worker)
    case .recorded(let worker, let releases): return ControlCodec.encode(recorded: releases, to: worker)
    case .void(let department, let change): return ControlCodec.encode(change, toWorkersOf: department)
    case .replies(let replyTo, let replies): return ReplyPacks.encode(replies, to: replyTo)
    case .single(let item): return item.messages
    }
  }
}

extension Outgoing {
  fileprivate var messages: [TransientPublishing] {
    switch self {
    case .assignment, .reply, .acceptance, .fence, .polled, .keyPolled, .verdict, .adopted, .recorded, .void,
      .makeQueue,
      .removeQueue:
      []
    case .welcome(let worker, let welcome): ControlCodec.encode(welcome, to: worker)
    case .probe(let worker, let number, let since): [ControlCodec.encode(probe: number, since: since, to: worker)]
    case .refused(let worker, let refused): [ControlCodec.encode(refused, to: worker)]
    case .stop(let worker, let release): ControlCodec.encode(stop: release, to: worker)
    case .staffing(let worker, let staffing): [ControlCodec.encode(staffing, to: worker)]
    case .reranked(let document, let address): [AnswerCodec.encode(document, to: address)]
    case .failure(let failure, let address): [AnswerCodec.encode(failure, to: address)]
    case .live(let notification): [NotificationCodec.encode(live: [notification])]
    case .news(let event, let notifications): [NotificationCodec.encode(event, notifications)]
    case .progress(let notification): [NotificationCodec.encode(progress: notification)]
    }
  }
}
