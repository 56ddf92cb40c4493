import AMQP
import JobModel
import JobTransport
import TestSupport
import Testing

@Suite("Notes about what is done without a command")
struct NoteRequestTests {
  @Test(
    "a note that is not as documented is refused, and so is one with the word of a command",
    arguments: [
      "{}", #"{"action":7}"#, #"{"action":""}"#, #"{"action":"Count"}"#, #"{"action":"count cash"}"#,
      #"{"action":"é"}"#, #"{"action":"\#(String(repeating: "a", count: 41))"}"#, #"{"action":"a","by":"ada"}"#,
      #"{"action":"a","job":"7"}"#, #"{"action":"a","department":"a.b"}"#, #"{"action":"a","kind":""}"#,
      #"{"action":"a","name":""}"#, #"{"action":"a","name":"b\nc"}"#, #"{"action":"a","detail":"\u007f"}"#,
      #"{"action":"a","detail":"\#(String(repeating: "é", count: 101))"}"#,
    ] + wordsOfCommands.map { #"{"action":"\#($0)"}"# })
  func refusedNotes(body: String) {
    #expect(refusal(of: note(body))?.code == "bad_request")
  }

  @Test(
    "no word that the page and the command line record is the word of a command", arguments: ActionNote.Word.allCases)
  func ownWords(word: ActionNote.Word) {
    #expect(ActionNote(word).problem == nil)
  }

  @Test("a note with the longest texts is taken")
  func longestNote() {
    let text = String(repeating: "é", count: 100)
    let longest = ActionNote(String(repeating: "a", count: 40), name: text, detail: text)
    guard
      case .asked(.note(let read), _) = AdminCodec.decode(
        note(#"{"action":"\#(longest.action)","name":"\#(text)","detail":"\#(text)"}"#))
    else {
      Issue.record("it is refused")
      return
    }
    #expect(read == longest)
  }

  private func refusal(of delivery: Delivery) -> JobFailure? {
    guard case .refused(let failure, _) = AdminCodec.decode(delivery) else { return nil }
    return failure
  }

  private func note(_ body: String) -> Delivery {
    let properties = MessageProperties(contentType: "application/json", replyTo: "teller.reply.x", type: "note")
    return Deliveries.make(properties, .bytes(Array(body.utf8)))
  }

  /// The words of all commands.
  private static let wordsOfCommands: Set<String> = {
    var random = SeededRandom(for: "words of commands")
    return Set(random.commands().map(\.word))
  }()
}
