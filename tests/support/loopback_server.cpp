#include "support/loopback_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace sparsecast::test {
namespace {

std::string header_text(const HttpAnswer& answer) {
  std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " as the test says\r\n";
  const long long length = answer.claimed >= 0 ? answer.claimed : static_cast<long long>(answer.body.size());
  text += "Content-Length: " + std::to_string(length) + "\r\nConnection: close\r\n";
  for (const std::string& header : answer.headers) text += header + "\r\n";
  return text + "\r\n";
}

void send_all(int socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return;
    sent += static_cast<std::size_t>(now);
  }
}

}  // namespace

LoopbackServer::LoopbackServer(std::function<HttpAnswer(const HttpRequest&)> answer) : answer_(std::move(answer)) {
  listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listening_ < 0 || ::bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listening_, 16) != 0 || ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no socket on the loopback");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

LoopbackServer::~LoopbackServer() {
  ::shutdown(listening_, SHUT_RDWR);
  thread_.join();
  ::close(listening_);
}

std::string LoopbackServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

std::vector<HttpRequest> LoopbackServer::asked() const {
  const std::scoped_lock lock(mutex_);
  return asked_;
}

void LoopbackServer::serve() {
  for (;;) {
    const int connection = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    std::string head;
    for (char piece[4096]; head.find("\r\n\r\n") == std::string::npos;) {
      const ssize_t got = ::recv(connection, piece, sizeof piece, 0);
      if (got <= 0) break;
      head.append(piece, static_cast<std::size_t>(got));
    }
    HttpRequest request;
    const std::size_t begin = head.find(' ') + 1;
    request.path = head.substr(begin, head.find(' ', begin) - begin);
    if (const std::size_t range = head.find("Range: bytes="); range != std::string::npos)
      request.from = std::atoll(head.c_str() + range + std::strlen("Range: bytes="));
    {
      const std::scoped_lock lock(mutex_);
      asked_.push_back(request);
    }
    const HttpAnswer answer = answer_(request);
    send_all(connection, header_text(answer) + answer.body);
    ::shutdown(connection, SHUT_WR);
    ::close(connection);
  }
}

HttpAnswer in_parts(const HttpRequest& request, const std::string& body) {
  if (request.from == 0) return {200, body, {}};
  const auto from = static_cast<std::size_t>(request.from);
  if (from >= body.size()) return {416, "", {}};
  return {206,
          body.substr(from),
          {"Content-Range: bytes " + std::to_string(from) + "-" + std::to_string(body.size() - 1) + "/" +
           std::to_string(body.size())}};
}

std::string tar(const std::vector<TarMember>& members) {
  std::string out;
  for (const TarMember& member : members) {
    char header[512] = {};
    const auto put = [&](std::size_t at, std::size_t most, const std::string& text) {
      std::memcpy(header + at, text.data(), std::min(most, text.size()));
    };
    char number[32];
    put(0, 100, member.path);
    put(100, 8, "0000644");
    put(108, 8, "0000000");
    put(116, 8, "0000000");
    const auto length = static_cast<unsigned long long>(
        member.claimed >= 0 ? member.claimed : static_cast<long long>(member.content.size()));
    std::snprintf(number, sizeof number, "%011llo", length);
    put(124, 12, number);
    put(136, 12, "00000000000");
    put(148, 8, "        ");
    header[156] = member.type;
    put(157, 100, member.target);
    put(257, 8, std::string("ustar\00000", 8));
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(number, sizeof number, "%06o", sum);
    put(148, 7, std::string(number) + '\0');
    out.append(header, sizeof header);
    out += member.content;
    out.resize((out.size() + 511) / 512 * 512, '\0');
  }
  return out + std::string(1024, '\0');
}

}  // namespace sparsecast::test
