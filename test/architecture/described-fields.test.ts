/**
 * Every field of every record and document has a sentence and an example. Another test checks the OpenAPI documents.
 */
import { DOCUMENTS, RECORDS } from '@mandate/schemas';
import { AGENT_MANIFEST_DOCUMENTS } from '@mandate/schemas/agent-manifest';
import { MANIFEST_DOCUMENTS } from '@mandate/schemas/manifest';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { faultsOfFields, fieldsIn } from '../described-fields.ts';

const contracts = [
  ...Object.values(RECORDS),
  DOCUMENTS,
  MANIFEST_DOCUMENTS,
  AGENT_MANIFEST_DOCUMENTS,
].flatMap((named) => Object.entries<z.ZodType>(named));

test.each(contracts)('%s says what each field holds, with a valid example', (name, schema) => {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const fields = fieldsIn(json as Parameters<typeof fieldsIn>[0], name);
  expect(fields).not.toEqual([]);
  expect(faultsOfFields(fields, json.$defs as Parameters<typeof faultsOfFields>[1])).toEqual([]);
});
