/// Which requests are answered at all.
///
/// Every page that a browser has open may send requests to this machine. They carry the name by which they reached it and
/// the page that they come from, neither of which a page can change; so both are held against what this server is called,
/// before anything else of the request is looked at.
struct RequestCheck: Sendable {
  /// What is looked at of a request.
  struct Request {
    var method: String
    var path: String
    /// A header by its name; nil where there is none.
    var header: (String) -> String?
  }

  /// Why one is refused, with the status to say so.
  struct Refusal: Error, Equatable {
    var status: Int
    var reason: String
  }

  let port: UInt16
  let token: AccessToken

  /// As browsers call it: without the port of all pages.
  var host: String { port == 80 ? "127.0.0.1" : "127.0.0.1:\(port)" }
  var origin: String { "http://\(host)" }

  /// - Throws: ``Refusal``.
  func check(_ request: Request) throws(Refusal) {
    guard request.header("Host") == host else {
      throw Refusal(status: 403, reason: "this server is \(host) and answers to no other name")
    }
    if let other = request.header("Origin"), other != origin {
      throw Refusal(status: 403, reason: "requests of other pages are not answered")
    }
    if request.header("Upgrade") != nil {
      throw Refusal(status: 400, reason: "there is no other protocol here")
    }
    guard request.method == "GET" else {
      throw Refusal(status: 405, reason: "there is only GET here")
    }
    // The page itself holds nothing of the log, and a link to it may stand anywhere.
    if request.path == "/" { return }
    if let site = request.header("Sec-Fetch-Site"), site != "same-origin" {
      throw Refusal(status: 403, reason: "requests of other pages are not answered")
    }
    guard let given = request.header(AccessToken.header), token.matches(given) else {
      throw Refusal(
        status: 401,
        reason: "the token is missing or no longer right: open the address that replay serve prints")
    }
  }
}
