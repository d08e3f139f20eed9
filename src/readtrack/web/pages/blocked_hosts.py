"""Settings page for blocked sites."""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.metadata.blocked_hosts import commands, queries
from readtrack.metadata.blocked_hosts.commands import BlockedHostCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, validate_form
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()


@router.get("/settings/blocked-hosts")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show all blocked hosts and who blocked them."""
    return _render_hosts(request, me, tx)


@router.post("/settings/blocked-hosts")
def create(request: Request, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Block a host; show the form again (422) if it is invalid."""
    form_result = validate_form(BlockedHostCreate, fields.values)
    if form_result.value is None:
        return _render_hosts(request, me, tx, typed=form_result.raw_values, errors=form_result.errors)
    _id, is_new = commands.block_host(tx, me, form_result.value)
    message = _("{host} blocked").format(host=form_result.value.host) if is_new else _("Already blocked")
    return redirect_with_flash(request, "/settings/blocked-hosts", message)


@router.post("/settings/blocked-hosts/{host_id:int}/remove")
def remove(request: Request, host_id: int, me: Me, tx: WriteTx) -> Response:
    """Unblock a host."""
    host = commands.unblock_host(tx, me, host_id)
    return redirect_with_flash(request, "/settings/blocked-hosts", _("{host} unblocked").format(host=host))


def _render_hosts(
    request: Request,
    me: CurrentUser,
    tx: Read,
    *,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Response:
    status = 422 if errors else 200
    hosts = queries.list_blocked_hosts(tx, me)
    return render(request, "blocked_hosts/list.html", status, hosts=hosts, typed=typed or {}, errors=errors or {})
