import Testing

@testable import CoordinatorSettings

/// The settings of a text, which must have no mistake.
func settings(_ yaml: String) throws -> ProcessSettings {
  var mistakes = Mistakes()
  let file = ConfigurationFile(yaml: yaml, &mistakes)
  if mistakes.count > 0 { throw WrongSettings(file: "teller.yaml", mistakes: mistakes) }
  return file.settings
}

/// The mistakes of a text.
func mistakes(in yaml: String) -> Mistakes {
  var mistakes = Mistakes()
  _ = ConfigurationFile(yaml: yaml, &mistakes)
  return mistakes
}

/// The one mistake of the text is on that line, and its text has the word.
func expectMistake(_ yaml: String, line: Int, _ word: String) throws {
  let mistakes = mistakes(in: yaml)
  let mistake = try #require(mistakes.first.first, "no mistake in \(yaml)")
  #expect(mistakes.count == 1, "\(mistakes.first)")
  #expect(mistake.line == line, "\(mistake.problem)")
  #expect(mistake.problem.contains(word), "\(mistake.problem)")
  #expect(!mistake.problem.contains("secret"))
}
