/**
 * The facts in a decision besides its verdict: obligations for the program that executes the action, and notes for
 * people.
 */
import type { Decision, Json } from '@mandate/schemas';
import { z } from 'zod';

type Row = readonly [name: string, words: string];

export function dutiesInWords({
  obligations = {},
  notes = [],
  violations = [],
  events = [],
}: Pick<Decision, 'obligations' | 'notes' | 'violations' | 'events'>): readonly Row[] {
  return [
    ...Object.entries(obligations).map(([name, value]): Row => [name, obligationInWords(name, value)]),
    ...notes.map(({ code, ...facts }): Row => [code, JSON.stringify(facts)]),
    ...violations.map(({ rule, field }): Row => ['not for the model', `${field} (${rule})`]),
    ...(events.length === 0 ? [] : [['events', events.join(', ')] as const]),
  ];
}

const names = z.array(z.string()).transform((all) => all.join(', ') || 'none');

/**
 * The obligations that are shown as a sentence. Other obligations, and obligations in an unknown form, are shown as
 * JSON.
 */
const OBLIGATIONS: Readonly<Record<string, z.ZodType<string>>> = {
  intent: z
    .object({
      id: z.string(),
      by: z.string(),
      entities: z.record(z.string(), z.unknown()),
      missing: z.array(z.string()),
    })
    .transform(({ id, by, entities, missing }) => {
      const found = Object.entries(entities).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
      const absent = missing.length === 0 ? [] : [`missing: ${missing.join(', ')}`];
      return [`${id}, by ${by}`, ...found, ...absent].join('; ');
    }),
  specialists: names,
  tools: names,
  stores: z
    .array(z.object({ store: z.string(), maxResults: z.int().nullable() }))
    .transform(
      (stores) =>
        stores
          .map(
            ({ store, maxResults }) =>
              `${store} (${maxResults === null ? 'no limit' : `at most ${maxResults}`})`,
          )
          .join(', ') || 'none',
    ),
  filter: z.object({ field: z.string(), is: z.string() }).transform(({ field, is }) => `${field} is ${is}`),
  saves: z
    .array(z.object({ store: z.string(), rule: z.string(), expiresAt: z.string().nullable() }))
    .transform(
      (saves) =>
        saves
          .map(
            ({ store, rule, expiresAt }) =>
              `to ${store} by ${rule}, ${expiresAt === null ? 'for ever' : `until ${expiresAt}`}`,
          )
          .join('; ') || 'nothing',
    ),
};

function obligationInWords(name: string, value: Json): string {
  const read = OBLIGATIONS[name]?.safeParse(value);
  return read?.success === true ? read.data : typeof value === 'string' ? value : JSON.stringify(value);
}
