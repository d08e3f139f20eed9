"""Through the operator's proxy, behind which any host can be played: https is preferred, and nothing leads inwards."""

import shutil

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


def test_an_http_address_is_asked_over_https(secure, certificate):
    answer = trusting(secure, certificate).get(HTTP)
    assert (answer.body, answer.url) == (b"over https", HTTPS)
    assert secure.asked == [HTTPS]


def test_where_https_cannot_be_connected_http_is_asked(plain):
    answer = way_out(plain).get(HTTP)
    assert (answer.body, answer.url) == (b"over http", HTTP)
    assert plain.asked == [CONNECT, HTTP]


def test_what_any_visitor_sends_may_go_over_http(plain):
    assert way_out(plain).get(HTTP, {"Accept": "text/html", "if-none-match": '"1"'}).url == HTTP
    assert plain.requests[-1].headers["if-none-match"] == '"1"'


def test_where_the_certificate_is_bad_http_is_asked(secure):
    assert way_out(secure).get(HTTP).url == HTTP
    assert secure.asked == [CONNECT, HTTP]


def test_a_certificate_of_another_name_is_bad_too(secure, certificate):
    with pytest.raises(SourceUnavailable, match="could not be reached"):
        trusting(secure, certificate).get("https://example.com/")
    assert secure.asked == ["CONNECT example.com:443"]


def test_an_https_address_is_never_asked_over_http(plain):
    with pytest.raises(SourceUnavailable, match=r"papers\.example\.org could not be reached"):
        way_out(plain).get(HTTPS)
    assert plain.asked == [CONNECT]


def test_nothing_of_ours_goes_over_http(plain):
    with pytest.raises(SourceUnavailable):
        way_out(plain).get(HTTP, {"x-api-key": "1"})
    with pytest.raises(SourceUnavailable):
        way_out(plain).post(HTTP, {"a": 1})
    assert plain.asked == [CONNECT, CONNECT]


def test_a_failure_after_connecting_is_no_reason_for_http(secure, certificate):
    secure.pages[HTTPS] = (503, {}, b"")
    with pytest.raises(SourceUnavailable, match="503"):
        trusting(secure, certificate).get(HTTP)
    assert secure.asked == [HTTPS]


def test_a_redirect_down_to_http_is_followed_over_https(secure, certificate):
    secure.pages[HTTPS] = (302, {"location": OTHER_HTTP}, b"")
    assert trusting(secure, certificate).get(HTTPS).url == OTHER_HTTPS
    assert secure.asked == [HTTPS, OTHER_HTTPS]


def test_after_an_answer_over_https_http_is_never_asked(secure, certificate):
    secure.pages[HTTPS] = (302, {"location": "http://example.com/"}, b"")  # of which it has no certificate
    with pytest.raises(SourceUnavailable, match=r"example\.com could not be reached"):
        trusting(secure, certificate).get(HTTP)
    assert secure.asked == [HTTPS, "CONNECT example.com:443"]


def test_a_redirect_on_http_is_tried_over_https_again(plain):
    plain.pages[HTTP] = (302, {"location": "/2"}, b"")
    assert way_out(plain).get(HTTP).url == "http://papers.example.org/2"
    assert plain.asked == [CONNECT, HTTP, CONNECT, "http://papers.example.org/2"]


def test_our_headers_stay_on_the_same_host_from_http_to_https(secure, certificate):
    secure.pages[HTTPS] = (302, {"location": OTHER_HTTPS}, b"")
    assert trusting(secure, certificate).get(HTTP, {"accept": "text/html"}).url == OTHER_HTTPS


def test_a_base_that_the_operator_set_to_http_is_asked_over_http(plain):
    assert way_out(plain, bases=["http://papers.example.org"]).get(HTTP).url == HTTP
    assert plain.asked == [HTTP]


def test_a_base_inside_the_network_is_reached_without_the_proxy(plain):
    with StandIn() as inner:
        assert way_out(plain, bases=[inner.url]).get(inner.url).body == b"here"
    assert plain.asked == []


@pytest.mark.parametrize("address", ["http://127.0.0.1/", "https://[::1]/", "http://wiki.corp/", "http://2130706433/"])
def test_what_is_inside_by_its_name_or_number_does_not_get_to_the_proxy(plain, address):
    with pytest.raises(SourceRefused, match="inside a network"):
        way_out(plain).get(address)
    assert plain.asked == []


def test_what_resolves_inwards_does_not_get_to_the_proxy(plain):
    with pytest.raises(SourceRefused, match="inside a network"):
        way_out(plain, elsewhere="10.0.0.7").get(HTTP)
    assert plain.asked == []


def test_a_redirect_inwards_does_not_get_to_the_proxy(plain):
    plain.pages[HTTP] = (302, {"location": "http://169.254.169.254/latest/meta-data/"}, b"")
    with pytest.raises(SourceRefused, match="inside a network"):
        way_out(plain).get(HTTP)
    assert plain.asked == [CONNECT, HTTP]


def test_a_page_outside_cannot_lead_to_an_address_of_the_operators_own_that_lies_inside(plain):
    with StandIn() as inner:
        plain.pages[HTTP] = (302, {"location": inner.url}, b"")
        with pytest.raises(SourceRefused):
            way_out(plain, bases=[inner.url]).get(HTTP)
        assert inner.requests == []


def test_the_proxy_is_told_who_we_are_when_it_wants_to_know(plain):
    way_out(plain, url=plain.url.replace("//", "//Ada:p%40ss@")).get(HTTP)
    assert {asked.headers["proxy-authorization"] for asked in plain.requests} == {"Basic QWRhOnBAc3M="}


def test_a_proxy_that_is_not_there_is_told_in_a_sentence():
    with ProxyStandIn() as proxy:
        gone = proxy
    with pytest.raises(SourceUnavailable, match="could not be reached"):
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


def test_the_proxy_is_given_the_vetted_address_and_the_site_its_name(secure, certificate):
    answer = vetting(secure, [PUBLIC], certificates=certificate.believed).get(HTTP)
    assert (answer.body, answer.url) == (b"over https", HTTPS)
    assert secure.asked == [f"https://{PUBLIC}/1"]
    assert secure.names == [("papers.example.org", "papers.example.org")]


def test_an_http_address_is_tunnelled_as_well(plain):
    plain.tunnels_http = True
    assert vetting(plain, [PUBLIC]).get(HTTP).body == b"over http"
    assert plain.asked == [f"CONNECT {PUBLIC}:443", f"http://{PUBLIC}/1"]
    assert plain.names == [("papers.example.org", None)]


def test_a_proxy_without_such_tunnels_is_told_in_a_sentence(plain):
    with pytest.raises(SourceUnavailable, match=r"the proxy answered 502.*\.$"):
        vetting(plain, [PUBLIC]).get(HTTP)
    assert plain.asked == [f"CONNECT {PUBLIC}:443", f"CONNECT {PUBLIC}:80"]


@pytest.mark.parametrize("address", [HTTP, HTTPS, "http://wiki.example.com/", "https://printer.example.net/"])
def test_a_name_that_only_the_proxy_resolves_is_not_asked(plain, address):
    with pytest.raises(SourceUnavailable, match="READTRACK_PROXY_RESOLVES"):
        vetting(plain, OSError("unknown")).get(address)
    with pytest.raises(SourceUnavailable, match="READTRACK_PROXY_RESOLVES"):
        vetting(plain, []).get(address)
    assert plain.asked == []


@pytest.mark.parametrize("inner", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "fd00::7", "::ffff:10.0.0.1"])
def test_a_name_that_resolves_inwards_even_once_does_not_get_to_the_proxy(plain, inner):
    for answers in ([[inner]], [[PUBLIC, inner]]):
        with pytest.raises(SourceRefused, match="inside a network"):
            vetting(plain, *answers).get(HTTP)
    assert plain.asked == []
    with pytest.raises(SourceRefused, match="inside a network"):
        vetting(plain, [PUBLIC], [inner]).get(HTTP)
    assert plain.asked == [f"CONNECT {PUBLIC}:443"]


def test_a_redirect_is_vetted_before_it_gets_to_the_proxy(secure, certificate):
    secure.pages[f"https://{PUBLIC}/1"] = (302, {"location": OTHER_HTTPS}, b"")
    with pytest.raises(SourceRefused, match="inside a network"):
        vetting(secure, [PUBLIC], ["10.0.0.7"], certificates=certificate.believed).get(HTTPS)
    assert secure.asked == [f"https://{PUBLIC}/1"]


def test_the_next_address_is_tried_when_the_proxy_cannot_reach_the_first(plain):
    with pytest.raises(SourceUnavailable):
        vetting(plain, ["2606:2800:21f::1", PUBLIC]).get(HTTPS)
    assert plain.asked == ["CONNECT [2606:2800:21f::1]:443", f"CONNECT {PUBLIC}:443"]


def test_a_tunnel_is_asked_for_with_the_password_of_the_proxy_alone(secure, certificate):
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
def test_what_is_below_a_base_may_lie_inside(path):
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
def test_what_is_beside_or_above_a_base_may_not(path):
    with StandIn() as inner:
        assert not reaches(inner, path)


class Leading(StandIn):
    """Leads from its base to that path."""

    there = ""

    def answer(self, to, asked):
        send(to, 200, b"there") if asked.path != BASE else send(to, 302, b"", {"location": self.there})


@pytest.mark.parametrize("there", ["/admin", "../admin", "/api/v1/%2e%2e/admin", "..%2fadmin", "//127.0.0.1/api/v1/x"])
def test_a_base_cannot_lead_out_of_itself(there):
    with Leading() as inner:
        inner.there = there
        with pytest.raises(SourceRefused):
            way_out(inner, url="http://127.0.0.1:9", bases=[inner.url + BASE]).get(inner.url + BASE)
        assert len(inner.requests) == 1


def test_a_base_may_lead_to_what_is_below_it():
    with Leading() as inner:
        inner.there = f"{BASE}/there"
        way = way_out(inner, url="http://127.0.0.1:9", bases=[inner.url + BASE])
        assert way.get(inner.url + BASE).body == b"there"
