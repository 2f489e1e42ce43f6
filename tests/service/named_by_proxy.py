"""Requests of named_by_proxy.sh, byte by byte: named_by_proxy.py off|direct|example|names PORT. A session's cookie tells
that the service took the header."""
import base64
import socket
import ssl
import sys

KIND, PORT = sys.argv[1], int(sys.argv[2])
HOST = "127.0.0.1" if KIND in ("example", "names") else "127.0.0.2"
failures = []


def ask(*headers, source="127.0.0.1", path="/login", body=""):
    with socket.create_connection((HOST, PORT), 60, (source, 0)) as connection:
        if HOST == "127.0.0.1":
            context = ssl.create_default_context(cafile="ca.pem")
            connection = context.wrap_socket(connection, server_hostname="localhost")
        lines = [f"{'POST' if body else 'GET'} {path} HTTP/1.1", "Host: localhost", *headers, "Connection: close"]
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer.decode(errors="replace")


def check(right, what, answer):
    if not right:
        failures.append(what)
        print(f"FAILED: {KIND}: {what}: {answer[:600]}")


def named(answer):
    return "opgrade_session=" in answer


def no_session(what, *headers, **options):
    answer = ask(*headers, **options)
    check(answer.startswith("HTTP/1.1 ") and not named(answer), what + " began a session", answer)


def who(answer):
    """The person whose pages the session shows."""
    cookie = answer.split("opgrade_session=", 1)[1].split(";", 1)[0]
    name = "__Host-opgrade_session=" if "__Host-opgrade_session=" in answer else "opgrade_session="
    page = ask(f"Cookie: {name}{cookie}", *MINE, path="/")
    if "HTTP/1.1 303" in page and "/staff" in page:
        page = ask(f"Cookie: {name}{cookie}", *MINE, path="/staff")
    return [one for one in ("s1", "s2", "sam") if f">{one}</span>" in page]


MINE = []
if KIND == "off":
    no_session("a header that is not configured", "X-Remote-User: s1")
elif KIND == "direct":
    first = ask("X-Remote-User: s1")
    check(named(first) and who(first) == ["s1"], "the configured address names nobody", first)
    staff = ask("x-remote-USER: sam")
    check(named(staff) and who(staff) == ["sam"], "it does not name staff", staff)
    no_session("another address", "X-Remote-User: s1", source="127.0.0.3")
    no_session("another address that claims to be the proxy", "X-Remote-User: s1", "X-Forwarded-For: 127.0.0.1",
               source="127.0.0.3")
    no_session("a name that is nobody's", "X-Remote-User: nobody")
    no_session("two names, of which a client may have sent the first", "X-Remote-User: sam", "X-Remote-User: s1")
    no_session("a number of the roster", "X-Remote-User: 1")
elif KIND == "example":
    no_session("the header through nginx", "X-Remote-User: s1")
    no_session("the header in small letters", "x-remote-user: sam")
    no_session("the header twice", "X-Remote-User: x", "X-Remote-User: sam")
    no_session("the header with underscores", "X_Remote_User: sam")
    no_session("a space before the colon", "X-Remote-User : sam")
    no_session("a folded line", "X-Other: x", " X-Remote-User: sam")
    no_session("a bare line feed", "X-Other: x\nX-Remote-User: sam")
    no_session("a bare carriage return", "X-Other: x\rX-Remote-User: sam")
    no_session("a header that names it as a hop's own", "X-Remote-User: sam", "Connection: X-Remote-User")
    no_session("a line break in the path", path="/login%0d%0aX-Remote-User:%20sam")
    no_session("a trailer", "Transfer-Encoding: chunked", "Trailer: X-Remote-User",
               body="0\r\nX-Remote-User: sam\r\n\r\n")
    no_session("a second request in a body of unclear length", "Content-Length: 6", "Transfer-Encoding: chunked",
               body="0\r\n\r\nGET /login HTTP/1.1\r\nHost: localhost\r\nX-Remote-User: sam\r\n\r\n")
else:
    MINE = ["Authorization: Basic " + base64.b64encode(b"s1:secret").decode()]
    no_session("no password")
    no_session("no password, with the header", "X-Remote-User: sam")
    plain = ask(*MINE)
    check(named(plain) and who(plain) == ["s1"], "nginx does not name its user", plain)
    both = ask(*MINE, "X-Remote-User: sam")
    check(named(both) and who(both) == ["s1"], "a client names another than nginx does", both)
print(f"{KIND}: {len(failures)} failures")
sys.exit(1 if failures else 0)
