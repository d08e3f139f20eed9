"""Detection of pages served instead of the requested one.

These are bot challenges, sign-in pages, captchas, cookie banners and error pages.
"""

import re
from collections.abc import Iterator
from unicodedata import normalize

from readtrack.metadata.parsing.html_head import BY_HAND, PageHead
from readtrack.metadata.parsing.page_titles import is_empty_title

CHECK_ADDRESS = "Check the address."
_ASKS = f"The site requires a captcha for this page. {BY_HAND}"
SIGN_IN = f"The site requires signing in to see this page. {BY_HAND}"
_COOKIES = f"The site shows a cookie notice instead of this page. {BY_HAND}"
_GONE = f"The site says this page doesn't exist. {CHECK_ADDRESS}"
_ERROR = f"The site shows an error instead of this page. {BY_HAND}"
_NO = "The site refused access (status {}). {}"
# Titles of such pages, complete or up to the site name. Prefixes are not matched: papers are called "Human-level
# control …" and "Access denied: …".
_CALLED = {
    _ASKS: """
        just a moment|attention required|checking your browser|ddos-guard|ddos protection by cloudflare
        access denied|access to this page has been denied|are you a robot|are you human|robot check
        human verification|captcha|bot verification|recaptcha|captcha challenge|radware bot manager captcha
        security check|security checkpoint|vercel security checkpoint|security verification|security challenge
        pardon our interruption|request rejected|verify you are human|verifying you are human
        verify that you are human|let's confirm you are human|validate user|one more step|one moment, please
        client challenge|making sure you're not a bot|blocked|you have been blocked|sorry, you have been blocked
        enable javascript and cookies to continue|weixin official accounts platform|安全验证|百度安全验证
        环境异常|人机验证|访问验证|验证码|滑动验证页面|安全检查|身份验证|请求异常|请求存在异常
        私はロボットではありません|アクセスが拒否されました""",
    SIGN_IN: """
        log in|login|log on|sign in|signin|sign on|sign-in|sign in required|login required
        authentication required|sign in to continue|log in to continue|sign in to your account
        log in to your account|log in or sign up|google docs: sign-in|google drive: sign-in
        google sites: sign-in|log into facebook|members only|401 unauthorized|unauthorized|subscribe to read
        sign in to github|sign in to gitlab|single sign-on|shibboleth authentication request|登录|登陆|请登录
        用户登录|登录/注册|有问题,就会有答案|ログイン|ログインしてください|로그인""",
    _COOKIES: """
        cookie absent|cookies required|cookies disabled|cookie consent|cookie notice|cookies are required
        cookie error|before you continue|before you continue to google|before you continue to youtube
        cookies must be enabled""",
    _GONE: """
        404|404 not found|404 - not found|404 error|error 404|404 page not found|404: page not found|http 404
        page not found|not found|file not found|document not found|article not found|content not found
        paper not found|doi not found|error: doi not found|error: not a doi|410 gone|gone|page does not exist
        page unavailable|video unavailable|this page isn't available|this page is not available
        this page does not exist|this page could not be found|404: this page could not be found|object not found
        resource not found|oops! page not found|该内容已被发布者删除|页面不存在|页面未找到|页面没有找到
        内容不存在|此内容因违规无法查看|ページが見つかりません|ページが見つかりませんでした
        お探しのページは見つかりませんでした""",
    _ERROR: """
        400 bad request|bad request|403 forbidden|403|forbidden|error|an error occurred|an error has occurred
        something went wrong|oops|runtime error|application error|301 moved permanently|302 found|参数错误
        出错了|エラー""",
}
_PASSING = """
    500 internal server error|internal server error|500|502 bad gateway|502|bad gateway
    503 service unavailable|503|503 service temporarily unavailable|service unavailable
    service temporarily unavailable|504 gateway time-out|504 gateway timeout|gateway timeout
    gateway time-out|error: the request could not be satisfied|too many requests
    the request could not be satisfied|429 too many requests|rate exceeded|rate limit exceeded|maintenance
    under maintenance|site maintenance|down for maintenance|scheduled maintenance|site under maintenance
    we will be back|we will be back soon|we'll be back|we'll be back soon|we'll be right back|be right back
    temporarily unavailable|website is temporarily unavailable|web server is down|connection timed out
    系统维护|系统繁忙|メンテナンス中|ただいまメンテナンス中です"""
_BAR = re.compile(r"(?<!\s)(?:\s+[|｜\-‐–—·•:]\s+|\s*[|｜]\s*)")
_MAX_TITLE_CHARS = 200  # Maximum characters of a title that are checked.


def _phrases(lines: str) -> frozenset[str]:
    return frozenset(phrase.strip() for line in lines.split("\n") for phrase in line.split("|") if phrase.strip())


_WALLS = {phrase: why for why, lines in _CALLED.items() for phrase in _phrases(lines)}
_UNWELL = _phrases(_PASSING)


def wall_reason(status: int, head: PageHead) -> str:
    """Return the reason why this is not the requested page, as a sentence; "" if it may be."""
    reasons = (_WALLS.get(part) for part in _title_phrases(head))
    reason = next((reason for reason in reasons if reason), "")
    return reason or ("" if status < 300 else _NO.format(status, BY_HAND))


def is_barred(head: PageHead) -> bool:
    """Return True if the page denies access to readtrack or to anyone not signed in."""
    return wall_reason(200, head) in {_ASKS, SIGN_IN, _COOKIES}


def is_failing(head: PageHead) -> bool:
    """Return True if the page reports a temporary error such as "502 Bad Gateway", whatever its status."""
    return any(part in _UNWELL or part.endswith(" temporarily unavailable") for part in _title_phrases(head))


def _title_phrases(head: PageHead) -> Iterator[str]:
    """Yield the title, its beginning and its end; nothing if the page clearly describes a work."""
    if head.ld or head.first("citation_title", "article:published_time"):
        return
    title = head.title or head.first("og:title")
    for text in (title, head.opening) if is_empty_title(title) else (title,):
        lowered = normalize("NFKC", text[:_MAX_TITLE_CHARS]).replace("’", "'").lower()
        parts = _BAR.split(lowered)
        yield from (part.strip(" .…!?。~") for part in (lowered, parts[0], parts[-1]))
        yield from re.split(r"[\s,，。.]", lowered)[:2] if text is head.opening else ()
