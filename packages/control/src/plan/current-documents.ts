/** Agents, policies and rules of a plane, each with its revision. A plan compares files with these documents. */
import type { ControlDocuments } from '../load-control.ts';
import type { TenantControl } from '../tenant-control.ts';

export type Kind = 'agent' | 'policy' | 'rule';

export type CurrentDocument = {
  kind: Kind;
  id: string;
  revision: number;
  /** For a policy: its number of versions. For other documents 0. */
  versions: number;
  /** For a policy: true if it was archived. If it is added again, it gets a new version. */
  isArchived: boolean;
  document: Readonly<Record<string, unknown>>;
};

export const LISTS = { agent: 'agents', policy: 'policies', rule: 'rules' } as const;

/** Returns the documents as files would contain them, without archived policies. */
export function documentsOf(current: readonly CurrentDocument[]): ControlDocuments {
  const of = (kind: Kind) =>
    new Map(
      current.flatMap((one) =>
        one.kind === kind && !one.isArchived ? [[one.id, one.document] as const] : [],
      ),
    );
  return { agents: of('agent'), policies: of('policy'), rules: of('rule') } as unknown as ControlDocuments;
}

/** Returns the documents in the form in which a plane lists them. */
export function currentDocumentsOf(documents: ControlDocuments): CurrentDocument[] {
  return (['agent', 'policy', 'rule'] as const).flatMap((kind) =>
    [...documents[LISTS[kind]]].map(([id, document]) => ({
      kind,
      id,
      revision: 0,
      versions: kind === 'policy' ? 1 : 0,
      isArchived: false,
      document,
    })),
  );
}

/** The documents of a tenant, as the control service lists them. */
export function currentDocumentsIn({ agents, policies, rules }: TenantControl): CurrentDocument[] {
  const one = (
    kind: CurrentDocument['kind'],
    id: string,
    revision: number,
    document: object,
    { versions = 0, isArchived = false } = {},
  ) => ({
    kind,
    id,
    revision,
    versions,
    isArchived,
    document: document as CurrentDocument['document'],
  });
  return [
    ...[...agents].map(([id, { revision, document }]) => one('agent', id, revision, document)),
    ...[...policies].map(([id, { revision, versions, isArchived }]) =>
      one('policy', id, revision, versions.at(-1)?.document ?? {}, { versions: versions.length, isArchived }),
    ),
    ...[...rules].map(([id, { revision, document }]) => one('rule', id, revision, document)),
  ];
}
