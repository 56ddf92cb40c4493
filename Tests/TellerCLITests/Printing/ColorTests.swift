import ArgumentParser
import Foundation
import JobModel
import Testing

@testable import TellerCLI

@Suite("Colours")
struct ColorTests {
  private static let on = Colors(.always, isTerminal: false, environment: [:])

  @Test(
    "are on always, never, or on a terminal that wants them",
    arguments: [
      (.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true), (.never, true, [:], false),
      (.auto, true, ["TERM": "xterm"], true), (.auto, true, [:], true), (.auto, false, [:], false),
      (.auto, true, ["NO_COLOR": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
      (.auto, true, ["TERM": "dumb"], false),
    ] as [(ColorChoice, Bool, [String: String], Bool)])
  func choice(_ choice: ColorChoice, isTerminal: Bool, environment: [String: String], isOn: Bool) {
    #expect(Colors(choice, isTerminal: isTerminal, environment: environment).isOn == isOn)
  }

  @Test("surround a text, and nothing where they are off or the text has no meaning")
  func paint() {
    #expect(Self.on.paint("failed", .bad) == "\u{1B}[31mfailed\u{1B}[0m")
    #expect(Self.on.paint("queued", JobState.queued.style) == "queued")
    #expect(Colors.off.paint("failed", .bad) == "failed")
    #expect(JobState.failed.style == .bad && JobState.running.style == .good && JobState.held.style == .warning)
  }

  @Test("take no room in a table, and a cut text ends with the plain colour")
  func table() {
    var table = Table("JOB", "STATE", "ERROR", colors: Self.on)
    table.add(["a", "failed", "no money"], styles: [1: .bad])
    table.add(["bcd", "held", ""], styles: [1: .warning])
    #expect(
      table.lines(width: 80) == [
        "JOB  STATE   ERROR", "a    \u{1B}[31mfailed\u{1B}[0m  no money", "bcd  \u{1B}[33mheld\u{1B}[0m    ",
      ])
    #expect(table.lines(width: 8)[1] == "a    \u{1B}[31mfa\u{1B}[0m…")
    #expect(table.lines(width: nil)[1] == "bcd\t\u{1B}[33mheld\u{1B}[0m\t")
  }

  @Test("of a text from outside are shown by their numbers, and do nothing")
  func outside() {
    var table = Table("ERROR", colors: Self.on)
    table.add(["\u{1B}[32mfine\u{9B}31m\u{1B}]0;title\u{7}"], styles: [0: .bad])
    let line = table.lines(width: nil)[0]
    #expect(line == "\u{1B}[31m⟨U+001B⟩[32mfine⟨U+009B⟩31m⟨U+001B⟩]0;title⟨U+0007⟩\u{1B}[0m")
    #expect(NamedLine.text("error", "a\u{1B}[2Jb") == "error       a⟨U+001B⟩[2Jb")
  }

  @Test(
    "a text is as wide as a terminal shows it",
    arguments: [
      ("abc", 3), ("äöü", 3), ("e\u{301}", 1), ("預金", 4), ("👍", 2), ("\u{200B}", 0),
      ("\u{1B}[31m預\u{1B}[0m", 2), ("\u{1B}[31m\u{301}x\u{1B}[0m", 1),
    ])
  func width(text: String, width: Int) {
    #expect(VisibleText.width(text) == width)
    #expect(VisibleText.padded(text, to: 5).hasSuffix(String(repeating: " ", count: 5 - width)))
  }

  @Test("a text is cut between characters, never in the middle of a wide one")
  func cut() {
    #expect(VisibleText.cut("預金預金", to: 3) == "預")
    #expect(VisibleText.cut("預金預金", to: 4, end: "…") == "預…")
    #expect(VisibleText.cut("abc", to: 3) == "abc" && VisibleText.cut("abcd", to: 0, end: "…") == "")
  }
}

@Suite("A view that is drawn again and again")
struct LiveScreenTests {
  @Test("erases what an earlier frame has left, and fits into the terminal")
  func frame() {
    let esc = "\u{1B}["
    #expect(LiveScreen.frame(["ab", "c"], columns: 10, rows: 5) == "\(esc)Hab\(esc)K\r\nc\(esc)K\(esc)J")
    #expect(LiveScreen.frame(["abcdef"], columns: 4, rows: 5) == "\(esc)Habc\(esc)K\(esc)J")
    let cut = LiveScreen.frame((1...5).map { "line \($0)" }, columns: 80, rows: 3)
    #expect(cut == "\(esc)Hline 1\(esc)K\r\nline 2\(esc)K\r\n… 3 more lines\(esc)K\(esc)J")
  }

  @Test("an interval needs --watch, and has limits")
  func interval() throws {
    let command = try #require(try TellerCommand.parseAsRoot(["status", "-w", "--interval", "5s"]) as? StatusCommand)
    #expect(command.watching.watch && command.watching.pause == .seconds(5))
    let usual = try #require(try TellerCommand.parseAsRoot(["jobs", "-w", "-j"]) as? JobsCommand)
    #expect(usual.watching.pause == .seconds(2) && usual.page.json)
    for wrong in [["--interval", "5s"], ["-w", "--interval", "10ms"], ["-w", "--interval", "2h"]] {
      #expect(throws: (any Error).self) { try TellerCommand.parseAsRoot(["status"] + wrong) }
    }
    #expect(throws: (any Error).self) { try TellerCommand.parseAsRoot(["jobs", "-w", "--before", "7"]) }
  }
}
