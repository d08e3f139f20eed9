"""nginx and Caddy with the files of deploy/, in front of a readtrack: what passes, what does not, and who is seen."""

import http.client
import json
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.nowhere import surroundings
from tests.outside_proxy import Certificate
from tests.ports import free_port
from tests.processes import processes, until

pytestmark = pytest.mark.slow
DEPLOY = Path(__file__).parents[2] / "deploy"
SITE = "reading.example.org"
CLIENT = "127.0.0.5"  # unlike the proxy's own address
PASSWORD = "a long walk to the sea"
NGINX = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
    include {folder}/site.conf;
}}
"""
CADDY = """
{{
	admin off
	http_port {http}
	https_port {https}
	storage file_system {folder}
}}
"""


class Readtrack:
    """One that is served for all tests of this file, with the lines of its log."""

    def __init__(self, port, log):
        self.port, self._log = port, log

    def request_with(self, request_id):
        def find():
            lines = [json.loads(line) for line in self._log.read_text().splitlines() if line.startswith("{")]
            return next((line for line in lines if line.get("request_id") == request_id), None)

        return until(find, "the request is in the log")

    def setup_link(self):
        return re.findall(rf"https://{SITE}(/setup/\S+)", self._log.read_text())[0]


@pytest.fixture(scope="module")
def readtrack(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    port = free_port()
    environment = surroundings(
        folder / "data", base_url=f"https://{SITE}", trusted_proxies="127.0.0.1", log_format="json", offline=1
    )
    log = folder / "log"
    server = processes().start("serve", "--port", str(port), "--no-worker", environment=environment, log=log)
    try:
        until(lambda: answers(port), "readtrack answers", seconds=120)
        yield Readtrack(port, log)
    finally:
        processes().stop(server)


def answers(port):
    try:
        return httpx2.get(f"http://127.0.0.1:{port}/healthz", timeout=30)
    except httpx2.TransportError:
        return None


@contextmanager
def started(command, log, port, environment):
    """Runs a proxy that answers at this port, and ends it."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        until(lambda: process.poll() is not None or answers(port), "the proxy answers")
        assert process.poll() is None, log.read_text()
        yield
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return Certificate.made_in(tmp_path_factory.mktemp("certificate"))


def nginx_command(folder, certificate, ports, upstream):
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    replaced = {
        "listen 80;": f"listen 127.0.0.1:{ports['http']};",
        "listen 443 ssl;": f"listen 127.0.0.1:{ports['https']} ssl;",
        "/etc/ssl/certs/reading.example.org.pem": str(certificate.folder / "cert.pem"),
        "/etc/ssl/private/reading.example.org.key": str(certificate.folder / "key.pem"),
        "127.0.0.1:8000": upstream,
    }
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "site.conf").write_text(re.sub(r"listen \[::\].*", "", text), encoding="utf-8")
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder), encoding="utf-8")
    return ["nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"], {}


def caddy_command(folder, certificate, ports, upstream):
    text = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    own = f"tls {certificate.folder / 'cert.pem'} {certificate.folder / 'key.pem'}"
    assert "\trespond /metrics" in text
    text = CADDY.format(folder=folder, **ports) + text.replace("\trespond", f"\t{own}\n\trespond")
    (folder / "Caddyfile").write_text(text, encoding="utf-8")
    environment = {"SITE": SITE, "UPSTREAM": upstream, "HOME": str(folder)}
    return ["caddy", "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile"], environment


PROXIES = {"nginx": nginx_command, "caddy": caddy_command}


@pytest.fixture(scope="module", params=PROXIES)
def ports(request, readtrack, certificate, tmp_path_factory):
    """A proxy in front of the readtrack, by its ports."""
    path = os.pathsep.join([os.environ["PATH"], "/usr/sbin"])
    if not shutil.which(request.param, path=path):
        pytest.skip(f"{request.param} is not installed (Debian: apt-get install {request.param})")
    found = {"http": free_port(), "https": free_port()}
    folder = tmp_path_factory.mktemp(request.param)
    upstream = f"127.0.0.1:{readtrack.port}"
    command, own = PROXIES[request.param](folder, certificate, found, upstream)
    with started(command, folder / "log", found["http"], {**os.environ, "PATH": path, **own}):
        yield found


@pytest.fixture(scope="module")
def browser(ports, certificate):
    """Asks the proxy as if its name were that of the site."""
    transport = httpx2.HTTPTransport(verify=certificate.believed(), local_address=CLIENT)

    def name_site(request):
        request.extensions["sni_hostname"] = SITE

    with httpx2.Client(
        transport=transport,
        base_url=f"https://127.0.0.1:{ports['https']}",
        headers={"Host": SITE, "Origin": f"https://{SITE}"},
        event_hooks={"request": [name_site]},
        timeout=120,
    ) as client:
        yield client


@pytest.fixture(scope="module")
def ada(browser, readtrack):
    """The browser, in which Ada has signed in."""
    link = readtrack.setup_link()
    if browser.get(link).status_code == 200:  # the first proxy
        assert browser.post(link, data={"name": "Ada", "password": PASSWORD}).status_code == 303
        browser.cookies.clear()
    answer = browser.post("/sign-in", data={"name": "Ada", "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "Secure" in answer.headers["set-cookie"]
    return browser


def test_people_sign_in_over_https(ada):
    answer = ada.get("/settings/profile")
    assert (answer.status_code, "Ada" in answer.text) == (200, True)
    assert "max-age" in answer.headers["strict-transport-security"]


def test_http_leads_to_https(ports):
    answer = httpx2.get(f"http://127.0.0.1:{ports['http']}/papers", headers={"Host": SITE})
    assert answer.headers["location"].startswith(f"https://{SITE}")


def test_readtrack_sees_the_client_and_not_what_it_claims_to_be(browser, readtrack):
    answer = browser.get("/sign-in", headers={"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "http"})
    assert readtrack.request_with(answer.headers["x-request-id"])["address"] == CLIENT
    assert "strict-transport-security" in answer.headers


def test_metrics_are_not_for_the_outside(browser, readtrack):
    assert [browser.get(path).status_code for path in ("/metrics", "/%6detrics")] == [404, 404]
    inside = httpx2.get(f"http://localhost:{readtrack.port}/metrics")
    assert (inside.status_code, "readtrack_up 1" in inside.text) == (200, True)


def test_other_host_names_are_refused(browser):
    answer = browser.get("/sign-in", headers={"Host": "evil.example"})
    assert (answer.status_code == 421 or not answer.content) is True


@pytest.mark.parametrize("size", [7_000_000, pytest.param(200_000_000, marks=pytest.mark.deep)])
def test_large_files_reach_readtrack(ada, size):
    answer = ada.post("/imports", files={"file": ("paper.pdf", b"%PDF-1.7\n".ljust(size), "application/pdf")})
    assert (answer.status_code, "PDF" in answer.text) == (415, True)


def test_bodies_above_the_limit_are_refused_with_a_sentence(ada):
    answer = ada.post("/papers", content=b"x" * 6_100_000, headers={"Content-Type": "text/plain"})
    assert (answer.status_code, "Larger than 6 MB" in answer.text) == (413, True)


def test_a_client_that_sends_all_before_it_reads_gets_the_refusal(readtrack):
    asking = http.client.HTTPConnection("localhost", readtrack.port, timeout=60)
    asking.request("POST", "/papers", b"x" * 6_100_000, {"Host": SITE, "Connection": "close"})
    answer = asking.getresponse()
    assert (answer.status, b"Larger than 6 MB" in answer.read()) == (413, True)
    asking.close()


def test_no_connection_becomes_a_websocket(ada):
    wish = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "x" * 22 + "==",
        "Sec-WebSocket-Version": "13",
    }
    assert ada.get("/papers", headers=wish).status_code != 101
