import AMQP
import BrokerSupport
import JobModel
import JobTransport
import Synchronization

@testable import Teller

/// The places that a coordinator's part keeps, and every order to keep one.
final class PlaceBook: Sendable {
  private struct State {
    var places: [SubscriberName: SubscriberStatus] = [:]
    var orders: [PlaceOrder] = []
    var refusal: JobFailure?
    var last = NotificationPosition(epoch: 1, seq: 0)
  }

  private let state = Mutex(State())

  var orders: [PlaceOrder] { state.withLock { $0.orders } }

  /// What every order is answered with; nil: it is carried out.
  var refusal: JobFailure? {
    get { state.withLock { $0.refusal } }
    set { state.withLock { $0.refusal = newValue } }
  }

  /// The place of who names none.
  var last: NotificationPosition {
    get { state.withLock { $0.last } }
    set { state.withLock { $0.last = newValue } }
  }

  func place(of name: SubscriberName) -> NotificationPosition? {
    status(of: name).map { NotificationPosition(epoch: $0.epoch, seq: $0.sequence) }
  }

  func status(of name: SubscriberName) -> SubscriberStatus? { state.withLock { $0.places[name] } }

  /// Answers an order.
  func keep(_ order: PlaceOrder, _ address: AnswerAddress) -> TransientPublishing {
    state.withLock { state in
      state.orders.append(order)
      if let refusal = state.refusal { return AnswerCodec.encode(refusal, to: address) }
      let place = order.place ?? (state.last, nil)
      let status = SubscriberStatus(
        name: order.name, epoch: place.position.epoch, sequence: place.position.seq, offset: place.offset, behind: 0,
        seen: .now())
      state.places[order.name] = status
      return AnswerCodec.encode(status, to: address)
    }
  }
}

extension CoordinatorPart {
  /// Answers what subscribers ask, and keeps their places.
  func keepPlaces(in book: PlaceBook) async throws -> Task<Void, any Error> {
    let requests = try await connection.consume(Topology.Queue.requests, options: ConsumeOptions(prefetch: 100))
    return Task {
      for await delivery in requests {
        try await connection.ack(delivery.deliveryTag)
        guard case .asked(let request, let address) = RequestCodec.decode(delivery) else { continue }
        switch request {
        case .subscriber(let name):
          guard let status = book.status(of: name) else {
            try await connection.publish(AnswerCodec.encode(JobFailure.subscriberNotFound(name), to: address))
            continue
          }
          try await connection.publish(AnswerCodec.encode(status, to: address))
        case .keepPlace(let order): try await connection.publish(book.keep(order, address))
        default: continue
        }
      }
    }
  }
}
