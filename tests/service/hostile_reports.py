"""Reports of hostile students in a real headless Chromium. hostile_reports.sh starts the server: hostile_reports.py URL TOKENS.

Each document names an address of this script's own server, which must not be called."""
import csv
import http.client
import http.server
import io
import struct
import sys
import threading
import zipfile
import zlib

from driver import Browser, check, failures
from selenium.webdriver.common.by import By

URL = sys.argv[1]
with open(sys.argv[2], encoding="utf-8") as file:
    TOKENS = {row[0]: row[3] for row in csv.reader(file)}
HOST = URL.removeprefix("http://")


class Elsewhere(http.server.BaseHTTPRequestHandler):
    calls = []

    def do_GET(self):
        self.calls.append(self.path)
        self.send_response(204)
        self.end_headers()

    do_POST = do_HEAD = do_GET

    def log_message(self, *_):
        pass


elsewhere_server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
threading.Thread(target=elsewhere_server.serve_forever, daemon=True).start()


def elsewhere(path):
    return f"http://127.0.0.1:{elsewhere_server.server_port}/{path}"


def stream(data, dictionary=b""):
    return b"<<%s/Length %d>>\nstream\n%s\nendstream" % (dictionary, len(data), data)


def pdf(catalog="", page="", more=(), content=None):
    """One page with a red square."""
    objects = [f"<</Type/Catalog/Pages 2 0 R{catalog}>>".encode(), b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
               f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R{page}>>".encode(),
               content or stream(b"1 0 0 rg 0 0 306 396 re f"), *more]
    data, table = b"%PDF-1.7\n", b""
    for number, one in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    return data + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1, table, len(objects) + 1, len(data))


def bomb(gigabytes):
    """Twice packed blanks."""
    packer = zlib.compressobj(9)
    blank = b" " * (1 << 20)
    first, block = (packer.compress(blank) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return zlib.compress(first + block * (1024 * gigabytes), 9)


def png(width, height, more=b""):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = zlib.compress((b"\0" + b"\xff\0\0" * min(width, 16)) * min(height, 16))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"tEXt", b"Author\0<script>ran()</script>") + chunk(b"IDAT", rows) + chunk(b"IEND", b"") + more)


def archive(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return data.getvalue()


SCRIPT = "<script>window.ran = 1; fetch('" + elsewhere("script") + "')</script>"
JS = "app.launchURL('" + elsewhere("js") + "')"
LINK = "<</Type/Annot/Subtype/Link/Rect[0 0 612 792]/A<</S/URI/URI(" + elsewhere("link") + ")>>>>"
PDFS = [
    pdf(f"/OpenAction<</S/JavaScript/JS({JS})>>", f"/AA<</O<</S/JavaScript/JS({JS})>>>>"),
    pdf(f"/OpenAction<</S/URI/URI({elsewhere('open')})>>", f"/Annots[{LINK}]"),
    pdf("/AcroForm<</Fields[5 0 R]/NeedAppearances true>>", "/Annots[5 0 R]",
        [(f"<</Type/Annot/Subtype/Widget/FT/Btn/T(b)/Rect[0 0 612 792]/A<</S/SubmitForm/F<</FS/URL/F({elsewhere('form')})"
          ">>>>>>").encode()]),
    pdf("/OpenAction<</S/Launch/F(/usr/bin/touch)/Unix(/usr/bin/touch /tmp/ran)>>"),
    pdf(page="/Rotate 90", content=b"<</Length 0/F<</FS/URL/F(" + elsewhere("content").encode() + b")>>>>\nstream\n\nendstream"),
    pdf() + SCRIPT.encode(),
    b"%PDF-1.7\n%" + SCRIPT.encode() + b"\n" + pdf(),
    pdf() + b"PK\x05\x06" + bytes(18),
    pdf(content=stream(bomb(100), b"/Filter[/FlateDecode/FlateDecode]")),
]
MARKDOWNS = [
    f"# Report\n\n{SCRIPT}\n\n<img src=x onerror=window.ran=1> <iframe src='{elsewhere('frame')}'></iframe>\n\n"
    f"<style>@import '{elsewhere('css')}';</style><base href='{elsewhere('base')}'><meta http-equiv=refresh content='0;{elsewhere('m')}'>",
    f"[a](javascript:window.ran=1) [b](data:text/html,{SCRIPT}) [c](/log-out) <javascript:window.ran=1> [ok]({elsewhere('ok')})",
    f"![a]({elsewhere('p.png')}) ![b](//127.0.0.1:{elsewhere_server.server_port}/p.png) ![c](/staff) "
    "![d](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9cmFuKCk+)",
    ">" * 200_000,
    "\u202eevil\u202c `x` | a |\n|--|\n" + "| " * 3000,
]
# Markdown with pictures of its own, and with names that lead to others.
WITH_PICTURES = [archive({"report.md": f"![a](a.png) ![b](../../../course.yaml) ![c](/documents/1/pages/1) ![d]({elsewhere('a.png')})",
                          "a.png": png(16, 16, SCRIPT.encode())})]
PICTURES = [png(16, 16, SCRIPT.encode()), png(16, 16)[:-20]]
REFUSED = [("m1", SCRIPT.encode() + pdf()), ("m1", b"PK\x03\x04" + pdf()), ("m1", b""), ("png", png(60_000, 60_000)),
           ("png", f"<svg xmlns='http://www.w3.org/2000/svg' onload='ran()'>{SCRIPT}</svg>".encode()), ("md", b"a\0b"),
           ("md", b"<!-- " + bytes(range(256))), ("md", archive({"../report.md": "a"})), ("md", archive({"a.png": png(16, 16)})),
           ("md", archive({"report.md": "![a](a.png)", "a.png": f"<svg xmlns='http://www.w3.org/2000/svg' onload='ran()'>{SCRIPT}</svg>"}))]


def hand_in(assignment, student, data):
    """By the interface, as `opgrade submit` does: status and text."""
    connection = http.client.HTTPConnection(HOST, timeout=120)
    connection.request("POST", f"/api/submissions?assignment=report.{assignment}", data,
                       {"Authorization": "Bearer " + TOKENS[student], "Idempotency-Key": f"hostile-{assignment}-{student}-{len(data)}"})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def headers_of(browser, path):
    connection = http.client.HTTPConnection(HOST, timeout=120)
    cookie = browser.driver.get_cookie("opgrade_session")["value"]
    connection.request("GET", path, headers={"Cookie": "opgrade_session=" + cookie})
    answer = connection.getresponse()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


def nothing_ran(browser, name):
    check(browser.driver.execute_script("return window.ran") is None, f"{name}: a script ran")
    loaded = browser.driver.execute_script("return performance.getEntriesByType('resource').map((r) => r.name)")
    for address in loaded:
        check(address.startswith(URL + "/"), f"{name} loads {address}")
    for css in ("main iframe", "main script", "main object", "main embed", "main base", "main meta", "main svg", "main style"):
        check(not browser.driver.find_elements(By.CSS_SELECTOR, css), f"{name} has the element {css}")
    for link in browser.driver.find_elements(By.CSS_SELECTOR, ".document a"):
        address = link.get_attribute("href")
        check(address.startswith(("http://", "https://")), f"{name} has a link to {address}")
        check(address.startswith(URL) or "noreferrer" in link.get_attribute("rel"), f"{name}: the link to {address} tells the page")


ALL = (("m1", PDFS), ("md", [text.encode() for text in MARKDOWNS] + WITH_PICTURES), ("png", PICTURES))
for assignment, documents in ALL:
    for number, data in enumerate(documents, 1):
        status, text = hand_in(assignment, f"s{number}", data)
        check(status in (200, 201, 202), f"{assignment} {number} is answered with {status}: {text}")
for assignment, data in REFUSED:
    status, text = hand_in(assignment, "s10", data)
    check(400 <= status < 500, f"{data[:20]} is answered with {status}: {text}")

sam, student = Browser(URL), Browser(URL)
sam.log_in(TOKENS["sam"])
student.log_in(TOKENS["s2"])
seen = []
for assignment, documents in ALL:
    sam.go("/staff/marking/" + assignment)
    pages = [link.get_attribute("href").removeprefix(URL)
             for link in sam.driver.find_elements(By.CSS_SELECTOR, "main tbody a") if "/staff/marking/" in link.get_attribute("href")]
    check(len(pages) == len(documents), f"{len(pages)} of {len(documents)} documents of {assignment} are in the list")
    for page in pages:  # ordered at once; one after another is rendered
        sam.go(page)
    # While the bomb is rendered the server answers.
    check(student.answer("GET", "/")[0] == 200, "the server does not answer")
    for page in pages:
        sam.go(page)
        # A bomb has thirty seconds of a processor's time, which many others may want.
        sam.wait(f"{page} is not rendered", lambda: "The pages are being made" not in sam.text(), 1, longest=1200)
        nothing_ran(sam, page)
        for picture in sam.driver.find_elements(By.CSS_SELECTOR, ".document img"):
            sam.wait(f"{page}: a picture is broken", lambda: picture.get_property("naturalWidth") > 0)
        seen.append(page)
        number = page.rsplit("/", 1)[1].split("?")[0]
        # The file is saved, not shown: the page stays.
        status, headers, data = headers_of(sam, f"/documents/{number}/file")
        check(status == 200 and data, f"{page}: the file is answered with {status}")
        check(headers["content-disposition"].startswith("attachment;") and headers["content-type"] == "application/octet-stream"
              and headers["x-content-type-options"] == "nosniff" and "sandbox" in headers["content-security-policy"],
              f"{page}: the file has the headers {headers}")
        sam.driver.execute_script("location.href = arguments[0]", f"/documents/{number}/file")
        sam.go("/staff/marking/" + assignment)
        nothing_ran(sam, page + ", its file")
        status, headers, data = headers_of(sam, f"/documents/{number}/pages/1")
        check(status == 404 or (headers["content-type"] == "image/png" and data.startswith(b"\x89PNG") and b"script" not in data),
              f"{page}: its first page is answered with {status} and {headers}")
        # Another student reaches neither file nor page.
        own = student.answer("GET", f"/submissions/{number}")[0] == 200
        for path in (f"/documents/{number}/file", f"/documents/{number}/pages/1", page):
            status, _, _ = headers_of(student, path)
            check(status in (403, 404) or (own and path != page), f"another student gets {path}: {status}")
first = seen[0].rsplit("/", 1)[1].split("?")[0]
for path in ("pages/..%2f..%2f..%2fcourse.yaml", "pages/0", "pages/-1", "pages/99999999999999999999", "pages/1/../../../course.yaml",
             "file/../../../course.yaml", "pages/%00"):
    check(headers_of(sam, f"/documents/{first}/{path}")[0] in (400, 404), f"{path} is answered")
for name, browser in (("sam", sam), ("s2", student)):
    for complaint in browser.complaints():
        check(False, f"{name}: {complaint}")
check(not Elsewhere.calls, f"called elsewhere: {Elsewhere.calls}")
print(f"{len(seen)} documents, {len(failures)} failures")
sys.exit(1 if failures or len(seen) != sum(len(documents) for _, documents in ALL) else 0)
