/** Agents, policies and rules as they stand, with the revision of each. */
import type { ApiClient } from '../api-client.ts';
import { rowsOf } from '../pages.ts';

export type Kind = 'agent' | 'policy' | 'rule';

export type Standing = {
  kind: Kind;
  id: string;
  revision: number;
  /** Of a policy: it was there, and comes back as another version. */
  isArchived: boolean;
  document: Readonly<Record<string, unknown>>;
};

type Row = { revision: number; isArchived?: boolean } & { [K in Kind]?: Standing['document'] };

export const PATHS: Readonly<Record<Kind, string>> = {
  agent: '/v1/agents',
  policy: '/v1/policies',
  rule: '/v1/rules',
};

const LISTS: Readonly<Record<Kind, string>> = { agent: 'agents', policy: 'policies', rule: 'rules' };

export async function standingControl(api: ApiClient): Promise<Standing[]> {
  const all: Standing[] = [];
  for (const kind of ['agent', 'policy', 'rule'] as const) {
    const rows = rowsOf(api, {
      path: PATHS[kind],
      cursor: 'cursor',
      pageSize: 1_000,
      rows: (answer: { next: string | null; [list: string]: unknown }) => answer[LISTS[kind]] as Row[],
    });
    for await (const { revision, isArchived = false, [kind]: document } of rows) {
      if (document === undefined) continue;
      all.push({ kind, id: String(document.id), revision, isArchived, document });
    }
  }
  return all;
}
