/** Schemas and functions that the routes about persons share. */
import type { PersonKeys } from '@mandate/privacy';
import { HttpProblem } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';

/** The id of a person, exactly as in the field that the privacy document names. */
export const personId = z.string().min(1).max(4_096);

/** The beginning of every text that is sealed for one person. */
export const personRef = z.string();

/** The refusal of these routes if nothing is sealed. */
export const NOT_SEALED = { 409: 'Nothing is sealed here, so there are no keys of persons.' };

/** Returns the keys of persons. Throws PERSONS_NOT_SEALED if there are none. */
export function keysOf({ personKeys }: Pick<Gateway, 'personKeys'>): PersonKeys {
  if (personKeys.id() !== null) return personKeys;
  throw new HttpProblem(
    409,
    'PERSONS_NOT_SEALED',
    'nothing is sealed here, so there are no keys of persons',
    {
      remedy: 'Configure privacy.yaml to seal personal data: docs/privacy.md.',
    },
  );
}
