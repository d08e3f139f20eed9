"""WeChat articles, identified by account, message and index, or by the token of a short URL."""

import re
from collections.abc import Mapping

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Source, WebLink


def recognize(text: str) -> str | None:
    parts = split_url(text)
    if parts is None or parts.host != "mp.weixin.qq.com":
        return None
    token = re.fullmatch(r"/s/([\w-]{16,40})", parts.path, re.ASCII)
    if token:
        return f"s/{token[1]}"
    return _long_form(parts.query) if parts.path in {"/s", "/mp/appmsg/show"} else None


def _long_form(query: Mapping[str, str]) -> str | None:
    account = query.get("__biz", "").rstrip("=")
    message = query.get("mid") or query.get("appmsgid", "")
    index = query.get("idx") or query.get("itemidx", "1")
    if not (re.fullmatch(r"[A-Za-z0-9+_-]+", account) and message.isdecimal() and index.isdecimal()):
        return None
    return f"{account}{'=' * (-len(account) % 4)}/{message}/{index}"


def url(key: str) -> str:
    account, _, rest = key.partition("/")
    message, _, index = rest.partition("/")
    path = f"/{message}" if account == "s" else f"?__biz={account}&mid={message}&idx={index}"
    return f"https://mp.weixin.qq.com/s{path}"


SOURCE = Source(
    name="wechat",
    recognise=recognize,
    url=url,
    order=70,
    hosts=("mp.weixin.qq.com",),
    kind=lambda _key: "article",
    label=lambda key: f"WeChat {key}",
    links=lambda key: (WebLink(url(key), "landing"),),
    examples={
        "https://mp.weixin.qq.com/s/u311S6zXhqmeHXD7xExmig": "s/u311S6zXhqmeHXD7xExmig",
        "https://mp.weixin.qq.com/s/u311S6zXhqmeHXD7xExmig?scene=1#rd": "s/u311S6zXhqmeHXD7xExmig",
        "https://mp.weixin.qq.com/s?__biz=Mzk0ODU3MjcxNA==&mid=2247486852&idx=1&sn=9f9d&chksm=c364&scene=21"
        "#wechat_redirect": "Mzk0ODU3MjcxNA==/2247486852/1",
        "http://mp.weixin.qq.com/s?__biz=Mzk0ODU3MjcxNA%3D%3D&amp;mid=22474&amp;idx=2": "Mzk0ODU3MjcxNA==/22474/2",
        "https://mp.weixin.qq.com/mp/appmsgalbum?__biz=Mzk0ODU3MjcxNA==&action=getalbum": None,
        "https://mp.weixin.qq.com/s": None,
        "https://weixin.qq.com/s/u311S6zXhqmeHXD7xExmig": None,
    },
)

# Most pages have an empty <title>; og:title has it.
SERVICE = page_service(SOURCE, label="WeChat", stage="page", order=70)
