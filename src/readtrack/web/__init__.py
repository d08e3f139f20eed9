"""HTTP interface: JSON API, HTML pages, and what both share."""

from starlette.convertors import IntegerConvertor, register_url_convertor


class NumberConvertor(IntegerConvertor):
    """Path convertor for `{paper_id:int}`.

    The number of digits is limited to those a 64-bit column can hold; a longer number does not match.
    """

    regex = "[0-9]{1,18}"


register_url_convertor("int", NumberConvertor())  # register it here, before any route is defined
