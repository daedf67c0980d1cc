/** Warnings about the documents of a file, each with its line. */
import type { DocumentFault } from '../mandate/document-fault.ts';
import type { FindPlace } from '../mandate/plain-value.ts';
import { alikeTools, type Doubt, listDoubts, policyDoubts } from './document-doubts.ts';

export type WrittenPolicy = {
  document: Parameters<typeof policyDoubts>[0] & { id: string };
  find: FindPlace;
};

/**
 * @param of `others` are rules and agents: documents with lists, but without limits on tools. `declared` are tools
 *   that documents of other files declare.
 */
export function documentWarnings({
  policies,
  others = [],
  declared = [],
}: {
  policies: readonly WrittenPolicy[];
  others?: readonly { document: object; find: FindPlace }[];
  declared?: Iterable<string> | undefined;
}): readonly DocumentFault[] {
  const known = new Set([...declared, ...policies.flatMap(({ document }) => document.tools ?? [])]);
  const ofLists = [...policies, ...others].flatMap(({ document, find }) =>
    listDoubts(document).map((doubt) => warning(doubt, find)),
  );
  const ofNames = policies.flatMap(({ document, find }) =>
    policyDoubts(document, known).map((doubt) => warning(doubt, find)),
  );
  const named = policies.map((policy) => ({
    ...policy,
    of: policies.length === 1 ? '' : ` of "${policy.document.id}"`,
  }));
  const alike = alikeTools(named).flatMap(({ within, ...doubt }) =>
    within.slice(-1).map(({ find }) => warning(doubt, find)),
  );
  return [...ofLists, ...ofNames, ...alike].toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function warning({ path, message }: Doubt, find: FindPlace): DocumentFault {
  return { ...find(path), path: path.join('.'), message };
}
