"""What both doors share: transactions, who asks, rendering, forms, errors as answers."""

from starlette.convertors import IntegerConvertor, register_url_convertor


class NumberConvertor(IntegerConvertor):
    """`{paper_id:int}` takes no more digits than Python makes a number of; a longer address leads nowhere."""

    regex = "[0-9]{1,18}"


register_url_convertor("int", NumberConvertor())  # here, so that it comes before every route
