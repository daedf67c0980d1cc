/** What the routes of persons share. */
import type { PersonKeys } from '@mandate/privacy';
import { callerOf, HttpProblem } from '@mandate/runtime';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';

/** As it stands where the privacy document says, character for character. */
export const personId = z
  .string()
  .min(1)
  .max(4_096)
  .describe('The person’s id, exactly as it stands in what agents send.')
  .meta({ examples: ['mia_li_3668'] });

export const personRef = z
  .string()
  .describe('What every text that was sealed of this person begins with: search for it.');

/** The keys, or PERSONS_NOT_SEALED. */
export function keysOf({ personKeys }: Pick<Gateway, 'personKeys'>): PersonKeys {
  if (personKeys.id() !== null) return personKeys;
  throw new HttpProblem(
    409,
    'PERSONS_NOT_SEALED',
    'nothing is sealed here, so there are no keys of persons',
    {
      remedy: 'Let privacy.yaml seal what is personal: docs/privacy.md.',
    },
  );
}

/** Resolves once it is on record that the caller reads what is sealed of these persons. */
export function recordReading(
  { recordRead }: Pick<Gateway, 'recordRead'>,
  request: Parameters<typeof callerOf>[0],
  parameters: Readonly<Record<string, string | string[]>>,
): Promise<void> {
  const { id, name, tenant } = callerOf(request);
  return recordRead(
    {
      tenant,
      key: { id, name },
      method: request.method,
      route: request.routeOptions.url ?? '',
      parameters,
      refused: false,
      requestId: request.id,
    },
    request.traceparent,
  );
}
