/**
 * Writes every file of the repository that is generated from the sources. With `--check` it writes nothing, names the
 * outdated files and ends with exit code 1. To add a file, add it to `FILES`.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { asyncApi } from './generate/asyncapi.ts';
import type { GeneratedFile } from './generate/generated-file.ts';
import { dashboards } from './generate/grafana/dashboards.ts';
import { findStale, writeStale } from './generate/in-step.ts';
import { jsonSchemas } from './generate/json-schemas.ts';
import { luaConstantsFile } from './generate/lua-constants.ts';
import { operationsTables } from './generate/operations-tables.ts';
import { sdkReference } from './generate/sdk-reference.ts';

const FILES: readonly GeneratedFile[] = [
  ...jsonSchemas,
  asyncApi,
  operationsTables,
  ...dashboards,
  luaConstantsFile,
  sdkReference,
];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const stale = await findStale(root, FILES);

if (!values.check) {
  writeStale(root, stale);
  for (const { path, text } of stale) console.log(`${text === null ? 'removed' : 'wrote'} ${path}`);
} else if (stale.length > 0) {
  for (const { path } of stale) console.error(`not in step with its source: ${path}`);
  console.error('Run `npm run generate` and commit what it writes.');
  process.exitCode = 1;
}
