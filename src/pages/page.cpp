#include "pages/page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/embedded.hpp"
#include "base/text.hpp"
#include "pages/base64.hpp"
#include "pages/picture.hpp"
#include "pages/scale.hpp"
#include "pages/section.hpp"
#include "pages/sections/overview.hpp"
#include "pages/sections/side_by_side.hpp"

namespace sparsecast::pages {
namespace {

// Of markup, beside style, script and data: with them a page stays below a megabyte beside its data.
constexpr std::size_t most_bytes = 900'000;

// No network, whatever the page holds.
constexpr const char* policy =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'";

std::string_view asset(std::string_view name) {
  for (const embedded::File& file : embedded::page_assets())
    if (file.name == name) return file.text;
  return {};
}

Element head(const std::string& title) {
  Element out("head");
  out.add(Element("meta").with("charset", "utf-8"));
  out.add(Element("meta").with("http-equiv", "Content-Security-Policy").with("content", policy));
  out.add(Element("meta").with("name", "viewport").with("content", "width=device-width, initial-scale=1"));
  out.add(Element("meta").with("name", "generator").with("content", "sparsecast"));
  return out.add("title", title).add(Element("style").raw(asset("style.css")));
}

Element header(const Json& page, const std::string& title) {
  Element out("header");
  out.add("h1", title);
  if (const std::string asked = text(page, "asked"); !asked.empty()) out.add(Element("p", "meta").add("code", asked));
  std::string where = "sparsecast " + text(page, "version");
  if (const std::string made = text(page, "made"); !made.empty()) where += ", " + made;
  if (const std::string host = text(page, "host"); !host.empty()) where += ", on " + host;
  for (const Json& machine : list(page, "machines")) {
    where += "; " + text(machine, "name");
    if (const std::string model = text(machine, "model"); !model.empty()) where += ": " + model;
    if (const auto threads = number(machine, "threads"); threads && *threads > 0)
      where += fmt::format(", {} thread{}", shown(*threads, Unit::count), *threads == 1 ? "" : "s");
    if (const std::string tier = text(machine, "tier"); tier == "probe")
      where += ", by a probe of it";
    else if (tier == "data sheet")
      where += ", by its data sheet";
  }
  out.add(Element("p", "meta").text(where));
  return out.add(
      Element("div", "tools")
          .with("hidden", "")
          .add(Element("button").with("type", "button").with("data-save", "json").text("Save the data (JSON)")));
}

Element card(const char* title, const Element& content, bool wide) {
  Element out("section", wide ? "card wide" : "card");
  return out.add("h3", title).add(content);
}

// A matrix with its sections as cards; the answer stands above them.
Element matrix_part(const MatrixDocuments& documents) {
  const Json& m = *documents.matrix;
  Element out("section");
  out.with("id", documents.prefix + "top").add("h2", documents.name);
  std::string words = fmt::format("{} × {}, {} non-zeros", shown(number(m, "rows").value_or(0), Unit::count),
                                  shown(number(m, "cols").value_or(0), Unit::count),
                                  shown(number(m, "nonzeros").value_or(0), Unit::count));
  for (const Json* document : {documents.predict, documents.measure, documents.optimize}) {
    if (document == nullptr) continue;
    words +=
        fmt::format(", on {} in {} precision", text(member(*document, "device"), "name"), text(*document, "precision"));
    if (const auto vectors = number(*document, "vectors"); vectors && *vectors > 1)
      words += fmt::format(", {} vectors at once", shown(*vectors, Unit::count));
    if (flag(*document, "transposed")) words += ", transposed";
    break;
  }
  out.add(Element("p", "meta").text(words));
  Element cards("div", "cards");
  for (const MatrixSection& section : matrix_sections()) {
    const MaybeElement made = section.make(documents);
    if (!made) continue;
    if (*section.title == '\0') {
      out.add(*made);
    } else {
      cards.add(card(section.title, *made, section.wide));
    }
  }
  return cards.empty() ? out : out.add(cards);
}

Element drawing(const std::string& title, const std::string& svg) {
  Element image("img", "drawing");
  image.with("alt", title).with("src", "data:image/svg+xml;base64," + base64(svg));
  return Element("section").with("id", "drawing").add("h2", title).add(figure(title, image));
}

struct Parts {
  Element main{"main"};
  Element contents{"ul"};
  int entries = 0;
  std::size_t bytes = 0;
  int left_out = 0;

  // A part that no longer fits is left out; smaller ones after it may fit.
  void add(const std::string& id, const std::string& name, const Element& part) {
    const std::string markup = part.html();
    if (bytes + markup.size() > most_bytes) {
      ++left_out;
      return;
    }
    bytes += markup.size();
    main.raw(markup);
    contents.add(Element("li").add(Element("a").with("href", "#" + id).text(name)));
    ++entries;
  }
};

void add_documents(const Json& page, Parts& parts) {
  int documents = 0;
  for (const Json& document : list(page, "documents")) {
    const std::string prefix = fmt::format("d{}-", ++documents);
    const std::string schema = schema_name(document);
    int sections = 0;
    for (const DocumentSection& section : document_sections()) {
      if (schema != section.schema) continue;
      const MaybeElement made = section.make(document, prefix, page);
      if (!made) continue;
      const std::string id = fmt::format("{}s{}", prefix, ++sections);
      parts.add(id, section.title, Element("section").with("id", id).add("h2", section.title).add(*made));
    }
  }
}

}  // namespace

std::string script_json(const Json& json) {
  const std::string plain = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(plain.size());
  for (const char c : plain)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

std::string page_html(const Json& page, const Pictures& pictures) {
  const std::string title = text(page, "title").empty() ? "Sparsecast" : text(page, "title");
  Parts parts;
  const Json &before = member(page, "before"), &after = member(page, "after");
  if (before.is_object() && after.is_object()) {
    for (const ComparedPart& part : comparison(before, after)) parts.add(part.id, part.title, part.section);
  } else {
    const std::vector<MatrixDocuments> matrices = by_matrix(page, pictures.spies);
    if (matrices.size() > 1)
      parts.add("overview", "Overview",
                Element("section").with("id", "overview").add("h2", "Overview").add(overview(matrices)));
    for (const MatrixDocuments& documents : matrices)
      parts.add(documents.prefix + "top", documents.name, matrix_part(documents));
    add_documents(page, parts);
    for (const auto& [name, svg] : pictures.drawings) parts.add("drawing", name, drawing(name, svg));
  }
  if (parts.left_out > 0)
    parts.main.add(Element("p", "note")
                       .text(fmt::format(
                           "{} more parts would make this page too large; the data in this page holds what they show",
                           parts.left_out)));
  Element body("body");
  body.add(header(page, title));
  if (parts.entries > 1)
    body.add(Element("header").add(Element("nav").with("aria-label", "Contents").add(parts.contents)));
  body.add(parts.main);
  body.add(Element("footer").text(
      "Times are of one product unless they say otherwise. Click a heading to sort; point at a mark, or step through a "
      "picture with the arrow keys, to read it; + and − enlarge it. Everything here is drawn from the data in this "
      "file, and nothing is fetched."));
  body.add(Element("script").with("type", "application/json").with("id", "data").raw(script_json(page)));
  body.add(Element("script").raw(asset("script.js")));
  return "<!doctype html>\n" + Element("html").with("lang", "en").add(head(title)).add(body).html() + "\n";
}

}  // namespace sparsecast::pages
