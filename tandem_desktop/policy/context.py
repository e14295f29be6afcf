"""What the settings and the choices of a session come to for one question."""

from tandem_desktop.domain.authorization import AuthContext, SessionPermissions
from tandem_desktop.settings.settings import Settings


def auth_context(settings: Settings, permissions: SessionPermissions, *, shadowed: bool) -> AuthContext:
    return AuthContext(
        yolo_mode=permissions.yolo,
        tool_ignore_list=permissions.tool_ignore,
        plan_mode=permissions.plan_mode,
        shadowed=shadowed,
        guarded_tools=settings.guarded_tools,
        guard_blocks=not settings.guarded_tools_only_logged,
        plan_scope=permissions.plan_scope,
        rules=settings.rules,
        only_look=permissions.only_look,
    )
