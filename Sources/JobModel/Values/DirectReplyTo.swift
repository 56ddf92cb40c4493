import Foundation

/// The names by which RabbitMQ's direct reply-to answers a channel: `amq.rabbitmq.reply-to.PID.KEY`, where PID is Base64
/// of an Erlang process id in its external form, on a node named `reply@HASH`.
///
/// A broker takes such a name apart without care: answering to one that it has not made itself costs the answerer the
/// connection (541, seen on 3.10.8). So the form is checked here. A name that is well made up and names a node that does
/// not exist still costs it: whoever may submit can do that, and the coordinator then connects again.
enum DirectReplyTo {
  private static let prefix = "amq.rabbitmq.reply-to."
  private static let node = Array("reply@".utf8)
  /// Of the external form: its version, a process id, and an atom with a length of two bytes or of one.
  private enum Tag {
    static let (version, processID, atom, smallAtom): (UInt8, UInt8, UInt8, UInt8) = (131, 88, 118, 119)
  }
  /// The numbers of a process id, behind its node.
  private static let numbersSize = 12

  static func isWellFormed(_ name: String) -> Bool {
    guard name.hasPrefix(prefix) else { return false }
    let parts = name.dropFirst(prefix.count).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let id = Data(base64Encoded: String(parts[0])) else { return false }
    return !parts[1].isEmpty && isProcessID(Array(id))
  }

  private static func isProcessID(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 5, bytes[0] == Tag.version, bytes[1] == Tag.processID else { return false }
    let (length, start): (Int, Int)
    switch bytes[2] {
    case Tag.atom: (length, start) = (Int(bytes[3]) << 8 | Int(bytes[4]), 5)
    case Tag.smallAtom: (length, start) = (Int(bytes[3]), 4)
    default: return false
    }
    guard bytes.count == start + length + numbersSize else { return false }
    return isNode(bytes[start..<start + length])
  }

  /// `reply@` and a hash of 32 bits in decimal digits.
  private static func isNode(_ bytes: ArraySlice<UInt8>) -> Bool {
    let hash = bytes.dropFirst(node.count)
    return bytes.starts(with: node) && (1...10).contains(hash.count) && hash.allSatisfy(\.isDigit)
  }
}
