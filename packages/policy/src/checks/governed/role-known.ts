import { listed } from '@mandate/schemas/core';
import { blocked, passed, type StaticCheck } from '../check.ts';

const CHECK = 'role-known';

/** Roles are not asked for the calls of a model and for answers, because these act for nobody. */
const NOT_ASKED = new Set(['llm_call', 'output']);

/** Checks that the person has one of the roles that the policy declares. */
export const roleKnown: StaticCheck = ({ type, policy: { governance } }) => {
  const roles = governance?.roles ?? null;
  if (roles === null || NOT_ASKED.has(type)) return null;
  const known = new Set(roles);
  return ({ action: { principal } }) => {
    const role = principal?.role;
    if (role !== undefined && known.has(role)) return passed(CHECK, { role });
    return blocked(
      CHECK,
      { role: role ?? null, roles: [...roles] },
      {
        code: 'ROLE_NOT_ALLOWED',
        reason:
          role === undefined
            ? `The action names no role of a person (principal.role). The roles are ${listed(roles)}.`
            : `The role "${role}" is not declared. The roles are ${listed(roles)}.`,
        remedy: 'Act for a person who has one of these roles, or have the role added to the policy.',
      },
    );
  };
};
