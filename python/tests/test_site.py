"""The site of the documents: it builds without a warning, its links lead somewhere, it works in a browser without a
server, its code runs."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

import sparsecast

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# test_device_arrays runs the page of GPUs, on OpenCL.
ELSEWHERE = {DOCS / "how-to" / name for name in ("index.md", "gpu.md")}
PAGES = [DOCS / "first-plan.md", *sorted(set((DOCS / "how-to").glob("*.md")) - ELSEWHERE)]
EXAMPLES = sorted((DOCS / "examples").glob("*.md"))

# Pages about packages that are too large for the tests' environment: run where they are installed.
OTHERS = {"optimizers": "cvxpy", "pytorch": "torch", "jax": "jax"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sites") / "now"
    command = [sys.executable, ROOT / "docs" / "site" / "build.py", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Page(HTMLParser):
    """Where a page's links lead, and what in it can be linked to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        self.links += [found[name] for name in ("href", "src") if found.get(name)]


def test_no_link_is_broken(site):
    pages = {file: Page(file) for file in site.rglob("*.html") if "_static" not in file.parts}  # the theme's templates
    assert len(pages) > 60
    broken, followed = [], 0
    for file, page in pages.items():
        for link in page.links:
            url = urlparse(link)
            if url.scheme or url.netloc:
                continue
            followed += 1
            there = (file.parent / unquote(url.path)).resolve() if url.path else file
            known = pages[there].anchors | {""} if there in pages else {url.fragment}
            if not there.is_file() or unquote(url.fragment) not in known:
                broken.append(f"{file.relative_to(site)}: {link}")
    assert followed > 2000 and not broken, broken


def test_the_references_are_whole(site):
    python = (site / "reference" / "python.html").read_text()
    for name in sparsecast.__all__:
        if not name.startswith("__"):
            assert f'id="sparsecast.{name}"' in python or f'id="module-sparsecast.{name}"' in python or (
                f'id="sparsecast.{name}.' in python
            ), name  # fmt: skip
    for header in (ROOT / "include" / "sparsecast").glob("*.hpp"):
        assert (site / "reference" / "cpp" / f"{header.stem}.html").is_file()
    plan = (site / "reference" / "cpp" / "plan.html").read_text()
    assert "apply_transposed_block" in plan and "private:" not in plan
    for command in ("sparsecast", "sparsecast-predict", "sparsecast-cluster-predict"):
        assert (site / "reference" / "command" / f"{command}.html").is_file()
    assert "--iterations" in (site / "reference" / "command" / "sparsecast-predict.html").read_text()


def test_a_page_of_a_command_has_the_fields_of_its_document(site):
    page = (site / "reference" / "command" / "sparsecast-predict.html").read_text()
    schema = json.loads((DOCS / "schemas" / "predict.schema.json").read_text())
    assert len(schema["properties"]) > 8
    for key in schema["properties"]:
        assert f">{key}</span>" in page, key
    low = schema["properties"]["forecasts"]["items"]["properties"]["low_s"]["description"]
    assert ">forecasts[].low_s</span>" in page and low in page.replace("\u00a0", " ")


def test_every_page_can_be_searched(site):
    index = json.loads(
        re.fullmatch(r"Search\.setIndex\((.*)\)\s*", (site / "searchindex.js").read_text(), re.DOTALL)[1]
    )
    names = {name.removesuffix(".md").removesuffix(".rst") for name in index["docnames"]}
    pages = {str(page.relative_to(DOCS).with_suffix("")) for page in DOCS.rglob("*.md") if "site" not in page.parts}
    assert len(pages) > 100 and pages <= names


# ---- in a browser, from the disk

BROWSER = shutil.which("chromium")
in_a_browser = pytest.mark.skipif(BROWSER is None, reason="chromium is not here (scripts/install)")


class Browser:
    """One browser for all pages and widths, told through a pipe what to do (Chrome DevTools Protocol: JSON, a zero ends a
    message). It ends when the pipe does."""

    ANSWERS_WITHIN = 120  # seconds; the longest page takes ten

    def __init__(self, folder: Path) -> None:
        self.folder, self.starts = folder, 0
        self.start()

    def start(self) -> None:
        self.starts += 1
        (self.reads, answers), (asks, self.writes) = os.pipe(), os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        options += ["--remote-debugging-pipe", f"--user-data-dir={self.folder / str(self.starts)}"]
        # It reads from 3 and writes to 4.
        command = ["bash", "-c", f'exec "$@" 3<&{asks} 4>&{answers}', "bash", BROWSER, *options]
        nowhere = subprocess.DEVNULL
        self.process = subprocess.Popen(command, pass_fds=(asks, answers), stdin=nowhere, stdout=nowhere, stderr=nowhere)
        os.close(asks)
        os.close(answers)
        self.unread, self.last = b"", 0

    def heard(self, until: float) -> dict:
        while b"\0" not in self.unread:
            if not select.select([self.reads], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError
            more = os.read(self.reads, 1 << 16)
            assert more, "the browser has ended"
            self.unread += more
        message, _, self.unread = self.unread.partition(b"\0")
        return json.loads(message)

    def ask(self, method: str, session: str | None = None, **parameters) -> dict:
        self.last += 1
        asked = {"id": self.last, "method": method, "params": parameters}
        if session:
            asked["sessionId"] = session
        with open(self.writes, "wb", closefd=False) as writes:
            writes.write(json.dumps(asked).encode() + b"\0")
        until = time.monotonic() + self.ANSWERS_WITHIN
        while (message := self.heard(until)).get("id") != self.last:
            pass
        assert "error" not in message, message
        return message["result"]

    def told(self, page: Path, script: str, query: str = "", width: int = 1280) -> dict:
        """What the body of an asynchronous function returns on a page from a file, once that is loaded. A browser that does
        not answer, as happens on a machine with much else to do, is started again and asked once more."""
        try:
            return self.look(page, script, query, width)
        except TimeoutError:
            self.end()
            self.start()
            return self.look(page, script, query, width)

    def look(self, page: Path, script: str, query: str, width: int) -> dict:
        """In a tab of its own: what the page before still loads may come after what is asked for here."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        tab = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Emulation.setDeviceMetricsOverride", tab, width=width, height=900, deviceScaleFactor=1, mobile=False)
        assert "errorText" not in self.ask("Page.navigate", tab, url=page.as_uri() + query)
        loaded = "if (document.readyState != 'complete') await new Promise(done => addEventListener('load', done));"
        expression = f"(async () => {{ {loaded} {script} }})()"
        done = self.ask("Runtime.evaluate", tab, expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done
        self.ask("Target.closeTarget", targetId=target)
        return done["result"]["value"]

    def end(self) -> None:
        os.close(self.writes)
        os.close(self.reads)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    started = Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.end()


@in_a_browser
def test_a_search_works_without_a_server(site, browser):
    found = """
      const links = () => [...document.querySelectorAll('li[class*="kind-"] a')].map(link => link.getAttribute('href'));
      const wanted = 'reference/command/sparsecast-calibrate.html';
      for (let turn = 0; turn < 600 && !(links().length >= 5 && links().some(link => link.includes(wanted))); ++turn)
        await new Promise(done => setTimeout(done, 100));
      return links();"""
    links = browser.told(site / "search.html", found, query="?q=calibration")
    assert len(links) >= 5 and any("reference/command/sparsecast-calibrate.html" in link for link in links), links


@in_a_browser
def test_a_browser_that_does_not_answer_is_started_again(site, tmp_path, monkeypatch):
    started = Browser(tmp_path)
    monkeypatch.setattr(Browser, "ANSWERS_WITHIN", 5)
    first = started.process
    first.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(Browser, "end", lambda self: (first.kill(), first.wait(), os.close(self.writes), os.close(self.reads)))
    title = started.told(site / "index.html", "return document.title")
    monkeypatch.undo()
    assert "Sparsecast" in title and started.process is not first
    started.end()


@in_a_browser
def test_a_reader_can_change_the_version(site, browser):
    home = site / "index.html"
    only = "return [...document.querySelectorAll('.versions')].map(place => place.textContent.trim())"
    assert set(browser.told(home, only)) == {sparsecast.__version__}
    other = site.parent / "older"
    other.mkdir()
    (other / "version.txt").write_text("0.1.0\n")
    sys.path.insert(0, str(DOCS / "site"))
    try:
        from build import write_versions
    finally:
        sys.path.pop(0)
    write_versions(site.parent)
    assert f"url={site.name}/index.html" in (site.parent / "index.html").read_text()
    offered = "return [...document.querySelector('.versions select').options].map(one => [one.text, one.selected])"
    assert browser.told(home, offered) == [[sparsecast.__version__, True], ["0.1.0", False]]


LOOKED_AT = ["index", "tutorial", "results", "how-to/gpu", "reference/python", "reference/cpp/plan",
             "reference/command/sparsecast-predict"]  # fmt: skip
LONG = "reference/python"  # axe-core takes eight seconds; what its parts are made of stands on reference/cpp/plan too


@in_a_browser
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_is_for_everybody(site, browser, name):
    """No fault that axe-core finds (contrast, names, order of headings, what the keyboard reaches), at three widths. In the
    dark only colours are others."""
    axe = (Path(pytest.importorskip("axe_core_python").__file__).parent / "axe.min.js").as_uri()
    script = f"""
      // A colour that fades would be seen on its way, sooner or later as the machine is busy.
      const still = document.createElement('style');
      still.textContent = '*, *::before, *::after {{ transition: none !important; animation: none !important; }}';
      document.head.append(still);
      await new Promise(done => {{
        const axe = document.createElement('script');
        axe.src = '{axe}';
        axe.onload = done;
        document.head.append(axe);
      }});
      const found = [];
      for (const theme of ['light', 'dark']) {{
        document.documentElement.dataset.theme = theme;
        const rules = theme == 'dark' ? {{runOnly: ['color-contrast']}} : {{}};
        const seen = await axe.run(document, {{resultTypes: ['violations'], ...rules}});
        const faults = seen.violations.map(one => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 200)]);
        found.push({{ theme, faults, checked: seen.passes.length, behind: getComputedStyle(document.body).backgroundColor }});
      }}
      return {{
        found,
        wide: document.documentElement.scrollWidth - innerWidth,
        first: document.querySelector('a[href], button, input, select').textContent.trim(),
        away: performance.getEntriesByType('resource').map(one => one.name).filter(one => !one.startsWith('file:')),
      }};"""
    for width in (360,) if name == LONG else (360, 768, 1280):
        seen = browser.told(site / f"{name}.html", script, width=width)
        for one in seen["found"]:
            assert one["faults"] == [], (width, one["theme"], one["faults"])
        light, dark = seen["found"]
        assert light["checked"] > 10 and dark["checked"] == 1, width
        assert light["behind"] != dark["behind"], width
        assert seen["wide"] <= 0 and seen["away"] == [], (width, seen)
        assert seen["first"] == "Skip to main content"


# What readers ask first, where it is answered, and words of the answer.
QUESTIONS = [
    ("What do I type to make my SciPy program faster, and how much faster?", "docs/first-plan.md",
     ["sparsecast.accelerated()", "times as fast as SciPy's"]),
    ("Must I calibrate first? How long does it take, for what?", "docs/tutorial.md",
     ["You do not have to calibrate", "half a minute", "narrower intervals"]),
    ("How far may I trust a number?", "docs/results.md",
     ["How far to trust a forecast", "on your processor", "by its data sheet"]),
    ("Which of two GPUs should I rent, and how sure is that?", "docs/how-to/machines.md",
     ["Which one should I rent?", "of pairs"]),
    ("Can I use a CuPy array where it lies?", "docs/how-to/gpu.md", ["CuPy", "Nothing is copied through the host"]),
    ("How do I use it within PETSc, and what does it change?", "docs/how-to/petsc.md",
     ["-mat_type sparsecast", "Solvers, preconditioners and results stay PETSc's"]),
    ("Does changing the format pay for ten products? For a thousand?", "docs/how-to/conversion.md",
     ["For ten products", "For a thousand"]),
    ("How much traffic has my MATLAB prototype, and what was not counted?", "docs/how-to/traffic.md",
     ["sparsecast traffic power.m", "What is not counted"]),
    ("How many processes should I ask for?", "docs/how-to/cluster.md", ["cluster advise", "--within"]),
    ("What does it not do, and where did it never run?", "README.md",
     ["What it cannot do", "No real cluster has run it", "No AMD or Intel GPU did"]),
]  # fmt: skip


def linked(page: Path) -> set[Path]:
    links = re.findall(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)", page.read_text())
    return {found for link in links if (found := (page.parent / link).resolve()).is_file()}


@pytest.mark.parametrize("question, answer, words", QUESTIONS, ids=lambda one: one if isinstance(one, str) else "")
def test_the_readme_leads_to_the_answer_in_two_clicks(question, answer, words):
    readme, page = ROOT / "README.md", ROOT / answer
    first = linked(readme)
    second = set().union(*(linked(one) for one in first))
    assert page in {readme} | first | second, question
    text = " ".join(page.read_text().split())
    assert [word for word in words if word not in text] == [], question


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def test_there_are_pages_with_code():
    assert len(PAGES) >= 8
    of_other_languages = [page for page in PAGES if "{literalinclude} ../programs/" in page.read_text()]
    assert len(of_other_languages) == 3, "programs of C, Fortran and Octave, which tests/c_interface runs"
    for page in set(PAGES) - set(of_other_languages):
        assert blocks(page, "python") or blocks(page, "console"), page.name


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """A folder for PKG_CONFIG_PATH with the C library as an installation describes it: pages are for those who have one
    (tests/install looks at what a real one holds)."""
    folder = tmp_path_factory.mktemp("prefix") / "lib" / "pkgconfig"
    folder.mkdir(parents=True)
    values = {"to_prefix": "../..", "CMAKE_INSTALL_LIBDIR": "lib", "CMAKE_INSTALL_INCLUDEDIR": "include"}
    values |= {"PROJECT_DESCRIPTION": "Sparsecast", "PROJECT_VERSION": sparsecast.__version__}
    template = (ROOT / "integrations" / "c_interface" / "sparsecast_c.pc.in").read_text()
    described = re.sub("@(.*?)@", lambda found: values[found[1]], template)
    (folder / "sparsecast_c.pc").write_text(described)
    return str(folder)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page, described):
    """The Python blocks of a page are one program, its console blocks one session."""
    program = "\n".join(blocks(page, "python"))
    if page.stem in OTHERS:
        pytest.importorskip(OTHERS[page.stem])
    exec(compile(program, str(page), "exec"), {"__name__": "page"})
    session = re.findall(r"^\$ (.*)$", "\n".join(blocks(page, "console")), re.MULTILINE)
    told = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PKG_CONFIG_PATH": described}
    done = subprocess.run(["bash", "-euc", "\n".join(session)], env=told, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def shape(line: str) -> str:
    """A printed line without what another machine or another day prints: figures, units, bars, how many figures a scale
    has, names of kernels, of machines and of what else the times choose, and how many, marks of a place in a ranking or
    of a doubt."""
    kernel = r"(csr|coo|ell|hyb|jad|sell|dia|bsr|armpl|mkl|(roc|cu)sparse|ginkgo)(-[a-z0-9-]+)?"
    machine = r"(amd|intel|nvidia|aws|arm|ampere)-[a-z0-9-]+|host(?= )"
    words = re.sub(r"[├─●┤=*–]|\b(ns|µs|ms|s)\b", " ", line)
    storage = r"shared|second-form|transpose"
    preconditioner = r"none|(block-)?jacobi|gauss-seidel|ilu0|ic0"
    words = re.sub(rf"\b({machine}|{kernel}|{storage}|{preconditioner})(?![\w-])", "NAME", words)
    words = " ".join(re.sub(r"[+-]?\d[\d.,]*(e[+-]?\d+)?( %| ×)?", "#", words).split())
    words = words.replace("# threads", "# thread")
    return re.sub(r"NAME(,? (and )?(NAME|# more))+|(?<=it: )NAME", "NAMES", re.sub(r"#( #)+", "#", words))


def test_a_shape_keeps_the_words():
    assert shape("csr   315 µs  237 µs – 428 µs  ├●┤  =") == shape("sell-8-1  1.2 ms  1 ms – 2 ms ├─●──┤")
    assert shape("apart from it: sell-8-1, csr and 1 more") == shape("apart from it: csr, sell, dia, ell and 10 more")
    assert shape("dia on 2 threads, 37.8 µs") == shape("csr on 1 thread, 3 ms")
    assert shape("dia on 2 threads, 37.8 µs") != shape("dia on 2 cores, 37.8 µs")
    assert shape("Aᵀ by: transpose") == shape("Aᵀ by: second-form") == shape("Aᵀ by: shared") != shape("Aᵀ by: A")
    assert shape("jacobi  2  dia  145 µs") == shape("block-jacobi  2  sell-8-1  1 ms") == shape("none  2  csr  2 s")


# What some runs do not tell: a part of a forecast that is timed when it is asked for, as the difference of two times of
# which nothing may be left; kernels as good as the first, of which there may be none.
NOT_ALWAYS = {"hand-over between threads", "cannot be told apart from it"}


def held_against(shown: list[str], printed: list[str]) -> str:
    """The first line of a page's screen that a program did not print after the ones before it, on however many lines."""
    words, at = shape("\n".join(printed)), 0
    for line in shown:
        if (wanted := shape(line)) and wanted != "…":
            if (found := words.find(wanted, at)) >= 0:
                at = found + len(wanted)
            elif not any(name in line and name not in words for name in NOT_ALWAYS):
                return line
    return ""


def test_a_line_may_be_missing_only_where_it_is_not_always_told():
    shown = ["products  65.8 µs  50.6 %", "hand-over between threads  596 ns  0.5 %", "reductions  15.6 µs  12.0 %"]
    assert held_against(shown, shown) == held_against(shown, [shown[0], shown[2]]) == ""
    assert held_against(shown, shown[:2]) == shown[2]
    assert held_against(shown, [shown[0], "hand-over between threads: none", shown[2]]) == shown[1]
    assert held_against(["use dia", "cannot be told apart from it: sell"], ["use dia"]) == ""


def test_there_are_twelve_examples():
    assert len(EXAMPLES) == 12
    for page in EXAMPLES:
        assert f"(examples/{page.name})" in (DOCS / "examples.md").read_text(), page.name
        assert len(page.read_text().splitlines()) <= 60, f"{page.name} is longer than a screen"


@pytest.mark.parametrize("page", [page for page in EXAMPLES if blocks(page, "console")], ids=lambda page: page.stem)
def test_an_example_of_the_command_prints_its_screen(page, tmp_path):
    session = re.findall(r"^\$ (.*)$", "\n".join(blocks(page, "console")), re.MULTILINE)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    told = {**os.environ, "PATH": path, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-euc", "\n".join(session)], env=told, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (shown,) = blocks(page, "text")
    assert held_against(shown.splitlines(), done.stdout.splitlines()) == "", done.stdout


@pytest.mark.parametrize("page", [page for page in EXAMPLES if blocks(page, "python")], ids=lambda page: page.stem)
def test_an_example_in_python_prints_its_screen(page, tmp_path):
    (program,) = blocks(page, "python")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (shown,) = blocks(page, "text")
    assert held_against(shown.splitlines(), done.stdout.splitlines()) == "", done.stdout


def sessions(page: Path) -> list[tuple[str, list[str]]]:
    """The commands of a page's indented sessions, each with the screen below it."""
    found: list[tuple[str, list[str]]] = []
    inside = False
    for line in page.read_text().splitlines():
        if line.startswith("    $ "):
            found.append((line[6:], []))
            inside = True
        elif inside and (line.startswith("    ") or not line):
            found[-1][1].append(line[4:])
        else:
            inside = False
    return [(command, "\n".join(screen).strip("\n").splitlines()) for command, screen in found]


# The pages whose sessions users type first; what takes minutes, or is made on the page, is left out.
FIRST = [ROOT / "README.md", DOCS / "tutorial.md"]


@pytest.mark.parametrize("page", FIRST, ids=lambda page: page.stem)
def test_the_screens_of_a_first_page_are_todays(page, tmp_path):
    told = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    told["COLUMNS"] = "80"
    told["SPARSECAST_HOME"] = str(tmp_path / "home")  # a newcomer's: nothing was measured
    made = "sparsecast generate geometric --rows 100000 --row-mean 16 --seed 1 -o mesh.mtx"
    assert page.name != "README.md" or made in page.read_text()
    subprocess.run(["bash", "-c", made], env=told, cwd=tmp_path, check=True, capture_output=True)
    asked = sessions(page)
    assert len(asked) >= 3
    for command, shown in asked:
        if command == "sparsecast calibrate":
            continue
        done = subprocess.run(["bash", "-euc", command], env=told, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert held_against(shown, done.stdout.splitlines()) == "", f"{command}\n{done.stdout}"


def test_the_pictures_are_of_todays_figures(tmp_path):
    subprocess.run([sys.executable, ROOT / "benchmarks" / "pictures" / "draw", tmp_path], check=True)
    drawn = sorted(tmp_path.glob("*.svg"))
    assert len(drawn) == 5
    for picture in drawn:
        assert picture.read_text() == (DOCS / "pictures" / picture.name).read_text(), "benchmarks/pictures/draw"
        assert min(map(float, re.findall(r"font(?:-size)?: (\d+)px", picture.read_text()))) >= 12
