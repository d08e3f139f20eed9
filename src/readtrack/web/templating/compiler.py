"""How templates become Python: as Jinja does it, but what is shown is escaped in one step instead of four.

A list shows fifteen hundred values. Of each, `markupsafe.escape` makes a Markup, of which a page needs the text only.
"""

from collections.abc import Callable, MutableMapping
from typing import Any

import markupsafe
from jinja2 import Environment
from jinja2.compiler import CodeGenerator, Frame
from jinja2.nodes import Expr
from jinja2.runtime import Context
from markupsafe import Markup, escape

_escaped: Callable[[str], str] = getattr(markupsafe, "_escape_inner", escape)  # not public, so it may go one day


def shown(value: Any) -> str:  # noqa: ANN401 - whatever a template shows
    """The value as it stands in a page: escaped, unless it is markup."""
    kind = type(value)
    if kind is str:
        return _escaped(value)
    return str(value) if kind is int else escape(value) if kind is not Markup else value


class _FastCodeGenerator(CodeGenerator):
    def _output_child_pre(self, node: Expr, frame: Frame, finalize: Any) -> None:  # noqa: ANN401 - Jinja's own
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.shown(")


class _FastContext(Context):
    def call(
        self,
        called: Callable[..., Any],
        /,
        *given: Any,  # noqa: ANN401 - whatever a template hands on
        _loop_vars: object = None,
        _block_vars: object = None,
        **named: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """As it is. Jinja asks each time whether it wants the context: four times as long, and none of ours does."""
        return called(*given, **named)


class Templates(Environment):
    """The environment of pages."""

    code_generator_class = _FastCodeGenerator
    context_class = _FastContext
    shown = staticmethod(shown)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Those of all templates, as none has its own: Jinja looks them up in a chain for every part of a page."""
        return self.globals if d is None else super().make_globals(d)
