import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Diagnostics of attributes that the macro does not know.
@Suite struct AttributeDiagnostics {
  @Test func anUnknownAttributeIsTakenForAGlobalActorAloud() {
    expectMembers(
      #"""
      @Recorded class Store {
        @Images var count = 1
        @MainActor var title = ""
        @DatabaseActor let name = ""
      }
      """#,
      contain: """
        case 0:
              @Images func stored() {
                reader.read(_count)
              }
              _$recorded._$call(stored)
              return true
        """,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' takes '@Images' for a global actor; if it is a property wrapper, "
            + "remove it, or mark the property '@RecordedIgnored'",
          line: 2, column: 3, severity: .remark,
          fixIts: [
            FixItSpec(message: "remove '@Images'"), FixItSpec(message: "mark it '@RecordedIgnored'"),
          ])
      ],
      applying: "mark it '@RecordedIgnored'",
      to: #"""
        @Recorded class Store {
          @RecordedIgnored @Images var count = 1
          @MainActor var title = ""
          @DatabaseActor let name = ""
        }
        """#)
  }

  @Test func anUnknownAttributeWithArgumentsIsTakenForAWrapper() {
    expectMembers(
      #"""
      @Recorded class Store {
        @UserDefault("count") var count = 1
      }
      """#,
      contain: "@UserDefault(\"count\") var count = 1\n",
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' cannot track 'count' behind '@UserDefault'; "
            + "remove the wrapper, or mark the property '@RecordedIgnored'",
          line: 2, column: 3, severity: .error,
          fixIts: [
            FixItSpec(message: "remove '@UserDefault'"), FixItSpec(message: "mark it '@RecordedIgnored'"),
          ])
      ],
      applying: "mark it '@RecordedIgnored'",
      to: #"""
        @Recorded class Store {
          @RecordedIgnored @UserDefault("count") var count = 1
        }
        """#)
  }

  @Test func propertiesThatTheStandardLibraryIgnoresAreIgnored() {
    expectMembers(
      #"""
      @Recorded class Store {
        @ObservationIgnored var cache = 1
        @ObservationIgnored lazy var index = makeIndex()
        @ObservationIgnored @Published var shown = 1
      }
      """#,
      contain: "_$propertyCount: Int { 0 }")
  }
}
