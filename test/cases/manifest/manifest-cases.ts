/**
 * Reads the cases of manifests, policies and categories. The expected answers were computed without this code. If a
 * folder beside the clone contains the original files, the tests use this folder. Otherwise they use the copy in
 * `testdata`. `testdata/README.md` explains the form of a case.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const BESIDE = join(import.meta.dirname, '../../../../shared/data/manifest-cases');
const FOLDER = existsSync(BESIDE) ? BESIDE : join(import.meta.dirname, 'testdata');

export type ManifestCase<Given, When, Then> = {
  id: string;
  topic: string;
  /** What the case is about, for people. The cases of real memories name only their topic. */
  why: string;
  given: Given;
  when: When;
  then: Then;
};

/** Returns the cases of a file, in their order: `s0-cases`, `s1-cases` or `cortex-shared`. */
export function manifestCases<Given, When, Then>(
  name: 's0-cases' | 's1-cases' | 'cortex-shared',
): ManifestCase<Given, When, Then>[] {
  const lines = readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const read = JSON.parse(line);
    return { why: read.topic, ...read };
  });
}

/** A document of a case: a path in the folder of the cases, or its text. */
export type CaseDocument = string | { text: string };

export function textOf(document: CaseDocument): string {
  return typeof document === 'string' ? readFileSync(join(FOLDER, document), 'utf8') : document.text;
}

/** Returns the text of a file in the folder of the cases. Undefined if there is no such file. */
export function existingTextOf(path: string): string | undefined {
  return existsSync(join(FOLDER, path)) ? textOf(path) : undefined;
}
