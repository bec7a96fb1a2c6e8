#pragma once
// A small HTTP server on the loopback, for tests of what is fetched: it answers as a test says, also wrongly.

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sparsecast::test {

struct HttpRequest {
  std::string path;
  long long from = 0;  ///< of "Range: bytes=FROM-"; 0 without one
};

struct HttpAnswer {
  int status = 200;
  std::string body;
  std::vector<std::string> headers;  ///< "Retry-After: 1"
  long long claimed = -1;            ///< Content-Length where it is not the body's
};

/// Answers one request after the other, each on a connection of its own, until it goes out of scope.
class LoopbackServer {
 public:
  explicit LoopbackServer(std::function<HttpAnswer(const HttpRequest&)> answer);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  /// "http://127.0.0.1:PORT".
  [[nodiscard]] std::string url() const;
  /// What was asked for so far, in order.
  [[nodiscard]] std::vector<HttpRequest> asked() const;

 private:
  void serve();

  std::function<HttpAnswer(const HttpRequest&)> answer_;
  int listening_ = -1, port_ = 0;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> asked_;
  std::thread thread_;
};

/// The answer with a whole body, or with the part that was asked for.
HttpAnswer in_parts(const HttpRequest& request, const std::string& body);

/// A member of a tar archive (ustar). `type` as in its header: '0' a file, '2' a symbolic link, '3' a device.
struct TarMember {
  std::string path, content;
  char type = '0';
  std::string target = {};
  long long claimed = -1;  ///< its length by the header, where that lies
};
std::string tar(const std::vector<TarMember>& members);

}  // namespace sparsecast::test
