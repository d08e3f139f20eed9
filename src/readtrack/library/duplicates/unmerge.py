"""Undoing of a merge by the id of the merged paper."""

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Write
from readtrack.infra.errors import NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Merge, Paper
from readtrack.infra.permissions import CurrentUser
from readtrack.library.duplicates.merge import unmerge


def unmerge_paper(tx: Write, me: CurrentUser, paper_id: int) -> Paper:
    """Undo the merge of a paper and return the restored paper. Raise NotFound if it is not merged."""
    permissions.require(me, "merge")
    query = sa.select(col(Merge.id)).where(col(Merge.from_id) == paper_id, col(Merge.undone_at).is_(None))
    merge_id = tx.scalar(query.order_by(col(Merge.id).desc()).limit(1))
    if merge_id is None:
        message = _("Paper {paper_id} is no part of another. Nothing was changed.").format(paper_id=paper_id)
        raise NotFound(message)
    return unmerge(tx, me, merge_id)
