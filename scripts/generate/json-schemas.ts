/** A JSON Schema (2020-12) for each record and document, for producers in other languages and for editors. */
import { DOCUMENTS, RECORDS } from '@mandate/schemas';
import { AGENT_MANIFEST_DOCUMENTS } from '@mandate/schemas/agent-manifest';
import { MANIFEST_DOCUMENTS } from '@mandate/schemas/manifest';
import { z } from 'zod';
import { type GeneratedFile, jsonText } from './generated-file.ts';

const contracts: [string, z.ZodType][] = [
  ...Object.values(RECORDS),
  DOCUMENTS,
  MANIFEST_DOCUMENTS,
  AGENT_MANIFEST_DOCUMENTS,
].flatMap((named) => Object.entries<z.ZodType>(named));

export const jsonSchemas: readonly GeneratedFile[] = contracts.map(([name, schema]) => ({
  path: `schemas/generated/${name}.schema.json`,
  make: () => jsonText(toJsonSchema(name, schema)),
}));

function toJsonSchema(name: string, schema: z.ZodType): object {
  const { $schema, title, description, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    // A definition without a type has no field `type`. Its schema says so with `not`.
    unrepresentable: 'any',
  });
  return { $schema, $id: `urn:mandate:schema:v1:${name}`, title, description, ...rest };
}
