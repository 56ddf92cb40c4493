/// A block of code in a page.
struct CodeBlock: Sendable, CustomStringConvertible {
  let page: String
  /// The number of the block's first line, the fence.
  let line: Int
  let language: String
  let lines: [String]

  var text: String { lines.joined(separator: "\n") + "\n" }

  var description: String { "\(page):\(line)" }
}

extension Page {
  /// The blocks between fences, in order.
  var blocks: [CodeBlock] {
    var blocks: [CodeBlock] = []
    var open: (line: Int, fence: String, language: String, lines: [String])?
    for (index, line) in lines.enumerated() {
      let text = line.drop { $0 == " " }
      if let block = open {
        if text.hasPrefix(block.fence), text.allSatisfy({ $0 == "`" }) {
          blocks.append(CodeBlock(page: path, line: block.line, language: block.language, lines: block.lines))
          open = nil
        } else {
          open?.lines.append(line)
        }
      } else if text.hasPrefix("```") {
        let fence = String(text.prefix { $0 == "`" })
        open = (index + 1, fence, String(text.dropFirst(fence.count)), [])
      }
    }
    return blocks
  }

  /// The lines outside of blocks, with their numbers.
  var prose: [(number: Int, text: String)] {
    var isInside = false
    return lines.enumerated().compactMap { index, line in
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        isInside.toggle()
        return nil
      }
      return isInside ? nil : (index + 1, line)
    }
  }

  /// The targets of links, with the numbers of their lines.
  var links: [(number: Int, target: String)] {
    prose.flatMap { number, text in
      text.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map { (number, String($0.1)) }
    }
  }

  /// What stands between backticks in the prose, with the numbers of the lines.
  var spans: [(number: Int, text: String)] {
    prose.flatMap { number, text in
      text.matches(of: /(?:^|[^`])`([^`]+)`(?!`)/).map { (number, String($0.1)) }
    }
  }

  /// The names by which headings can be linked to, as GitHub makes them: a second heading of a name has `-1` behind it.
  var anchors: Set<String> {
    var anchors: Set<String> = []
    for heading in prose.compactMap({ $0.text.wholeMatch(of: /#{1,6} +(.*)/)?.1 }) {
      let slug = Page.slug(of: String(heading))
      let further = (1...).lazy.map { "\(slug)-\($0)" }
      let name = anchors.contains(slug) ? further.first { !anchors.contains($0) } ?? slug : slug
      anchors.insert(name)
    }
    return anchors
  }

  private static func slug(of heading: String) -> String {
    let text = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }
    return String(
      text.lowercased().compactMap { character in
        if character == " " { return "-" }
        return character.isLetter || character.isNumber || character == "-" || character == "_" ? character : nil
      })
  }
}
