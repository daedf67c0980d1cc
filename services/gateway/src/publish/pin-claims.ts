/**
 * The fields of an action that its API key pins. An action with another value is refused. A missing value is filled
 * in. All other values of context and principal are claims of the caller.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Action, type ApiKeyRecord, type Pinned, pinnedFields } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';

type Claims = Pick<Action, 'context' | 'principal'>;

/**
 * Returns context and principal with the pinned values, and the names of the pinned fields. Other values of the
 * caller's context are kept. Null if the key pins nothing. Throws PINNED_BY_KEY if a value of the caller differs from
 * a pinned value.
 */
export function pinClaims(
  { id, pins }: Pick<ApiKeyRecord, 'id' | 'pins'>,
  { context, principal }: Claims,
): { claims: Claims; pinned: Pinned } | null {
  if (pins === undefined) return null;
  const names = Object.keys(pins.context ?? {});
  for (const name of names)
    if (context !== undefined && Object.hasOwn(context, name))
      mustAgree(`context.${name}`, context[name], pins.context?.[name]);
  if (principal !== undefined && pins.principal !== undefined) {
    mustAgree('principal.id', principal.id, pins.principal.id);
    if (principal.role !== undefined) mustAgree('principal.role', principal.role, pins.principal.role);
  }
  return {
    claims: {
      ...(names.length > 0 && { context: { ...context, ...pins.context } }),
      ...(pins.principal !== undefined && { principal: pins.principal }),
    },
    pinned: { pinned: pinnedFields(pins), pinnedBy: id },
  };
}

/**
 * Throws if the values differ. The problem names the field, but not the pinned value, because the holder of the key
 * may not know this value.
 */
function mustAgree(field: string, said: unknown, fixed: unknown): void {
  if (isDeepStrictEqual(said, fixed)) return;
  throw new HttpProblem(
    403,
    'PINNED_BY_KEY',
    `this API key fixes ${field}, and the action has another value`,
    {
      remedy: `Leave ${field} out, or use a key that does not fix it.`,
    },
  );
}
