/** Agents, policies and rules as they stand, with the revision of each. */

import type { ApiClient } from '@mandate/client';
import { rowsOf } from '@mandate/client';
import type { ControlDocuments } from '@mandate/control';

export type Kind = 'agent' | 'policy' | 'rule';

export type Standing = {
  kind: Kind;
  id: string;
  revision: number;
  /** Of a policy: how many there are; of others 0. */
  versions: number;
  /** Of a policy: it was there, and comes back as another version. */
  isArchived: boolean;
  document: Readonly<Record<string, unknown>>;
};

type Row = { revision: number; version?: number; isArchived?: boolean } & {
  [K in Kind]?: Standing['document'];
};

export const PATHS: Readonly<Record<Kind, string>> = {
  agent: '/v1/agents',
  policy: '/v1/policies',
  rule: '/v1/rules',
};

export const LISTS = { agent: 'agents', policy: 'policies', rule: 'rules' } as const;

export async function standingControl(api: ApiClient): Promise<Standing[]> {
  const all: Standing[] = [];
  for (const kind of ['agent', 'policy', 'rule'] as const) {
    const rows = rowsOf(api, {
      path: PATHS[kind],
      cursor: 'cursor',
      pageSize: 1_000,
      rows: (answer: { next: string | null; [list: string]: unknown }) => answer[LISTS[kind]] as Row[],
    });
    for await (const { revision, version = 0, isArchived = false, [kind]: document } of rows) {
      if (document === undefined) continue;
      all.push({ kind, id: String(document.id), revision, versions: version, isArchived, document });
    }
  }
  return all;
}

/** As files would say them; what is archived is in none. */
export function documentsOf(standing: readonly Standing[]): ControlDocuments {
  const of = (kind: Kind) =>
    new Map(
      standing.flatMap((one) =>
        one.kind === kind && !one.isArchived ? [[one.id, one.document] as const] : [],
      ),
    );
  return { agents: of('agent'), policies: of('policy'), rules: of('rule') } as unknown as ControlDocuments;
}

/** As if it stood in a plane. */
export function standingOf(documents: ControlDocuments): Standing[] {
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
