/// Decides which requests are answered at all.
///
/// Any page that is open in a browser may send requests to this machine. A request carries the host name by
/// which it was sent and the page that it comes from, and a page can change neither. So both are compared
/// with this server's address before anything else of the request is used.
struct RequestCheck: Sendable {
  /// The parts of a request that are checked.
  struct Request {
    var method: String
    var path: String
    /// The value of a header; nil if it is missing.
    var header: (String) -> String?
  }

  /// Why a request is refused, with the HTTP status.
  struct Refusal: Error, Equatable {
    var status: Int
    var reason: String
  }

  let port: UInt16
  let token: AccessToken

  /// As browsers write it: without the port if that is the default.
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
    // The page itself contains no data of the log, and other sites may link to it.
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
