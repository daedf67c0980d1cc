/** Validators of changes of memory. They know no operation: a table says which operation asks which (operations.ts). */
import type { Json } from '@mandate/schemas';
import { PERMISSION_IN_WORDS } from '@mandate/schemas/core';
import type { Violation } from '../../checks/check.ts';
import { charactersIn } from '../text/characters-in.ts';
import { above, type EffectivePolicy, type Permission } from './categories.ts';

/** A category with its effective policy. `path` is as it is shown. */
export type Place = { readonly path: string; readonly effective: EffectivePolicy };

export type Refusal = { readonly violation: Violation; readonly evidence: Json };
export type Validator = () => Refusal | null;

/** Runs validators in order, and stops at the first that refuses. */
export function firstRefusal(validators: readonly Validator[]): Refusal | null {
  for (const validate of validators) {
    const refusal = validate();
    if (refusal !== null) return refusal;
  }
  return null;
}

export function permits(permission: Permission, { path, effective }: Place): Validator {
  return () => {
    const { value, from } = effective[permission];
    if (value) return null;
    const set = from === path ? 'there' : `in "${from}", above it`;
    return {
      evidence: { permission, category: path, from },
      violation: {
        code: 'OPERATION_NOT_PERMITTED',
        reason: `In the category "${path}", memories may not be ${PERMISSION_IN_WORDS[permission]} (permissions.${permission} is false ${set}).`,
        remedy: `Leave it. Or have permissions.${permission} of "${from}" changed in the config of categories.`,
      },
    };
  };
}

/** @param length in characters; null: there is no content to check */
export function isWithinLength(length: number | null, { path, effective }: Place): Validator {
  return () => {
    const { value: most, from } = effective.maxContentLength;
    if (length === null || most === null || length <= most) return null;
    return tooLong({ path, length, most, from: from ?? path, what: 'content' });
  };
}

export function isShortDescription(description: string, most: number, path: string): Validator {
  return () => {
    const length = charactersIn(description.trim());
    return length <= most ? null : tooLong({ path, length, most, from: null, what: 'description' });
  };
}

function tooLong({
  path,
  length,
  most,
  from,
  what,
}: {
  path: string;
  length: number;
  most: number;
  from: string | null;
  what: string;
}): Refusal {
  const raise =
    from === null ? '' : ` Or have maxContentLength of "${from}" changed in the config of categories.`;
  return {
    evidence: { category: path, length, most, from },
    violation: {
      code: 'CONTENT_TOO_LONG',
      reason: `The ${what} for the category "${path}" has ${length} characters; ${most} are allowed.`,
      remedy: `Shorten it, or split it into several.${raise}`,
    },
  };
}

/** @param missing the categories that have to be made, from the top; `placeAt` returns the place of a path */
export function mayMake(missing: readonly string[], placeAt: (path: string) => Place): Validator {
  return () => {
    for (const path of missing) {
      const parent = placeAt(above(path));
      const { value, from } = parent.effective.subcategoryCreation;
      if (value) continue;
      return {
        evidence: { category: path, under: parent.path, from },
        violation: {
          code: 'SUBCATEGORY_CREATION_NOT_ALLOWED',
          reason: `The category "${path}" would be made under "${parent.path}", which permits no new categories.`,
          remedy: `Use a category that exists. Or have subcategoryCreation of "${from}" changed in the config of categories.`,
        },
      };
    }
    return null;
  };
}

export function isOfSystem(origin: string, what: string): Validator {
  return () =>
    origin === 'system'
      ? null
      : {
          evidence: { field: 'operation', origin },
          violation: {
            code: 'ORIGIN_NOT_ALLOWED',
            reason: `Only the system may ${what}, and the origin of the operation is the ${origin}.`,
            remedy: `Leave it to the program that keeps the memories: it states origins.operation: system.`,
          },
        };
}
