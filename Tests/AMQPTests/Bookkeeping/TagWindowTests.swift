import TestSupport
import Testing

@testable import AMQP

@Suite("Tag windows")
struct TagWindowTests {
  @Test("a window behaves as a dictionary of its tags, whatever leaves when")
  func behavesAsADictionary() {
    var random = SeededRandom(for: "TagWindow")
    var window = TagWindow<Int>()
    var model: [UInt64: Int] = [:]
    var lastTag: UInt64 = 0
    for step in 0..<20_000 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        lastTag += 1
        window.append(step, tag: lastTag)
        model[lastTag] = step
      case 5..<9:
        let tag = UInt64.random(in: 0...(lastTag + 1), using: &random)
        let candidate = Bool.random(using: &random) ? tag : (model.keys.randomElement(using: &random) ?? tag)
        #expect(window.remove(candidate) == model.removeValue(forKey: candidate))
      default:
        guard let limit = model.keys.min().map({ $0 + 2 }) else { continue }
        while let (tag, element) = window.removeOldest(through: limit) {
          #expect(model.removeValue(forKey: tag) == element)
        }
        #expect(!model.keys.contains { $0 <= limit })
      }
      #expect(window.count == model.count)
      #expect(window.oldest == model.keys.min())
    }
  }

  @Test("one tag that stays for ever does not make the window grow")
  func staysSmallBehindAnOldTag() {
    var window = TagWindow<Int>()
    window.append(0, tag: 1)
    for tag in 2...UInt64(100_000) {
      window.append(0, tag: tag)
      #expect(window.remove(tag) == 0)
    }
    #expect(window.oldest == 1)
    #expect(window.footprint < 200)
  }
}
