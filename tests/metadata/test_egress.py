"""The way out: where it does not go, what it cuts off, how it keeps pace. Only loopback is spoken to."""

import gzip
import re
import socket
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from readtrack.infra.errors import SourceRateLimited, SourceRefused, SourceUnavailable
from readtrack.infra.http.client import (
    DAY_SECONDS,
    DEFAULT_INTERVAL_SECONDS,
    HttpClient,
    UnlimitedRateLimiter,
    never_exempt,
    retry_after,
)
from readtrack.infra.http.redirects import HttpRequest, build_hop
from readtrack.infra.http.ssrf_guard import BaseUrl
from tests.standin import ArxivStandIn, StandIn, send

pytestmark = pytest.mark.slow  # `make check` is to be quick


class Page(StandIn):
    """Answers every request with one status, body and headers."""

    def __init__(self, status=200, body=b"here", headers=None):
        super().__init__()
        self.status, self.body, self.headers = status, body, headers or {}

    def answer(self, to, asked):
        send(to, self.status, self.body, self.headers)


class Diary:
    """A gate that lets everybody through and remembers."""

    def __init__(self):
        self.turns, self.waits, self.rests, self.failures, self.inside = [], [], [], [], 0

    @contextmanager
    def acquire(self, host, interval):
        self.turns.append((host, interval))
        self.inside += 1
        try:
            yield self
        finally:
            self.inside -= 1

    def wait(self, seconds):
        self.waits.append(seconds)

    def pause(self, seconds, reason):
        self.rests.append((seconds, reason))

    def failed(self, problem):
        self.failures.append(problem)


def way_out(*operators_own, gate=None, intervals=None, **settings):
    bases = {str(number): address for number, address in enumerate(operators_own)}
    times = {"connect": 2, "total": 10, "max_bytes": 1_000_000, **settings}
    return HttpClient(
        agent="readtrack/test", gate=gate or UnlimitedRateLimiter(), intervals=intervals or {}, bases=bases, **times
    )


def resolving(*answers):
    """A resolver that gives each answer once, the last one for ever, and counts."""
    asked = []

    def resolve(host, port):
        asked.append((host, port))
        return answers[min(len(asked), len(answers)) - 1]

    return resolve, asked


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "0x7f.1", "2130706433", "017700000001", "0", "0.0.0.0", "10.0.0.1", "172.16.0.1",
        "192.168.0.1", "169.254.169.254", "100.64.0.1", "192.0.0.8", "224.0.0.1", "255.255.255.255", "localhost",
        "localhost.", "[::]", "[::1]", "[::ffff:127.0.0.1]", "[::7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]",
        "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fec0::1]", "[fe80::1]", "[fc00::1]", "[ff02::1]",
    ],
)  # fmt: skip
def test_a_private_address_is_refused_before_any_connection(host):
    with pytest.raises(SourceRefused, match="inside a network"):
        way_out().get(f"http://{host}/")


@pytest.mark.parametrize("inner", ["169.254.169.254", "127.0.0.1", "::1", "fd00::7"])
def test_a_public_name_resolving_to_a_private_address_is_refused(inner):
    resolve, _ = resolving([inner])
    with pytest.raises(SourceRefused, match="an internal address"):
        way_out(resolve=resolve).get("http://metadata.example.org/")


def test_one_private_address_among_public_ones_is_refused():
    resolve, _ = resolving(["1.1.1.1", "::1"])
    with pytest.raises(SourceRefused, match="an internal address"):
        way_out(resolve=resolve).get("http://mixed.example.org/")


def test_the_checked_address_is_connected_to_without_resolving_again():
    resolve, asked = resolving(["1.1.1.1"], ["127.0.0.1"])
    with pytest.raises(UserWarning, match=r'connect.*"1\.1\.1\.1"'):  # the tests' own wall stops it there
        way_out(resolve=resolve).get("http://rebinding.example.org/")
    assert asked == [("rebinding.example.org", 443)]


@pytest.mark.parametrize("own", [[], ["http://127.0.0.1:1"]])
def test_ports_other_than_those_of_the_web_are_refused(own):
    with Page() as trap, pytest.raises(SourceRefused, match="port"):
        way_out(*own).get(trap.url)
    assert trap.requests == []


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "gopher://example.org/", "ftp://example.org/", "//example.org", "/a", "", "http://",
     "http://user:pw@example.org/", "http://①②⑦.⓪.⓪.①/", "http://exa mple.org/", "http://example.org\\@127.0.0.1/"],
)  # fmt: skip
def test_a_non_web_url_is_refused(address):
    with pytest.raises(SourceRefused, match="not an allowed web address"):
        way_out().get(address)


def test_a_base_url_configured_by_the_operator_may_be_private():
    with Page(body=b"inner") as page:
        answer = way_out(page.url).get(page.url + "/a?b=1")
    assert (answer.status, answer.body, answer.url) == (200, b"inner", page.url + "/a?b=1")


@pytest.mark.parametrize("path", ["/apis", "/api/..;a/x", "/api/%2e%2e/x", "/api/%252e%252e/x", "/api/..%5cx"])
def test_an_address_that_a_server_may_read_as_outside_of_a_base_url_is_not_below_it(path):
    base = BaseUrl.from_url(httpx2.URL("https://inner.example/api/"))
    assert base.covers(httpx2.URL("https://inner.example/api/v1;a/x"))
    assert not base.covers(httpx2.URL(f"https://inner.example{path}"))


@pytest.mark.parametrize("where", ["http://127.0.0.1:{port}/", "http://127.0.0.1/", "http://[::1]/", "//localhost/"])
def test_a_redirect_to_a_private_address_is_not_followed(where):
    with Page() as trap, Page(302, headers={"location": where.format(port=trap.port)}) as page:  # noqa: SIM117
        with pytest.raises(SourceRefused):
            way_out(page.url).get(page.url)
    assert trap.requests == []


@pytest.mark.parametrize(
    "where", ["file:///etc/passwd", "gopher://example.org/", "javascript:alert(1)", "http://u:p@x.org/"]
)
def test_a_redirect_to_another_scheme_is_not_followed(where):
    with (
        Page(302, headers={"location": where}) as page,
        pytest.raises(SourceRefused, match="not an allowed web address"),
    ):
        way_out(page.url).get(page.url)


def test_after_an_answer_over_https_no_redirect_leads_back_to_http():
    start = build_hop(HttpRequest("GET", httpx2.URL("https://one.example/")), never_exempt)
    for host in ("one", "other"):
        target, answered_at = httpx2.URL(f"http://{host}.example/"), start.question.url
        hop = start.follow_redirect(target, response_url=answered_at, is_exempt=never_exempt)
        assert (str(hop.question.url), hop.plain) == (f"https://{host}.example/", None)


def test_at_most_five_redirects_are_followed():
    with Page(302, headers={"location": "/again"}) as page, pytest.raises(SourceRefused, match="more than 5 redirects"):
        way_out(page.url, total=5).get(page.url)
    assert len(page.requests) == 6


def test_our_headers_do_not_follow_a_redirect_to_another_origin():
    with Page() as end, Page(302, headers={"location": end.url}) as start:
        way_out(start.url, end.url).get(start.url, {"authorization": "secret"})
    assert start.requests[0].headers["authorization"] == "secret"
    assert "authorization" not in end.requests[0].headers


def test_requests_have_our_user_agent_and_no_cookies():
    with Page(headers={"set-cookie": "a=1"}) as page:
        out = way_out(page.url)
        out.get(page.url)
        answer = out.get(page.url)
    assert page.requests[1].headers["user-agent"] == "readtrack/test"
    assert "cookie" not in page.requests[1].headers
    assert answer.headers["set-cookie"] == "a=1"


def test_environment_proxies_are_not_used(monkeypatch):
    with Page() as proxy, Page() as page:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        way_out(page.url).get(page.url)
    assert (len(proxy.requests), len(page.requests)) == (0, 1)


@pytest.mark.parametrize("status", [200, 204, 400, 401, 403, 404, 410])
def test_a_status_the_source_can_interpret_is_returned(status):
    with Page(status, b"") as page:
        assert way_out(page.url).get(page.url).status == status


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_retryable_error_is_unavailable(status):
    with Page(status) as page, pytest.raises(SourceUnavailable, match=str(status)) as failure:
        way_out(page.url).get(page.url)
    assert failure.value.retry_after is None


def test_a_retry_after_is_passed_to_the_rate_limiter_and_the_caller():
    diary = Diary()
    with Page(429, headers={"retry-after": "7"}) as page, pytest.raises(SourceUnavailable) as failure:
        way_out(page.url, gate=diary, intervals={"127.0.0.1": 3.0}).get(page.url)
    assert failure.value.retry_after == 7
    assert diary.waits == [7]


def test_each_request_to_a_rate_limited_host_takes_its_own_slot():
    diary = Diary()
    with Page() as end, Page(302, headers={"location": end.url}) as start:
        way_out(start.url, end.url, gate=diary, intervals={"127.0.0.1": 3.0}).get(start.url)
    assert diary.turns == [("127.0.0.1", 3.0)] * 2
    assert diary.inside == 0


def test_an_unlisted_host_is_rate_limited_too():
    diary = Diary()
    with Page() as page:
        way_out(page.url, gate=diary, intervals={"export.arxiv.org": 3.0}).get(page.url)
    assert diary.turns == [("127.0.0.1", DEFAULT_INTERVAL_SECONDS)]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7), (" 0 ", 0), ("-5", 0), ("99999999999", DAY_SECONDS), ("9" * 400, None), ("soon", None), ("", None),
        ("--5", None), ("1.5", None), ("Mon, 01 Jan 2024 00:00:00 GMT", 0),
        ("Fri, 01 Jan 2100 00:00:00 GMT", DAY_SECONDS),
    ],
)  # fmt: skip
def test_retry_after_is_parsed_defensively(header, seconds):
    assert retry_after(header) == seconds


def test_retry_after_may_be_a_date():
    told = retry_after(format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True))
    assert told is not None
    assert 80 < told <= 90


@pytest.mark.parametrize("fault", ["huge", "endless", "gzip bomb"])
def test_an_oversized_response_is_cut_off(fault):
    started = time.monotonic()
    with ArxivStandIn(fault=fault) as server, pytest.raises(SourceRefused, match="more than 1 MB"):
        way_out(server.url, total=10).get(server.url)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_the_complete_response_must_arrive_in_time(fault):
    with ArxivStandIn(fault=fault) as server:
        started = time.monotonic()
        with pytest.raises(SourceUnavailable, match="in time"):
            way_out(server.url, total=0.3).get(server.url)
        assert 0.2 < time.monotonic() - started < 10


def test_the_timeout_covers_all_redirects():
    class Slow(Page):
        def answer(self, to, asked):
            self.stopping.wait(0.15)
            super().answer(to, asked)

    with Slow(302, headers={"location": "/again"}) as page, pytest.raises(SourceUnavailable, match="in time"):
        way_out(page.url, total=0.4).get(page.url)


class Raw(StandIn):
    """Writes bytes as they are."""

    def __init__(self, *chunks):
        super().__init__()
        self.chunks = chunks

    def answer(self, to, asked):
        for chunk in self.chunks:
            to.wfile.write(chunk)


@pytest.mark.parametrize(
    "chunks",
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n", b"cut off"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"zz\r\n"),
        (b"HTTP/1.1 200 OK\r\n", *(b"x-%d: %s\r\n" % (n, b"y" * 1000) for n in range(500))),
        (b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnope",),
        (b"SSH-2.0-OpenSSH\r\n",),
        (b"",),
    ],
)
def test_a_broken_response_is_unavailable_and_does_not_crash(chunks):
    with Raw(*chunks) as server, pytest.raises(SourceUnavailable):
        way_out(server.url).get(server.url)


def test_a_dropped_connection_is_unavailable():
    with ArxivStandIn(fault="reset") as server, pytest.raises(SourceUnavailable):
        way_out(server.url).get(server.url)


def test_a_refused_connection_is_unavailable():
    with Page() as page:
        gone = page.url
    with pytest.raises(SourceUnavailable, match="can't be reached"):
        way_out(gone).get(gone)


def test_a_server_without_tls_is_unavailable():
    with Page() as page:
        secure = page.url.replace("http:", "https:")
        with pytest.raises(SourceUnavailable, match="can't be reached"):
            way_out(secure).get(secure)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_failures_are_reported_to_the_rate_limiter(status):
    diary = Diary()
    with Page(status) as page, pytest.raises(SourceUnavailable):
        way_out(page.url, gate=diary).get(page.url)
    with pytest.raises(SourceUnavailable):
        way_out(page.url, gate=diary).get(page.url)
    assert diary.failures[0] == f"127.0.0.1 is temporarily unavailable (status {status})."
    assert diary.failures[1].startswith("127.0.0.1 can't be reached")


@pytest.mark.parametrize("status", [200, 304, 403, 404])
def test_a_response_is_not_a_failure(status):
    diary = Diary()
    with Page(status, b"") as page:
        way_out(page.url, gate=diary).get(page.url)
    assert diary.failures == []


USED_UP = {"x-ratelimit-limit": "60", "x-ratelimit-remaining": "0"}


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize(
    ("said", "least", "most"),
    [
        ({"x-ratelimit-reset": "{in_1800}"}, 1790, 1800), ({"x-ratelimit-reset": "90"}, 90, 90),
        ({"retry-after": "70", "x-ratelimit-reset": "9"}, 70, 70), ({}, 60, 60),
        ({"x-ratelimit-reset": "soon"}, 60, 60),
        ({"x-ratelimit-reset": "99999999999"}, DAY_SECONDS, DAY_SECONDS), ({"x-ratelimit-reset": "1000000001"}, 0, 0),
    ],
)  # fmt: skip
def test_a_host_whose_rate_limit_is_exhausted_is_paused_without_a_failure(status, said, least, most):
    diary, in_1800 = Diary(), int(time.time()) + 1800
    headers = USED_UP | {name: value.format(in_1800=in_1800) for name, value in said.items()}
    with Page(status, headers=headers) as page, pytest.raises(SourceRateLimited) as rests:
        way_out(page.url, gate=diary).get(page.url)
    ((seconds, reason),) = diary.rests
    assert least <= seconds <= most
    assert (diary.failures, diary.waits, rests.value.retry_after) == ([], [], seconds)
    assert reason == "The rate limit of 127.0.0.1 is reached."
    assert re.search(r"Retrying after \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$", rests.value.message)


def test_the_last_response_before_a_pause_is_returned():
    diary = Diary()
    with Page(headers=USED_UP | {"x-ratelimit-reset": "90"}) as page:
        assert way_out(page.url, gate=diary).get(page.url).body == b"here"
    assert [seconds for seconds, _ in diary.rests] == [90]


@pytest.mark.parametrize("headers", [{}, {"x-ratelimit-remaining": "5"}, {"x-ratelimit-remaining": ""}])
def test_a_403_with_remaining_quota_pauses_nothing(headers):
    diary = Diary()
    with Page(403, headers=headers) as page:
        assert way_out(page.url, gate=diary).get(page.url).status == 403
    assert diary.rests == []


def test_an_unresolvable_name_is_unavailable():
    def resolve(host, port):
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(SourceUnavailable, match=r"reached .*\(its address was not found\)\."):
        way_out(resolve=resolve).get("http://nowhere.example.org/")


def test_a_hanging_resolver_is_abandoned():
    answers, left = threading.Event(), []

    def resolve(host, port):
        left.append(answers.wait(30))
        return []

    with pytest.raises(SourceUnavailable, match="in time"):
        way_out(resolve=resolve, connect=0.2).get("http://slow.example.org/")
    assert left == []  # it still waits
    answers.set()


def test_a_compressed_response_is_decompressed():
    with Page(body=gzip.compress(b"text" * 1000), headers={"content-encoding": "gzip"}) as page:
        assert way_out(page.url).get(page.url).body == b"text" * 1000


def test_offline_mode_makes_no_requests():
    with Page() as page, pytest.raises(SourceRefused, match="READTRACK_OFFLINE=1"):
        way_out(page.url, offline=True).get(page.url)
    assert page.requests == []


def test_a_request_body_is_posted_as_json():
    with Page(body=b"[]") as page:
        answer = way_out(page.url).post(page.url + "/batch", {"ids": ["ARXIV:1", "山田"]}, {"x-key": "1"})
    (asked,) = page.requests
    assert (asked.method, asked.path, asked.body.decode()) == ("POST", "/batch", '{"ids": ["ARXIV:1", "山田"]}')
    assert (asked.headers["content-type"], asked.headers["x-key"]) == ("application/json", "1")
    assert (answer.status, answer.body) == (200, b"[]")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_post_request_is_not_redirected(status):
    with Page() as end, Page(status, headers={"location": end.url}) as start:
        with pytest.raises(SourceRefused, match="answered with a redirect"):
            way_out(start.url, end.url).post(start.url, {})
        assert end.requests == []


@pytest.mark.parametrize("fault", ["huge", "gzip bomb", "hang"])
def test_the_response_to_a_post_has_the_same_limits(fault):
    with ArxivStandIn(fault=fault) as server, pytest.raises((SourceRefused, SourceUnavailable)):
        way_out(server.url, total=1).post(server.url, {})


def test_a_304_response_has_no_body():
    with Page(304, b"", {"etag": '"1"', "content-length": "9000000"}) as page:
        answer = way_out(page.url).get(page.url, {"if-none-match": '"1"'})
    assert page.requests[0].headers["if-none-match"] == '"1"'
    assert (answer.status, answer.headers["etag"], answer.body) == (304, '"1"', b"")


@pytest.mark.parametrize("packing", ["br", "zstd", "deflate", "gzip, gzip", "GZIP, br", "nonsense"])
def test_an_unrequested_content_encoding_is_refused(packing):
    packed = Page(body=b"\x0b\x02\x80hello\x03", headers={"content-encoding": packing})
    with packed as page, pytest.raises(SourceRefused, match="unsupported encoding"):
        way_out(page.url).get(page.url)
    assert page.requests[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("cut", [1, 9, 20, -1])
def test_a_truncated_compressed_response_is_unavailable(cut):
    packed = gzip.compress(bytes(range(256)) * 10)[:cut]
    page = Page(body=packed, headers={"content-encoding": "gzip"})
    with page, pytest.raises(SourceUnavailable, match="closed the connection"):
        way_out(page.url).get(page.url)


def test_an_empty_response_may_declare_compression():
    with Page(body=b"", headers={"content-encoding": "gzip"}) as page:
        assert way_out(page.url).get(page.url).body == b""


@pytest.mark.parametrize("size", [999_999, 1_000_000, 1_000_001])
def test_the_size_limit_is_exact_with_and_without_compression(size):
    for body, headers in [(bytes(size), {}), (gzip.compress(bytes(size)), {"content-encoding": "gzip"})]:
        with Page(body=body, headers=headers) as page:
            if size > 1_000_000:
                with pytest.raises(SourceRefused, match="more than 1 MB"):
                    way_out(page.url).get(page.url)
            else:
                assert way_out(page.url).get(page.url).body == bytes(size)


@pytest.mark.parametrize(
    "host",
    ["metadata.google.internal", "printer.local", "wiki.corp", "nas.lan", "router.home.arpa", "intranet", "a.b.test"],
)
def test_a_host_with_an_internal_name_is_refused_before_it_is_resolved(host):
    resolve, asked = resolving(["1.1.1.1"])
    with pytest.raises(SourceRefused, match="inside a network"):
        way_out(resolve=resolve).get(f"https://{host}/")
    assert asked == []


def test_a_blocked_host_is_not_requested_even_as_a_base_url():
    closed = {"127.0.0.1", "papers.example.org"}.__contains__
    with Page() as page:
        for address in (page.url, "https://papers.example.org/1"):
            with pytest.raises(SourceRefused, match="is a blocked site"):
                way_out(page.url, closed=closed).get(address)
    assert page.requests == []


def test_a_redirect_to_a_blocked_host_is_not_followed():
    with Page() as end, Page(302, headers={"location": end.url.replace("127.0.0.1", "localhost")}) as start:
        way = way_out(start.url, end.url, end.url.replace("127.0.0.1", "localhost"), closed={"localhost"}.__contains__)
        with pytest.raises(SourceRefused, match="is a blocked site"):
            way.get(start.url)
    assert end.requests == []


def test_an_unset_base_url_is_reported_with_a_message():
    with pytest.raises(SourceRefused, match="No address is configured for dblp"):
        way_out().base("dblp")
    assert HttpClient(agent="", gate=UnlimitedRateLimiter(), intervals={}, bases={"oembed": ""}).base("oembed") == ""
