/** Manifests compile to the documents that were computed independently. */
import { type CompileOptions, compileAgentManifest } from '@mandate/agent-manifest';
import { agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { agentManifestCases } from './agent-manifest-cases.ts';

test.each(agentManifestCases('compile'))('$id', ({ given, then }) => {
  const options: CompileOptions = given.options ?? {};
  const compiled = compileAgentManifest(agentManifestDocument.parse(given.manifest), options);
  if (!compiled.ok) {
    const { code, path } = compiled.refusals[0] ?? {};
    expect({ refused: { code, path } }).toEqual(then);
    return;
  }
  const { ok: _, warnings, ...documents } = compiled;
  expect({ ...documents, warnings: warnings.map(({ code }) => code) }).toEqual(then);
});
