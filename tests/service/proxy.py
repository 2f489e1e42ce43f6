"""An HTTP proxy of one machine for tests: forwards absolute-form requests, and CONNECT as a tunnel. All hosts are this
one. proxy.py PORT_FILE LOG [--user NAME:PASSWORD] [--swallow FILE]: while FILE is there, the answer to a POST is taken
from the server and never given to the client; FILE.swallowed then says so."""
import argparse
import base64
import os
import select
import socket
import threading

options = argparse.ArgumentParser()
options.add_argument("port_file")
options.add_argument("log")
options.add_argument("--user", default="")
options.add_argument("--swallow", default="")
options = options.parse_args()
wanted = "Basic " + base64.b64encode(options.user.encode()).decode()


def log(text):
    with open(options.log, "a", encoding="utf-8") as file:
        file.write(text + "\n")


def read_head(client):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = client.recv(65536)
        if not piece:
            return None
        data += piece
    return data


def pump(client, server, swallow):
    while True:
        for one in select.select([client, server], [], [])[0]:
            data = one.recv(65536)
            if one is server and swallow and os.path.exists(options.swallow):
                open(options.swallow + ".swallowed", "w", encoding="utf-8").close()
                while client.recv(65536):  # until the client is gone
                    pass
                return
            if not data:
                return
            (server if one is client else client).sendall(data)


def serve(client):
    with client:
        head = read_head(client)
        if head is None:
            return
        lines = head.split(b"\r\n\r\n", 1)[0].decode("latin-1").split("\r\n")
        method, target, version = lines[0].split(" ")
        fields = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:]}
        log(lines[0])
        if options.user and fields.get("proxy-authorization") != wanted:
            client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return
        place = target if method == "CONNECT" else target.split("/")[2]
        address = place.split(":")[0]
        server = socket.create_connection((address if address.startswith("127.") else "127.0.0.1",
                                           int(place.split(":")[1])))
        with server:
            if method == "CONNECT":
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = "/" + target.split("/", 3)[3]
                server.sendall(head.replace(f"{method} {target} {version}".encode(),
                                            f"{method} {path} {version}".encode(), 1))
            pump(client, server, method == "POST" and options.swallow)


listener = socket.create_server(("127.0.0.1", 0))
with open(options.port_file + ".partial", "w", encoding="utf-8") as port_file:
    port_file.write(str(listener.getsockname()[1]))
os.rename(options.port_file + ".partial", options.port_file)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
