/** Records of the persons topic: which persons were forgotten. The records do not name the persons. */
import { z } from 'zod';
import { described } from './described.ts';
import { id, tenant, time } from './scalars.ts';

/** The id of the key file that contains the keys of persons. */
const keysId = z.string().regex(/^[0-9a-f]{16}$/);

/**
 * The beginning of every text that was sealed for one person: the id of the key file, and the id of the person's key
 * in the file.
 */
export const personRef = z.string().regex(/^sealed:v1:[0-9a-f]{16}:[0-9a-f]{16}$/);

export const personErased = z
  .object({
    event: described(z.literal('person.erased'), 'The kind of the record.'),
    erasure: described(
      z.object({
        id: described(id, 'The id of the command.', 'ers_01ke7t3v8c0000000000000000000a'),
        tenant: described(tenant, 'The tenant of the person.', 'acme'),
        ref: described(
          personRef,
          "The beginning of all texts that are sealed for the person. It never contains the person's id, because the log is kept permanently.",
          'sealed:v1:0011223344556677:8899aabbccddeeff',
        ),
        by: described(
          z.string(),
          'The person or the API key that asked for it.',
          'data protection (a1B2c3D4e5F6)',
        ),
        reason: described(
          z.string(),
          'Why, in the words of the person who asked.',
          'asked for it, ticket 4711',
        ),
        at: described(time, 'When it was asked for.'),
      }),
      'The person that was forgotten, and who asked for it and why.',
    ),
  })
  .meta({
    title: 'person.erased',
    description:
      'A person was forgotten. Every gateway destroys the key of the person, so nothing that was sealed with it can be read.',
  });
export type PersonErasure = z.infer<typeof personErased>['erasure'];

/**
 * A record that names the key file of this log. The first such record counts. A gateway does not start with another
 * key file.
 */
export const personsBegun = z
  .object({
    event: described(z.literal('persons.begun'), 'The kind of the record.'),
    begun: described(
      z.object({
        keysId: described(keysId, 'The id of the file of keys.', '0011223344556677'),
        at: described(time, 'When the file was made.'),
      }),
      'The file of keys with which this log is sealed.',
    ),
  })
  .meta({ title: 'persons.begun', description: 'A gateway made the file with the keys of persons.' });

export const personsRecord = z.discriminatedUnion('event', [personErased, personsBegun]);
export type PersonsRecord = z.infer<typeof personsRecord>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a record of the persons topic. Throws on any other content. */
export function readPersonsRecord(value: Uint8Array): PersonsRecord {
  return personsRecord.parse(JSON.parse(utf8.decode(value)));
}
