"""Through the operator's proxy, behind which any host can be played: https is preferred, and nothing leads inwards."""

import shutil
import ssl

import pytest

from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from tests.outside_proxy import Certificate, ProxyStandIn
from tests.standin import StandIn, send

pytestmark = pytest.mark.slow  # `make check` is to be quick

HTTP, HTTPS, CONNECT = "http://papers.example.org/1", "https://papers.example.org/1", "CONNECT papers.example.org:443"
OTHER_HTTP, OTHER_HTTPS = HTTP.replace("papers", "other"), HTTPS.replace("papers", "other")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if not shutil.which("openssl"):
        pytest.skip("openssl is not there to make a certificate")
    return Certificate.made_in(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def plain():
    """Every host behind it speaks http only."""
    with ProxyStandIn() as proxy:
        yield proxy


@pytest.fixture
def secure(certificate):
    """Every host behind it speaks both."""
    with ProxyStandIn(certificate) as proxy:
        yield proxy


def resolving(*, elsewhere=""):
    """Knows loopback; of other names it says they are `elsewhere`, or leaves them to the proxy."""

    def resolve(host, _port):
        if host != "127.0.0.1" and not elsewhere:
            raise OSError("only the proxy can tell")
        return [host if host == "127.0.0.1" else elsewhere]

    return resolve


def way_out(proxy, *, url="", bases=(), elsewhere="", **settings):
    named = {str(number): base for number, base in enumerate(bases)}
    given = {"bases": named, "proxy": url or proxy.url, "resolve": resolving(elsewhere=elsewhere)}
    given |= {"proxy_resolves": True, **settings}
    return HttpClient(agent="test", gate=UnlimitedRateLimiter(), intervals={}, connect=2, total=5, **given)


def trusting(proxy, certificate, **settings):
    return way_out(proxy, certificates=certificate.believed, **settings)


def test_an_http_url_is_requested_over_https(secure, certificate):
    answer = trusting(secure, certificate).get(HTTP)
    assert (answer.body, answer.url) == (b"over https", HTTPS)
    assert secure.asked == [HTTPS]


def test_http_is_used_where_https_cannot_connect(plain):
    answer = way_out(plain).get(HTTP)
    assert (answer.body, answer.url) == (b"over http", HTTP)
    assert plain.asked == [CONNECT, HTTP]


def test_ordinary_headers_may_be_sent_over_http(plain):
    assert way_out(plain).get(HTTP, {"Accept": "text/html", "if-none-match": '"1"'}).url == HTTP
    assert plain.requests[-1].headers["if-none-match"] == '"1"'


def test_http_is_used_where_the_certificate_is_invalid(secure):
    assert way_out(secure).get(HTTP).url == HTTP
    assert secure.asked == [CONNECT, HTTP]


def test_a_certificate_for_another_name_is_invalid_too(secure, certificate):
    with pytest.raises(SourceUnavailable, match="can't be reached"):
        trusting(secure, certificate).get("https://example.com/")
    assert secure.asked == ["CONNECT example.com:443"]


class OldCertificate(Certificate):
    """Of a server that speaks only an old TLS."""

    def server(self):
        context = super().server()
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        return context


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1:DeprecationWarning")
def test_f17_a_server_with_an_old_tls_is_unavailable(certificate):
    with ProxyStandIn(OldCertificate(certificate.folder)) as proxy, pytest.raises(SourceUnavailable):
        trusting(proxy, certificate).get(HTTPS)
    assert proxy.asked == [CONNECT]


def test_an_https_url_is_never_requested_over_http(plain):
    with pytest.raises(SourceUnavailable, match=r"papers\.example\.org can't be reached"):
        way_out(plain).get(HTTPS)
    assert plain.asked == [CONNECT]


def test_our_headers_and_request_bodies_are_never_sent_over_http(plain):
    with pytest.raises(SourceUnavailable):
        way_out(plain).get(HTTP, {"x-api-key": "1"})
    with pytest.raises(SourceUnavailable):
        way_out(plain).post(HTTP, {"a": 1})
    assert plain.asked == [CONNECT, CONNECT]


def test_a_failure_after_connecting_does_not_fall_back_to_http(secure, certificate):
    secure.pages[HTTPS] = (503, {}, b"")
    with pytest.raises(SourceUnavailable, match="503"):
        trusting(secure, certificate).get(HTTP)
    assert secure.asked == [HTTPS]


def test_a_redirect_to_http_is_followed_over_https(secure, certificate):
    secure.pages[HTTPS] = (302, {"location": OTHER_HTTP}, b"")
    assert trusting(secure, certificate).get(HTTPS).url == OTHER_HTTPS
    assert secure.asked == [HTTPS, OTHER_HTTPS]


def test_after_a_response_over_https_http_is_never_used(secure, certificate):
    secure.pages[HTTPS] = (302, {"location": "http://example.com/"}, b"")  # of which it has no certificate
    with pytest.raises(SourceUnavailable, match=r"example\.com can't be reached"):
        trusting(secure, certificate).get(HTTP)
    assert secure.asked == [HTTPS, "CONNECT example.com:443"]


def test_a_redirect_received_over_http_is_tried_over_https_again(plain):
    plain.pages[HTTP] = (302, {"location": "/2"}, b"")
    assert way_out(plain).get(HTTP).url == "http://papers.example.org/2"
    assert plain.asked == [CONNECT, HTTP, CONNECT, "http://papers.example.org/2"]


def test_our_headers_are_kept_from_http_to_https_on_the_same_host(secure, certificate):
    secure.pages[HTTPS] = (302, {"location": OTHER_HTTPS}, b"")
    assert trusting(secure, certificate).get(HTTP, {"accept": "text/html"}).url == OTHER_HTTPS


def test_a_base_url_configured_with_http_is_requested_over_http(plain):
    assert way_out(plain, bases=["http://papers.example.org"]).get(HTTP).url == HTTP
    assert plain.asked == [HTTP]


def test_a_private_base_url_is_reached_without_the_proxy(plain):
    with StandIn() as inner:
        assert way_out(plain, bases=[inner.url]).get(inner.url).body == b"here"
    assert plain.asked == []


@pytest.mark.parametrize("address", ["http://127.0.0.1/", "https://[::1]/", "http://wiki.corp/", "http://2130706433/"])
def test_an_internal_name_or_address_is_not_sent_to_the_proxy(plain, address):
    with pytest.raises(SourceRefused, match="inside a network"):
        way_out(plain).get(address)
    assert plain.asked == []


def test_a_name_resolving_to_a_private_address_is_not_sent_to_the_proxy(plain):
    with pytest.raises(SourceRefused, match="an internal address"):
        way_out(plain, elsewhere="10.0.0.7").get(HTTP)
    assert plain.asked == []


def test_a_redirect_to_a_private_address_is_not_sent_to_the_proxy(plain):
    plain.pages[HTTP] = (302, {"location": "http://169.254.169.254/latest/meta-data/"}, b"")
    with pytest.raises(SourceRefused, match="inside a network"):
        way_out(plain).get(HTTP)
    assert plain.asked == [CONNECT, HTTP]


def test_a_public_page_cannot_redirect_to_a_private_base_url(plain):
    with StandIn() as inner:
        plain.pages[HTTP] = (302, {"location": inner.url}, b"")
        with pytest.raises(SourceRefused):
            way_out(plain, bases=[inner.url]).get(HTTP)
        assert inner.requests == []


def test_the_proxy_gets_our_user_agent_when_it_asks(plain):
    way_out(plain, url=plain.url.replace("//", "//Ada:p%40ss@")).get(HTTP)
    assert {asked.headers["proxy-authorization"] for asked in plain.requests} == {"Basic QWRhOnBAc3M="}


def test_an_unreachable_proxy_is_reported_with_a_message():
    with ProxyStandIn() as proxy:
        gone = proxy
    with pytest.raises(SourceUnavailable, match="can't be reached"):
        way_out(gone).get(HTTPS)


# Without proxy_resolves: the proxy is given addresses that were vetted, and no names

PUBLIC = "93.184.215.14"


def vetting(proxy, *answers, **settings):
    """A way out of which the resolver gives each answer once, the last one for ever."""
    left = list(answers)

    def resolve(host, _port):
        if host == "127.0.0.1":
            return [host]
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, OSError):
            raise answer
        return answer

    return way_out(proxy, proxy_resolves=False, resolve=resolve, **settings)


def test_the_proxy_gets_the_checked_address_and_the_site_its_name(secure, certificate):
    answer = vetting(secure, [PUBLIC], certificates=certificate.believed).get(HTTP)
    assert (answer.body, answer.url) == (b"over https", HTTPS)
    assert secure.asked == [f"https://{PUBLIC}/1"]
    assert secure.names == [("papers.example.org", "papers.example.org")]


def test_an_http_url_is_tunnelled_too(plain):
    plain.tunnels_http = True
    assert vetting(plain, [PUBLIC]).get(HTTP).body == b"over http"
    assert plain.asked == [f"CONNECT {PUBLIC}:443", f"http://{PUBLIC}/1"]
    assert plain.names == [("papers.example.org", None)]


def test_a_proxy_that_cannot_tunnel_is_reported_with_a_message(plain):
    with pytest.raises(SourceUnavailable, match=r"the proxy responded with 502.*\.$"):
        vetting(plain, [PUBLIC]).get(HTTP)
    assert plain.asked == [f"CONNECT {PUBLIC}:443", f"CONNECT {PUBLIC}:80"]


@pytest.mark.parametrize("address", [HTTP, HTTPS, "http://wiki.example.com/", "https://printer.example.net/"])
def test_a_name_only_the_proxy_can_resolve_is_not_requested(plain, address):
    with pytest.raises(SourceUnavailable, match="READTRACK_PROXY_RESOLVES"):
        vetting(plain, OSError("unknown")).get(address)
    with pytest.raises(SourceUnavailable, match="READTRACK_PROXY_RESOLVES"):
        vetting(plain, []).get(address)
    assert plain.asked == []


@pytest.mark.parametrize("inner", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "fd00::7", "::ffff:10.0.0.1"])
def test_a_name_with_any_private_address_is_not_sent_to_the_proxy(plain, inner):
    for answers in ([[inner]], [[PUBLIC, inner]]):
        with pytest.raises(SourceRefused, match="an internal address"):
            vetting(plain, *answers).get(HTTP)
    assert plain.asked == []
    with pytest.raises(SourceRefused, match="an internal address"):
        vetting(plain, [PUBLIC], [inner]).get(HTTP)
    assert plain.asked == [f"CONNECT {PUBLIC}:443"]


def test_a_redirect_is_checked_before_it_is_sent_to_the_proxy(secure, certificate):
    secure.pages[f"https://{PUBLIC}/1"] = (302, {"location": OTHER_HTTPS}, b"")
    with pytest.raises(SourceRefused, match="an internal address"):
        vetting(secure, [PUBLIC], ["10.0.0.7"], certificates=certificate.believed).get(HTTPS)
    assert secure.asked == [f"https://{PUBLIC}/1"]


def test_the_next_address_is_tried_when_the_proxy_cannot_reach_the_first(plain):
    with pytest.raises(SourceUnavailable):
        vetting(plain, ["2606:2800:21f::1", PUBLIC]).get(HTTPS)
    assert plain.asked == ["CONNECT [2606:2800:21f::1]:443", f"CONNECT {PUBLIC}:443"]


def test_the_tunnel_request_carries_only_the_proxy_password(secure, certificate):
    url = secure.url.replace("//", "//Ada:p%40ss@")
    vetting(secure, [PUBLIC], url=url, certificates=certificate.believed).get(HTTPS, {"x-api-key": "1"})
    asked = secure.requests[-1]
    assert asked.headers["proxy-authorization"] == "Basic QWRhOnBAc3M="
    assert "x-api-key" not in asked.headers


# Below a base of the operator's


BASE = "/api/v1"


def reaches(inner, path):
    """Whether somebody inside is asked."""
    before = len(inner.requests)
    try:
        way_out(inner, url="http://127.0.0.1:9", bases=[inner.url + BASE]).get(inner.url + path)
    except SourceRefused:
        assert len(inner.requests) == before
        return False
    return len(inner.requests) > before


@pytest.mark.parametrize("path", ["", "/", "/papers/1", "?q=../../secret", "/10.1000%2Fa", "/a//b", "/..a", "#/../x"])
def test_urls_below_a_base_url_may_be_private(path):
    with StandIn() as inner:
        assert reaches(inner, BASE + path)


@pytest.mark.parametrize(
    "path",
    ["/", "", "/admin", "/api", "/api/v10", "/api/v1x/a", "/API/v1", "//api/v1", "/api//v1", "/api/v1/../admin",
     "/api/v1/%2e%2e/admin", "/api/v1/.%2E/admin", "/api/v1/%252e%252e/admin", "/api/v1/..%2fadmin",
     "/api/v1/..;/admin", "/api/v1/..;x=1/admin", "/api/v1/%2e%2e%3b/admin", "/api/v1/..%5cadmin",
     "/api/v1/%25252e%25252e/a", "/api/v1%2f..%2f..", "/api/v1/%2525252e%2525252e/a", "/api/v1/./a/%2e",
     "/api/v1/..%20/a", "/api/v1/..%00/a", "/api/v1/%0a../a"],
)  # fmt: skip
def test_urls_outside_a_base_url_may_not_be_private(path):
    with StandIn() as inner:
        assert not reaches(inner, path)


class Leading(StandIn):
    """Leads from its base to that path."""

    there = ""

    def answer(self, to, asked):
        send(to, 200, b"there") if asked.path != BASE else send(to, 302, b"", {"location": self.there})


@pytest.mark.parametrize("there", ["/admin", "../admin", "/api/v1/%2e%2e/admin", "..%2fadmin", "//127.0.0.1/api/v1/x"])
def test_a_base_url_cannot_redirect_outside_itself(there):
    with Leading() as inner:
        inner.there = there
        with pytest.raises(SourceRefused):
            way_out(inner, url="http://127.0.0.1:9", bases=[inner.url + BASE]).get(inner.url + BASE)
        assert len(inner.requests) == 1


def test_a_base_url_may_redirect_below_itself():
    with Leading() as inner:
        inner.there = f"{BASE}/there"
        way = way_out(inner, url="http://127.0.0.1:9", bases=[inner.url + BASE])
        assert way.get(inner.url + BASE).body == b"there"
