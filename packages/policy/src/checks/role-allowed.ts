import { listed } from '@mandate/schemas/core';
import { blocked, passed, type StaticCheck } from './check.ts';

const CHECK = 'role-allowed';

/** Checks that the tool may be called for a person with this role. */
export const roleAllowed: StaticCheck = ({ tool }) => {
  const roles = tool?.roles ?? null;
  if (roles === null) return null;
  const mayUse = new Set(roles);
  const users = listed(roles, 'nobody');
  return ({ action: { principal }, name }) => {
    const role = principal?.role ?? null;
    if (role !== null && mayUse.has(role)) return passed(CHECK, { tool: name, role });
    return blocked(
      CHECK,
      { tool: name, role, roles: [...roles] },
      {
        code: 'ROLE_NOT_ALLOWED',
        reason:
          role === null
            ? `The action names no role of a person (principal.role), and the tool "${name}" may be used by: ${users}.`
            : `The role "${role}" may not use the tool "${name}". It may be used by: ${users}.`,
        remedy: 'Act for a person who has one of these roles, or have the role added to the policy.',
      },
    );
  };
};
