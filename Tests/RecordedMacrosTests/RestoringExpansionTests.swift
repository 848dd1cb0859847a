import RecordedMacros
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The code that `@Recorded` adds to a class so that its objects can be restored.
@Suite struct RestoringExpansion {
  @Test func theInitializerWhoseParametersArePropertiesMakesAnObject() {
    expect(
      #"""
      @Recorded public final class Row {
        let id: Int
        var title = ""
        @RecordedIgnored var scratch = 0

        public init(id: Int) { self.id = id }
        public init(_ id: String, title: String!) { self.id = 0 }
        public init(id: Int, title: String, scratch: Int = 1) { self.id = id }
      }
      """#,
      expandsTo: #"""
        public final class Row {
          let id: Int
          var title = ""
          @RecordedIgnored var scratch = 0

          public init(id: Int) { self.id = id }
          public init(_ id: String, title: String!) { self.id = 0 }
          public init(id: Int, title: String, scratch: Int = 1) { self.id = id }

          private static func _$createStored(
            from source: _Replay.RecordedObjectSource
          ) throws -> (any _Replay.RecordedObject)? {
            try Row(id: (source.argument("id") as Int), title: (source.argument("title") as String))
          }

          public nonisolated class func _$create(
            from source: _Replay.RecordedObjectSource
          ) throws -> (any _Replay.RecordedObject)? {
            try source.create(_$createStored)
          }

          private func _$visitStored(property: Int, by visitor: any _Replay.RecordedPropertyVisitor) -> Bool {
            switch property {
            case 1:
              visitor.visit(self, \.title)
              return true
            default: return false
            }
          }

          public nonisolated func _$visit(
            property: Int, by visitor: any _Replay.RecordedPropertyVisitor
          ) -> Bool {
            return _$recorded._$visit(_$visitStored, property: property, by: visitor)
          }
        }
        """#)
  }

  @Test func aClassWhoseInitializersAreNotSeenIsNotMade() {
    let sources = [
      "final class A: Base { }", "final class A: Named { }", "@Memberwise final class A { }",
      "final class A { init?(x: Int) { nil } }", "final class A { init<T>(x: T) { } }",
      "final class A { init(x: Int) async { } }", "final class A { init(x: inout Int) { } }",
      "final class A { @MainActor init() { } }",
    ]
    for source in sources { #expect(call(making: source) == "nil", "\(source)") }
    let made = [
      ("final class A { }", "A()"), ("final class A: Identifiable, @unchecked Sendable { }", "A()"),
      ("@MainActor final class A { init() { } }", "A()"),
      ("final class A { init() throws { } }", "try A()"),
      ("final class A { init(with x: Int?) { } }", "try A(with: (source.argument(\"x\") as Int?))"),
    ]
    for (source, call) in made { #expect(self.call(making: source) == call, "\(source)") }
  }

  @Test func aGenericClassIsMadeUnlessTheCompilerWouldWarn() {
    let sources = [
      "final class A<T: P> { }", "final class A<T> where T: P { }",
      "final class A<T: P & Sendable, U: P> { }",
      "final class A<T: Sequence & Sendable> where T.Element: P { }",
    ]
    for source in sources { #expect(call(making: source) == "nil", "\(source)") }
    let made = [
      "final class A<T> { }", "@MainActor final class A<T: P> { }", "final class A<T: P & Sendable> { }",
      "final class A<T: P> where T: Sendable { }", "final class A<T> where T == Int { }",
    ]
    for source in made { #expect(call(making: source) == "A()", "\(source)") }
  }

  /// The body of the maker.
  private func call(making source: String) -> String? {
    let file = Parser.parse(source: "@Recorded " + source)
    guard let type = file.statements.first?.item.as(ClassDeclSyntax.self),
      let attribute = type.attributes.first?.as(AttributeSyntax.self),
      let members = try? RestoringMacro.expansion(
        of: attribute, providingMembersOf: type, conformingTo: ["RecordedObject"],
        in: BasicMacroExpansionContext(sourceFiles: [:])),
      let text = members.first?.description,
      let maker = Parser.parse(source: text).statements.first?.item.as(FunctionDeclSyntax.self)
    else { return nil }
    return maker.body?.statements.trimmedDescription
  }

  private func expect(
    _ source: String, expandsTo expected: String, at location: Testing.SourceLocation = #_sourceLocation
  ) {
    assertMacroExpansion(
      source, expandedSource: expected,
      macroSpecs: ["Recorded": MacroSpec(type: RestoringMacro.self, conformances: ["RecordedObject"])],
      indentationWidth: .spaces(2)
    ) { failure in
      Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
    }
  }
}
