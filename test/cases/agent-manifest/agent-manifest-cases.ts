/**
 * The cases of agent manifests and of the context builder. Their answers were computed independently. They are read
 * from the shared data if that exists beside this repository. Otherwise the copy in this folder is read.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const COPY = join(import.meta.dirname, 'testdata');
const BESIDE = join(import.meta.dirname, '../../../../shared/data/agent-manifest-cases');

const caseLine = z.strictObject({
  id: z.string(),
  when: z.string(),
  given: z.record(z.string(), z.unknown()),
  // biome-ignore lint/suspicious/noThenProperty: the word of the cases; the object is never awaited
  then: z.record(z.string(), z.unknown()),
});

export type AgentManifestCase = z.infer<typeof caseLine>;

/** Returns the cases of one function. Throws if there is none, because a test without cases would prove nothing. */
export function agentManifestCases(when: string): readonly AgentManifestCase[] {
  return casesIn('cam.jsonl', when);
}

/** Returns the cases of one function of the context builder. */
export function contextCases(when: string): readonly AgentManifestCase[] {
  return casesIn('context.jsonl', when);
}

function casesIn(file: string, when: string): readonly AgentManifestCase[] {
  const folder = existsSync(BESIDE) ? BESIDE : COPY;
  const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n');
  const cases = lines.map((line) => caseLine.parse(JSON.parse(line))).filter((read) => read.when === when);
  if (cases.length === 0) throw new Error(`no case of ${when} in ${file}`);
  return cases;
}
