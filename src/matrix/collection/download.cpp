#include "matrix/collection/download.hpp"
#include "fields/wording.hpp"
#include "matrix/collection/collection.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast/version.hpp>
#include <thread>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"

#ifdef SPARSECAST_HAS_CURL
#include <curl/curl.h>
#include <dlfcn.h>
#include <charconv>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <optional>
#include <system_error>
#include <type_traits>
#endif

namespace sparsecast::matrix {
#ifndef SPARSECAST_HAS_CURL

bool can_download() { return false; }

void download(const std::string& url, const std::filesystem::path& /*file*/, const DownloadOptions& /*options*/) {
  throw Error(ErrorCode::unavailable, "this build cannot fetch anything: it has no libcurl", {url},
              "install libcurl4-openssl-dev and build again, or fetch the file by other means");
}

#else

namespace {
constexpr std::int64_t megabyte = 1 << 20;

// libcurl, opened when something is fetched: it brings three dozen libraries along, which every run of the command
// would load.
#define SPARSECAST_LIBCURL(F) \
  F(global_init) F(easy_init) F(easy_setopt) F(easy_perform) F(easy_getinfo) F(easy_cleanup) F(easy_strerror)

// Its functions, without the curl_ of their names.
struct LibCurl {
// NOLINTNEXTLINE(bugprone-macro-parentheses): it names a member
#define SPARSECAST_FUNCTION(name) decltype(&::curl_##name) name = nullptr;
  SPARSECAST_LIBCURL(SPARSECAST_FUNCTION)
#undef SPARSECAST_FUNCTION
};

LibCurl opened_curl(bool& complete) {
  LibCurl functions;
  void* library = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"})
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  complete = library != nullptr;
  const auto find = [&](auto& function, const char* name) {
    if (complete) function = reinterpret_cast<std::decay_t<decltype(function)> >(dlsym(library, name));
    complete = complete && function != nullptr;
  };
#define SPARSECAST_FIND(name) find(functions.name, "curl_" #name);
  SPARSECAST_LIBCURL(SPARSECAST_FIND)
#undef SPARSECAST_FIND
  complete = complete && functions.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return functions;
}
// nullptr where the library is not here or cannot begin.
const LibCurl* libcurl() {
  static bool complete = false;
  static const LibCurl functions = opened_curl(complete);
  return complete ? &functions : nullptr;
}

// Waits in steps, so that Ctrl-C is not waited for.
void pause(double seconds) {
  const double end = base::now_s() + seconds;
  for (double left = seconds; left > 0; left = end - base::now_s()) {
    base::throw_if_interrupted();
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, 0.1)));
  }
}

struct CurlEnd {
  void operator()(CURL* handle) const { libcurl()->easy_cleanup(handle); }
};
struct FileEnd {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// The lower-case value of a header line, where it is the one called `name`.
std::optional<std::string> header_value(std::string_view line, std::string_view name) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || base::lower_case(line.substr(0, colon)) != name) return std::nullopt;
  const std::size_t begin = line.find_first_not_of(" \t", colon + 1), end = line.find_last_not_of(" \t\r\n");
  if (begin == std::string_view::npos || end < begin) return std::string();
  return base::lower_case(line.substr(begin, end - begin + 1));
}

// One request for what the file does not hold yet.
class Request {
 public:
  Request(const std::string& url, const std::filesystem::path& path, const DownloadOptions& options)
      : path_(path), options_(options), handle_(libcurl()->easy_init()) {
    if (!handle_) fail("libcurl has no memory");
    std::error_code absent;
    const auto size = std::filesystem::file_size(path, absent);
    had_ = absent ? 0 : static_cast<std::int64_t>(size);
    const auto set = [&](CURLoption option, auto value) {
      if (const CURLcode code = libcurl()->easy_setopt(handle_.get(), option, value); code != CURLE_OK)
        fail(libcurl()->easy_strerror(code));
    };
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 5L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, 30L);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, std::max(1L, std::lround(options.silence_s)));
    set(CURLOPT_USERAGENT, fmt::format("sparsecast/{}", library_version()).c_str());
    set(CURLOPT_ERRORBUFFER, said_);
    set(CURLOPT_WRITEFUNCTION, &Request::on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_HEADERFUNCTION, &Request::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Request::on_progress);
    set(CURLOPT_XFERINFODATA, this);
    // Not CURLOPT_RESUME_FROM: libcurl would fail where the server answers with the whole file.
    if (had_ > 0) set(CURLOPT_RANGE, fmt::format("{}-", had_).c_str());
  }

  /// The code of libcurl; 0 where the server's answer, whatever it was, came whole.
  CURLcode run() {
    start_s_ = base::now_s();
    const CURLcode code = libcurl()->easy_perform(handle_.get());
    libcurl()->easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status_);
    if (file_ && std::fclose(file_.release()) != 0 && trouble_.empty()) trouble_ = base::error_text(errno);
    base::throw_if_interrupted();
    if (too_long_)
      throw Error(
          ErrorCode::bad_input,
          fmt::format("the server sends more than {}", base::format_bytes(static_cast<double>(options_.most_bytes))),
          {options_.what}, "check that the server is the right one");
    if (!trouble_.empty()) fail("cannot write " + path_.string() + ": " + trouble_);
    return code;
  }

  [[nodiscard]] long status() const { return status_; }
  [[nodiscard]] bool whole() const { return status_ == 200 || (status_ == 206 && had_ > 0); }
  [[nodiscard]] std::int64_t arrived() const { return arrived_; }
  [[nodiscard]] std::string reason(CURLcode code) const {
    return said_[0] != '\0' ? said_ : libcurl()->easy_strerror(code);
  }

  /// Seconds that the server asks to wait; nothing where it does not.
  [[nodiscard]] std::optional<double> retry_after() const {
    curl_off_t seconds = 0;
    if (!asked_to_wait_ || libcurl()->easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &seconds) != CURLE_OK)
      return std::nullopt;
    return static_cast<double>(seconds);
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorCode::failed, reason, {options_.what}, "check whether the disk is full");
  }

  // The file is opened when the first byte of the right answer is here, at its end or anew.
  bool open() {
    const bool further = status_ == 206 && from_ == had_;
    file_.reset(std::fopen(path_.c_str(), further ? "abe" : "wbe"));
    if (!file_) {
      trouble_ = base::error_text(errno);
      return false;
    }
    have_ = further ? had_ : 0;
    return true;
  }

  static std::size_t on_body(char* bytes, std::size_t one, std::size_t count, void* self) {
    Request& request = *static_cast<Request*>(self);
    const std::size_t size = one * count;
    libcurl()->easy_getinfo(request.handle_.get(), CURLINFO_RESPONSE_CODE, &request.status_);
    if (request.status_ != 200 && request.status_ != 206) {  // the page that tells what is wrong
      request.ignored_ += static_cast<std::int64_t>(size);
      return request.ignored_ < megabyte ? size : 0;
    }
    if (!request.file_ && !request.open()) return 0;
    request.have_ += static_cast<std::int64_t>(size);
    request.too_long_ = request.have_ > request.options_.most_bytes;
    if (request.too_long_) return 0;
    if (std::fwrite(bytes, 1, size, request.file_.get()) != size) {
      request.trouble_ = base::error_text(errno);
      return 0;
    }
    request.arrived_ += static_cast<std::int64_t>(size);
    return size;
  }

  static std::size_t on_header(char* bytes, std::size_t one, std::size_t count, void* self) {
    Request& request = *static_cast<Request*>(self);
    const std::string_view line(bytes, one * count);
    if (line.starts_with("HTTP/")) {  // after a redirection all begins again
      request.from_ = -1;
      request.asked_to_wait_ = false;
    }
    if (header_value(line, "retry-after")) request.asked_to_wait_ = true;
    if (const auto range = header_value(line, "content-range"); range && range->starts_with("bytes "))
      std::from_chars(range->data() + 6, range->data() + range->size(), request.from_);
    return line.size();
  }

  static int on_progress(void* self, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
    const Request& request = *static_cast<const Request*>(self);
    if (base::interrupt_requested()) return 1;
    if (!request.options_.progress || !request.file_ || total <= 0) return 0;
    const double passed = base::now_s() - request.start_s_, here = static_cast<double>(now);
    const double left = here > 0 ? passed / here * static_cast<double>(total - now) : -1;
    const double before = static_cast<double>(request.have_) - here;
    request.options_.progress({(before + here) / (before + static_cast<double>(total)), left, request.options_.what});
    return 0;
  }

  std::filesystem::path path_;
  const DownloadOptions& options_;
  std::unique_ptr<CURL, CurlEnd> handle_;
  std::unique_ptr<std::FILE, FileEnd> file_;
  std::int64_t had_ = 0, have_ = 0, arrived_ = 0, ignored_ = 0, from_ = -1;
  double start_s_ = 0;
  long status_ = 0;
  bool too_long_ = false, asked_to_wait_ = false;
  std::string trouble_;
  char said_[CURL_ERROR_SIZE] = {};
};

// What may go better a moment later: a connection that was there and broke.
bool is_cut(CURLcode code) {
  switch (code) {
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return true;
    default: return false;
  }
}

// How the server says "later": the collection's site answers bursts with 403.
bool is_busy(long status) {
  return status == 403 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

// Pauses between tries: what the server asks for, else twice as long each time.
class Patience {
 public:
  explicit Patience(const DownloadOptions& options) : options_(options), next_s_(options.first_pause_s) {}

  void wait(const std::string& why, std::optional<double> asked_s, bool progress) {
    if (progress) {
      tries_ = 0;
      next_s_ = options_.first_pause_s;
    }
    const double seconds = std::max(next_s_, asked_s.value_or(0));
    if (++tries_ >= options_.most_tries)
      throw Error(ErrorCode::failed, fmt::format("{}, after {} tries", why, tries_), {options_.what},
                  "try again later; what has arrived is kept");
    if (waited_s_ + seconds > options_.most_waiting_s)
      throw Error(ErrorCode::failed, fmt::format("{}, and asks us to wait {:.0f} s", why, seconds), {options_.what},
                  "try again then; what has arrived is kept");
    if (options_.notice) options_.notice(fmt::format("{}: {}; again in {:.3g} s", options_.what, why, seconds));
    pause(seconds);
    waited_s_ += seconds;
    next_s_ = std::min(2 * next_s_, options_.longest_pause_s);
  }

 private:
  const DownloadOptions& options_;
  double next_s_, waited_s_ = 0;
  int tries_ = 0;
};
}  // namespace

bool can_download() { return libcurl() != nullptr; }

void download(const std::string& url, const std::filesystem::path& file, const DownloadOptions& options) {
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    throw Error(ErrorCode::usage, "is not an http:// or https:// address", {url});
  if (!can_download())
    throw Error(ErrorCode::unavailable, "cannot be fetched: libcurl is not found", {url},
                "install libcurl4, or fetch the file by other means");
  Patience patience(options);
  for (;;) {
    base::throw_if_interrupted();
    Request request(url, file, options);
    const CURLcode code = request.run();
    const bool progress = request.arrived() >= megabyte;
    if (code == CURLE_OK && request.whole()) return;
    if (code == CURLE_OK && request.status() == 416) {  // the file on the server is another one now
      std::error_code ignored;
      std::filesystem::remove(file, ignored);
      patience.wait("the part that was fetched earlier differs from the server's file", 0, false);
    } else if (code == CURLE_OK && is_busy(request.status())) {
      patience.wait(fmt::format("the server is busy (status {})", request.status()), request.retry_after(), progress);
    } else if (is_cut(code)) {
      patience.wait("the connection was cut: " + request.reason(code), {}, progress);
    } else if (code != CURLE_OK) {
      throw Error(ErrorCode::failed, "cannot be fetched: " + request.reason(code), {url},
                  wording::format("check the network; SPARSECAST_COLLECTION_URL, or {}, can name a mirror",
                                  wording::command("get", {{"url", wording::placeholder("URL")}})));
    } else {
      throw Error(ErrorCode::failed, fmt::format("the server answers with status {}", request.status()), {url},
                  "check that this is the collection's server");
    }
  }
}

#endif
}  // namespace sparsecast::matrix
