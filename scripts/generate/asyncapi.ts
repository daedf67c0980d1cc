/** The AsyncAPI document: the records of each topic, and their keys. */
import { CAPS, RECORDS } from '@mandate/schemas';
import { type GeneratedFile, jsonText } from './generated-file.ts';

export const asyncApi: GeneratedFile = {
  path: 'schemas/generated/asyncapi.json',
  make: () =>
    jsonText({
      asyncapi: '3.0.0',
      info: {
        title: 'Mandate',
        version: '1',
        description: `Records are JSON, one object each, at most ${CAPS.recordBytes} bytes, keyed by tenant/agentId.`,
        license: { name: 'Apache-2.0' },
      },
      channels: Object.fromEntries(
        Object.entries(RECORDS).map(([topic, records]) => [topic, channel(topic, Object.keys(records))]),
      ),
    }),
};

function channel(address: string, records: readonly string[]): object {
  return { address, messages: Object.fromEntries(records.map((name) => [name, message(name)])) };
}

function message(name: string): object {
  const schemaFormat = 'application/schema+json;version=2020-12';
  return {
    name,
    contentType: 'application/json',
    payload: { schemaFormat, schema: { $ref: `./${name}.schema.json` } },
  };
}
