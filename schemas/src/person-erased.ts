/** What stands in the persons topic: who was forgotten, without saying who that was. */
import { z } from 'zod';
import { id, tenant, time } from './scalars.ts';

/** The file of keys of persons, as records name it. */
const keysId = z.string().regex(/^[0-9a-f]{16}$/);

/** The beginning of all texts that were sealed for one person: the id of the key file, and of the person's key in it. */
export const personRef = z.string().regex(/^sealed:v1:[0-9a-f]{16}:[0-9a-f]{16}$/);

export const personErased = z
  .object({
    event: z.literal('person.erased'),
    erasure: z.object({
      id,
      tenant,
      /** Never the person's id, because the log would always keep it. */
      ref: personRef,
      by: z.string(),
      reason: z.string(),
      at: time,
    }),
  })
  .meta({
    title: 'person.erased',
    description: 'The key of a person is to be destroyed, on every gateway: what was sealed of them is gone.',
  });
export type PersonErasure = z.infer<typeof personErased>['erasure'];

/** The first one says with which file this log is sealed: a gateway that has another does not start. */
export const personsBegun = z
  .object({ event: z.literal('persons.begun'), begun: z.object({ keysId, at: time }) })
  .meta({ title: 'persons.begun', description: 'A gateway has made the file of keys of persons.' });

export const personsRecord = z.discriminatedUnion('event', [personErased, personsBegun]);
export type PersonsRecord = z.infer<typeof personsRecord>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Throws on anything else. */
export function readPersonsRecord(value: Uint8Array): PersonsRecord {
  return personsRecord.parse(JSON.parse(utf8.decode(value)));
}
