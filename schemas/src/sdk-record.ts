/**
 * The decision of an SDK in the process of an agent. The records have their own topic and events, so no reader of the
 * plane's decisions can take them for a decision of the plane (docs/adr/0067).
 */
import { z } from 'zod';
import { decision } from './decision.ts';
import { described } from './described.ts';
import { id } from './scalars.ts';
import { settlement } from './settlement.ts';

const decidedBy = described(
  z.object({
    keyId: described(
      id.nullable(),
      'The id of the API key that reported it to the plane. null: a producer wrote it to the topic.',
      '7dQ1xYb0aKpL',
    ),
  }),
  'Who decided. The plane only recorded it.',
);

export const sdkDecided = z
  .object({
    event: described(z.literal('sdk.decided'), 'The kind of the record.'),
    decidedBy,
    decision: described(decision, 'The decision of the SDK. Its ledger is not the ledger of the plane.'),
  })
  .meta({ title: 'sdk.decided', description: 'An SDK decided an action in the process of an agent.' });

export const sdkSettled = z
  .object({
    event: described(z.literal('sdk.settled'), 'The kind of the record.'),
    decidedBy,
    settlement: described(settlement, 'What the outcome did to the charge in the ledger of the SDK.'),
  })
  .meta({ title: 'sdk.settled', description: 'An SDK settled an action that it had allowed.' });

const sdkRecord = z.discriminatedUnion('event', [sdkDecided, sdkSettled]);
export type SdkRecord = z.infer<typeof sdkRecord>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a record of the topic of SDKs. Throws on any other content. */
export function readSdkRecord(value: Uint8Array): SdkRecord {
  return sdkRecord.parse(JSON.parse(utf8.decode(value)));
}
