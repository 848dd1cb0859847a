import SwiftSyntax

// The compiler prints what a macro returns and parses the text itself. So an expansion is text, in a single
// token: a tree would be parsed and laid out in the plug-in, which nothing optimises in debug builds, and that
// took half of the time that the macros add to a build.

extension DeclSyntax {
  /// A declaration, or several, with this text.
  init(text: String) { self.init(MissingDeclSyntax(placeholder: .identifier(text))) }
}

extension AccessorDeclSyntax {
  init(text: String) { self.init(accessorSpecifier: .identifier(text)) }
}

extension AttributeSyntax {
  /// An attribute with this text after the `@`.
  init(text: String) { self.init(TypeSyntax(IdentifierTypeSyntax(name: .identifier(text)))) }
}
