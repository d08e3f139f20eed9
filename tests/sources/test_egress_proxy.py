"""Through the operator's proxy, behind which any host can be played: https is preferred, and nothing leads inwards."""

import shutil

import pytest

from readtrack.egress import Egress, OpenGate
from readtrack.errors import SourceRefused, SourceUnavailable
from tests.outside_proxy import Certificate, ProxyStandIn
from tests.standin import StandIn

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
    given = {"bases": named, "proxy": url or proxy.url, "resolve": resolving(elsewhere=elsewhere), **settings}
    return Egress(agent="test", gate=OpenGate(), intervals={}, connect=2, total=5, **given)


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


def test_the_proxy_is_told_who_we_are_when_it_wants_to_know(plain):
    way_out(plain, url=plain.url.replace("//", "//Ada:p%40ss@")).get(HTTP)
    assert {asked.headers["proxy-authorization"] for asked in plain.requests} == {"Basic QWRhOnBAc3M="}


def test_a_proxy_that_is_not_there_is_told_in_a_sentence():
    with ProxyStandIn() as proxy:
        gone = proxy
    with pytest.raises(SourceUnavailable, match="could not be reached"):
        way_out(gone).get(HTTPS)
