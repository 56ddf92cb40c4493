import AMQP
import JobModel

/// The submissions of a pack.
package struct UnpackedSubmissions: Sendable {
  /// Each submission, read.
  package fileprivate(set) var submissions: [UnpackedSubmission] = []
  /// Why the rest of the pack cannot be read, with a message of only that rest; nil: all of it was read.
  package fileprivate(set) var rejected: UnpackedSubmission?
}

/// Reads the submissions of a pack, each as it would be read alone.
struct SubmissionPackReader {
  /// The most submissions that are read of one pack; the others are refused.
  static let countLimit = 1_000

  private let pack: SharedPack
  private var cursor: PackCursor

  init(_ delivery: Delivery, _ body: [UInt8]) {
    pack = SharedPack(delivery, body)
    cursor = PackCursor(body)
  }

  /// Reads every submission up to the first that cannot be read.
  mutating func read() -> UnpackedSubmissions {
    var opened = UnpackedSubmissions()
    var start = 0
    do throws(JobFailure) {
      try refuseHeaders()
      repeat {
        start = cursor.position
        opened.submissions.append(try readOne(opened.submissions.count + 1))
      } while !cursor.isAtEnd
    } catch {
      var rest = pack.delivery
      rest.body = .bytes(Array(pack.body[start...]))
      opened.rejected = UnpackedSubmission(.rejected(Rejection(error, of: rest.properties)), rest)
    }
    return opened
  }

  private mutating func readOne(_ number: Int) throws(JobFailure) -> UnpackedSubmission {
    do throws(Unreadable) {
      if number > SubmissionPackReader.countLimit { throw Unreadable("it is one too many") }
      let position = cursor.position
      if let plain = PackedSubmission.read(in: pack, &cursor) {
        return UnpackedSubmission(.job(plain), in: pack, at: position)
      }
      return UnpackedSubmission(try PackedMessage(pack).read(&cursor))
    } catch {
      throw .badPack("submission \(number) of the message: \(error.reason)")
    }
  }

  /// Refuses headers of the whole pack: if they were ignored in silence, the jobs would run in another way than their
  /// submitter asked for.
  private func refuseHeaders() throws(JobFailure) {
    let properties = pack.delivery.properties
    if let name = properties.headers.keys.filter({ $0.hasPrefix(Header.prefix) && !Header.ofParking.contains($0) })
      .min()
    {
      throw .notSupported(header: name, reason: "a message of several submissions has no headers of its own")
    }
    if properties.priority != nil { throw .badPack("the message has a priority: each submission has one of its own") }
  }
}
