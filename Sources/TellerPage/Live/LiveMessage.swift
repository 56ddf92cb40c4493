import JobModel
import NIOCore
import Teller

/// A message of a stream of Server-Sent Events. No value of it has the end of a line: it is JSON on one line.
enum LiveMessage {
  /// How soon a browser connects again after its stream broke, in milliseconds.
  static let opening = bytes("retry: 1000\n\n")

  /// `id`: the place of the last event that is told, where the stream goes on later.
  static func make(_ event: String, _ json: [UInt8], id: EventPosition? = nil) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(capacity: json.count + event.utf8.count + 64)
    buffer.writeString("event: \(event)\n")
    if let id { buffer.writeString("id: \(id.epoch)/\(id.sequence)\n") }
    buffer.writeString("data: ")
    buffer.writeBytes(json)
    buffer.writeString("\n\n")
    return buffer
  }

  /// The events as a list, without those up to `floor`; nil: none is left.
  static func events(_ entries: some Sequence<EventRing.Entry>, floor: EventPosition?) -> ByteBuffer? {
    var (json, last, isEmpty) = ([UInt8](), EventPosition?.none, true)
    for entry in entries {
      if let position = entry.position {
        if let floor, position <= floor { continue }
        last = position
      }
      json.append(UInt8(ascii: isEmpty ? "[" : ","))
      json += entry.json
      isEmpty = false
    }
    if isEmpty { return nil }
    json.append(UInt8(ascii: "]"))
    return make("events", json, id: last)
  }

  /// A picture: the board, if there is one, how all stand, and the page.
  static func picture(_ board: [UInt8]?, _ state: [UInt8], version: String, id: EventPosition?) -> ByteBuffer {
    // A version is digits and dots.
    var json = Array(#"{"board":"#.utf8) + (board ?? Array("null".utf8))
    json += Array(#","page":{"version":"\#(version)"},"state":"#.utf8) + state + [UInt8(ascii: "}")]
    return make("picture", json, id: id)
  }

  private static func bytes(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }
}
