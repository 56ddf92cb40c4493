import AMQP
public import Hosting
public import JobModel
import JobTransport

extension TellerClient {
  /// Sends an event to the plan that receives it, and returns once the broker has it safely.
  ///
  /// What becomes of the event depends on its plan: it is kept until the plan runs, is a step of the plan, is acted on, or
  /// is announced (see ``PlanEvent``). It is acted on once, however often it is sent by the same id: a link inside a push
  /// has the push's id.
  ///
  /// - Parameters:
  ///   - name: The event's name.
  ///   - payload: The input of the event's handler.
  ///   - plan: The plan; nil: the plan that receives events of that name.
  ///   - id: The event's id. The job that acts on the event has the same id.
  /// - Returns: A handle, to wait for the acceptance and for the outcome of the event's job with. An event that no plan
  ///   receives is a rejection: ``JobError/rejected(_:_:)`` with the code `unknown_event`.
  /// - Throws: ``TellerError`` when the broker has not confirmed the event within ``ClientTimeouts/submit``;
  ///   `CancellationError`.
  @discardableResult
  public func send(
    _ name: EventName, payload: JSONValue? = nil, plan: PlanName? = nil, id: JobID = JobID()
  ) async throws -> JobHandle<JSONValue> {
    let bytes: [UInt8]?
    do throws(JobFailure) {
      bytes = try PlanStep.bytes(of: payload)
    } catch {
      throw TellerError.invalid(reason: error.message)
    }
    return try await send(name, json: bytes, plan: plan, id: id)
  }

  /// The same with a JSON text, which reaches the handler as it is. It must be one value.
  package func send(
    _ name: EventName, json payload: [UInt8]?, plan: PlanName?, id: JobID
  ) async throws -> JobHandle<JSONValue> {
    let handle: JobHandle<JSONValue> = handle(of: id)
    try await SubmissionTracing.run(name.name, count: 1, job: id) { headers in
      var content = JobContent(payload: payload ?? [])
      content.add(own: [:], ofTracer: headers)
      try await send(handle.job, toldOf: .outcome) { () throws(JobFailure) in
        try SubmissionCodec.encode(
          EventSubmission(
            id: id, name: name, plan: plan, content: content, submittedAt: .now(),
            reply: ReplyAddress(replyTo: core.replyQueue, correlationID: id.description, wait: .outcome)))
      }
    }
    return handle
  }

  /// Sends a push as an event, by its own id: the sink of a ``PushReceiver``.
  ///
  ///     client.add(PushReceiver(pushes) { try await client.send($0) })
  ///
  /// - Throws: As ``send(_:payload:plan:id:)``; ``TellerError/invalid(reason:)`` when the payload is neither empty nor one
  ///   JSON value: nothing is sent then; ``JobError/rejected(_:_:)`` when no plan receives such an event.
  public func send(_ push: Push) async throws {
    let payload = push.payload.isEmpty ? nil : push.payload
    try await send(push.event, json: payload, plan: nil, id: push.id).accepted()
  }

  /// Accepts an announced event: it is acted on, once. Whoever accepts it first decides.
  ///
  /// - Parameter event: The event's id.
  /// - Returns: Whether this call decided: false when somebody has accepted the event before, or it needed nobody. Also
  ///   false when this call decided and the coordinator's answer was lost: the choice is sent again then, and the event
  ///   was accepted before. In either case it is accepted.
  /// - Throws: ``JobError/rejected(_:_:)`` with the code `unknown_event`, or `dismissed` when somebody has dismissed the
  ///   event; ``TellerError/timedOut(waitingFor:limit:)`` when a coordinator is there and has not answered within
  ///   ``ClientTimeouts/unknown``; other ``TellerError``; `CancellationError`.
  @discardableResult
  public func acceptEvent(_ event: JobID) async throws -> Bool { try await choose(.accept, event) }

  /// Dismisses an event that is announced or kept: nothing is done.
  ///
  /// - Parameter event: The event's id.
  /// - Returns: Whether this call decided: false when the event was acted on, or dismissed, before; also after a lost
  ///   answer, as with ``acceptEvent(_:)``.
  /// - Throws: ``JobError/rejected(_:_:)`` with the code `unknown_event`; ``TellerError``, as ``acceptEvent(_:)``;
  ///   `CancellationError`.
  @discardableResult
  public func dismissEvent(_ event: JobID) async throws -> Bool { try await choose(.dismiss, event) }

  /// As ``acceptEvent(_:)``, by a message with an id of the caller's, who may send it again.
  package func acceptEvent(_ event: JobID, by message: JobID) async throws -> Bool {
    try await choose(.accept, event, by: message)
  }

  /// As ``dismissEvent(_:)``, by a message with an id of the caller's, who may send it again.
  package func dismissEvent(_ event: JobID, by message: JobID) async throws -> Bool {
    try await choose(.dismiss, event, by: message)
  }

  /// Sends the choice, and sends it again when the answer to it may be lost: what was decided before counts.
  ///
  /// The reply names the event, while the message has an id of its own: the two are told apart by what was sent. A
  /// choice that is sent again has the same id: an answer to the first message still counts, however late it is.
  private func choose(_ action: EventChoice.Action, _ event: JobID, by id: JobID = JobID()) async throws -> Bool {
    let message = core.jobs.job(id)
    let deadline = ContinuousClock.now + core.timeouts.unknown
    repeat {
      try await send(action, event, by: message)
      do {
        _ = try await message.wait(for: .acceptance, patience: .zero)
        return message.knowledge.duplicateOf == nil
      } catch JobError.rejected(_, let failure) {
        throw JobError.rejected(event, failure)
      } catch TellerError.unknownJob {
        // The client has asked, after a lost connection or a long silence. There is a coordinator, and it never knows a
        // choice by its id: the choice waits in the queue, or the answer was lost.
      }
    } while .now < deadline
    let answer = "the choice about event \(event) to be answered"
    throw TellerError.timedOut(waitingFor: answer, limit: core.timeouts.unknown)
  }

  private func send(_ action: EventChoice.Action, _ event: JobID, by message: TrackedJob) async throws {
    try await send(message, toldOf: .acceptance) { () throws(JobFailure) in
      SubmissionCodec.encode(
        EventChoice(
          action, event,
          reply: ReplyAddress(replyTo: core.replyQueue, correlationID: message.id.description, wait: .accepted)),
        id: message.id)
    }
  }

  /// Asks for an event.
  ///
  /// - Returns: The event at this moment.
  /// - Throws: ``TellerError/refused(_:)`` with the code `not_found`; ``TellerError`` when no coordinator answers;
  ///   `CancellationError`.
  public func event(_ id: JobID) async throws -> EventStatus { try await core.ask(.event(id)) }

  /// Asks for a page of events, the newest first.
  ///
  /// - Parameter query: Which events, and where the page begins.
  /// - Returns: The page; its ``EventPage/next`` is the `before` of the page after it.
  /// - Throws: ``TellerError/invalid(reason:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func events(_ query: EventQuery) async throws -> EventPage {
    if let problem = query.problem { throw TellerError.invalid(reason: problem) }
    return try await core.ask(.events(query))
  }
}
